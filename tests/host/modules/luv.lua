-- SPDX-License-Identifier: MIT
-- package: lua-luv
-- module: luv
-- buffers: unchecked
-- luv: an event loop that calls Lua from C, handles that are userdata, and
-- threads with separate states.
local uv = require "luv"

-- Timers.
local ticks = 0
local timer = uv.new_timer()
timer:start(1, 1, function()
  ticks = ticks + 1
  if ticks == 20 then timer:close() end
end)
uv.run()
print("ticks", ticks)

-- An echo server and clients on the loopback interface.
local server = uv.new_tcp()
server:bind("127.0.0.1", 0)
local echoed = 0
server:listen(128, function(err)
  assert(not err, err)
  local peer = uv.new_tcp()
  server:accept(peer)
  peer:read_start(function(_, data)
    if data then peer:write(data) else peer:close() end
  end)
end)
local port = server:getsockname().port
local open = 20
for i = 1, 20 do
  local client = uv.new_tcp()
  client:connect("127.0.0.1", port, function(err)
    assert(not err, err)
    local round, pending = 0, ""
    client:read_start(function(_, data)
      pending = pending .. data
      if #pending < 1000 then return end
      assert(pending == ("%d "):format(i):rep(1000):sub(1, 1000))
      pending, round = "", round + 1
      echoed = echoed + 1
      if round < 10 then
        client:write(("%d "):format(i):rep(1000):sub(1, 1000))
      else
        client:close()
        open = open - 1
        if open == 0 then server:close() end
      end
    end)
    client:write(("%d "):format(i):rep(1000):sub(1, 1000))
  end)
end
uv.run()
print("echoed", echoed)

-- Files, synchronously and asynchronously.
local fd = assert(uv.fs_open("file", "w+", tonumber("644", 8)))
uv.fs_write(fd, "some text", 0)
local read
uv.fs_read(fd, 9, 0, function(err, data) read = data end)
uv.run()
print(read, uv.fs_fstat(fd).size)
uv.fs_close(fd)
for name, kind in uv.fs_scandir_next, uv.fs_scandir(".") do
  if name == "file" then print(name, kind) end
end
uv.fs_unlink("file")

-- Work in threads, each with a separate state made by our library.
local sum, done = 0, 0
local work = uv.new_work(function(n)
  local t = {}
  for i = 1, n do t[i] = {i} end
  local s = 0
  for i = 1, n do s = s + t[i][1] end
  return s
end, function(result) sum, done = sum + result, done + 1 end)
for i = 1, 30 do work:queue(i * 100) end
uv.run()
print("work", done, sum)

local async
local got = {}
async = uv.new_async(function(a, b)
  got[#got + 1] = a .. b
  if #got == 1 then async:close() end
end)
local thread = uv.new_thread(function(handle, text)
  local uv = require "luv"
  collectgarbage()
  handle:send(text, " from a thread")
end, async, "hello")
uv.run()
thread:join()
print(got[1])

-- A process.
local out = uv.new_pipe(false)
local text = ""
uv.spawn("/bin/sh", {args = {"-c", "echo spawned; exit 3"}, stdio = {nil, out}},
         function(code, signal) print("exit", code, signal) end)
out:read_start(function(_, data)
  if data then text = text .. data else out:close() end
end)
uv.run()
io.write(text)

-- Handles dropped without being closed.
for i = 1, 500 do
  local t = uv.new_timer()
  if i % 2 == 0 then t:close() end
end
collectgarbage()
uv.run("nowait")
collectgarbage()
local ok, e = pcall(uv.new_tcp().bind, uv.new_tcp(), "not an address", 1)
print(ok, type(e))
