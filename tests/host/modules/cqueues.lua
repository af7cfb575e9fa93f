-- SPDX-License-Identifier: MIT
-- package: lua-cqueues
-- module: cqueues
-- cqueues: coroutines resumed from C, sockets, and a thread with its own state.
local cqueues = require "cqueues"
local socket = require "cqueues.socket"
local condition = require "cqueues.condition"
local promise = require "cqueues.promise"

-- Many coroutines that sleep and wake each other.
local loop, log = cqueues.new(), {}
local cond = condition.new()
for i = 1, 100 do
  loop:wrap(function()
    cqueues.sleep(i % 5 / 1000)
    log[#log + 1] = i
    if #log == 100 then cond:signal() end
  end)
end
loop:wrap(function() cond:wait() log.woken = true end)
assert(loop:loop())
print(#log, log.woken)

-- Server and clients in one loop.
local server = socket.listen("127.0.0.1", 0)
local served = 0
loop:wrap(function()
  for peer in server:clients() do
    loop:wrap(function()
      for line in peer:lines("*L") do
        peer:write(line:upper())
        peer:flush()
        served = served + 1
      end
      peer:close()
    end)
    if served < 0 then return end
  end
end)
local _, _, port = server:localname()
local answers, finished = 0, 0
for i = 1, 10 do
  loop:wrap(function()
    local c = socket.connect("127.0.0.1", port)
    c:setvbuf("full", 4096)
    for k = 1, 20 do
      c:write("hello " .. i .. " " .. k .. "\n")
      c:flush()
      local answer = c:read("*l")
      if answer == "HELLO " .. i .. " " .. k then answers = answers + 1 end
    end
    c:close()
    finished = finished + 1
    if finished == 10 then server:close() end
  end)
end
while finished < 10 do assert(loop:step(1)) end
print(answers, served)

-- Promises, errors inside coroutines.
local inner = cqueues.new()
inner:wrap(function()
  local p = promise.new(function() cqueues.sleep(0.001) return "kept" end)
  print(p:get())
end)
inner:wrap(function() error({code = 5}) end)
local ok, why = inner:loop()
print(ok, type(why) == "table" and why.code)
print(inner:loop())

-- A thread: another state, another heap.
local thread = require "cqueues.thread"
local t, pipe = thread.start(function(pipe, n)
  local list = {}
  for i = 1, tonumber(n) do list[i] = {value = i} end
  collectgarbage()
  for line in pipe:lines() do pipe:write(line:reverse(), "\n") end
end, "5000")
for _, word in ipairs {"abc", "def"} do
  pipe:write(word, "\n")
  print(pipe:read("*l"))
end
pipe:shutdown("w")
print(t:join())

-- Discarded loops with sleeping coroutines.
for i = 1, 100 do
  local q = cqueues.new()
  q:wrap(function() cqueues.sleep(100) end)
  q:wrap(function() condition.new():wait() end)
  q:step(0)
end
collectgarbage() collectgarbage()
print(cqueues.type(loop), cqueues.running())
