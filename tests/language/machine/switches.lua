-- SPDX-License-Identifier: MIT
--
-- switches.lua -- what happens to hot code in the middle of its work
--
-- Hooks, debuggers, coroutines, errors and the collector meet functions that
-- have machine code. run.lua compares what the interpreter and machine code
-- print.

local function spin(n)
  local s = 0
  for i = 1, n do s = s + i end
  return s
end
for _ = 1, 100 do spin(100) end

-- A count hook that is set and removed.
local counted = 0
debug.sethook(function() counted = counted + 1 end, "", 100)
spin(10000)
debug.sethook()
print("count", counted)

-- A line hook, set by a function that hot code calls.
local lines = {}
local function set(i)
  if i == 150 then
    debug.sethook(function(_, line) lines[#lines + 1] = line end, "l")
  elseif i == 153 then
    debug.sethook()
  end
  return i
end
local function watched()
  local s = 0
  for i = 1, 300 do
    s = s + set(i)
  end
  return s
end
print("line", watched())
local first = lines[1]
for n = 1, #lines do lines[n] = lines[n] - first end
print(table.concat(lines, " "))

-- A debugger changes the variables of a caller: their types and their loop.
local function change(i)
  if i == 200 then
    for n = 1, 20 do
      local name, v = debug.getlocal(2, n)
      if name == "x" then debug.setlocal(2, n, 0.5) end
      if name == "i" then debug.setlocal(2, n, 250) end
      if name == "y" then debug.setlocal(2, n, "7") end
    end
  end
  return 1
end
local function changed()
  local x, y, n = 1, 2, 0
  for i = 1, 300 do
    n = n + change(i)
    x = x + 1
    y = y + 1
  end
  return x, y, n
end
print("setlocal", changed())

-- A closure changes a captured variable of a hot function.
local function captured()
  local v, s = 1, 0
  local function f(i) if i == 250 then v = 0.25 elseif i == 270 then v = "3" end end
  for i = 1, 300 do
    f(i)
    s = s + v
  end
  return s, v
end
print("captured", captured())

-- An upvalue that is a variable of the running function itself.
local function joined()
  local x = 1
  local function get() return x end
  local f
  f = function(n)
    local y = 1
    local function other() return y end
    debug.upvaluejoin(f, 1, other, 1)
    for i = 1, n do x = i * 0.5 y = y + 1 end
    return x, y
  end
  return f(300), get()
end
print("upvaluejoin", pcall(joined))

-- Errors have the line and the names of the interpreter.
local function fails(t, n)
  for i = 1, n do
    if i == 300 then t = nil end
    t.x = t.x + i
  end
end
print("error", pcall(fails, {x = 0}, 400))
print("error", pcall(function()
  local t = {1, 2, 3}
  local s = 0
  for i = 1, 400 do
    if i == 350 then t[2] = "x" elseif i == 360 then t[2] = {} end
    s = s + t[2]
  end
end))
print("error", pcall(function() local z = 0 for i = 400, 0, -1 do z = z + 7 // i end end))
print("error", select(2, xpcall(function()
  local function deep(n) return 1 + deep(n + 1) end
  return deep(1)
end, function(m) return (m:gsub("\n.*", "")) end)))

-- Coroutines that yield in the middle of hot loops.
local function generate(n)
  for i = 1, n do
    if i % 50 == 0 then coroutine.yield(i) end
  end
  return "end"
end
local sum = 0
for _ = 1, 20 do
  local co = coroutine.wrap(generate)
  local v = co(500)
  while v ~= "end" do sum = sum + v v = co() end
end
print("coroutine", sum)

-- Objects that are stored while the collector works.
local list = {}
collectgarbage "incremental"
for round = 1, 20 do
  for i = 1, 300 do
    local o = {round * i}
    list[i] = o
    o.next = list[i - 1]
    list.last = o
  end
  collectgarbage("step", 1)
end
collectgarbage()
local all = 0
for i = 1, 300 do all = all + list[i][1] + (list[i].next and list[i].next[1] or 0) end
print("collector", all, list.last == list[300])

-- Finalizers and closed variables in hot code.
local closed = 0
for i = 1, 300 do
  local c <close> = setmetatable({}, {__close = function() closed = closed + i end})
end
print("close", closed)

-- A method that is replaced, and a field that becomes inherited.
local C = {}
C.__index = C
function C.get() return 1 end
local o, total = setmetatable({}, C), 0
for i = 1, 600 do
  if i == 200 then function C.get() return 2.5 end end
  if i == 300 then o.get = function() return 10 end end
  if i == 400 then o.get = nil end
  if i == 500 then setmetatable(o, {__index = function() return function() return 100 end end}) end
  total = total + o:get()
end
print("method", total)

-- A global function that is replaced by a library function, and back.
local r = 0
F = function(x) return x end
for i = 1, 600 do
  if i == 200 then F = math.floor elseif i == 400 then F = function(x) return -x end end
  r = r + F(i + 0.5)
end
print("global", r)

-- Machine code is switched off and on in the middle of hot code, while other
-- frames are in the middle of theirs.
local machine = require "penumbra.machine"
local was_on = machine.status().on
local function back_on() if was_on then machine.on() end end
local function toggled(n)
  local s = 0
  for i = 1, n do
    if i == 200 then machine.off() elseif i == 300 then back_on() end
    if i == 400 then machine.off(spin) elseif i == 500 then machine.on(spin) end
    s = s + spin(i % 20)
  end
  return s
end
print("toggle", toggled(600))
local function deep(n, f)
  if n == 0 then f() return 0.5 end
  local r = deep(n - 1, f)
  return r + n
end
for i = 1, 100 do deep(i, function() end) end
print("deep", deep(100, function() machine.off() end), deep(100, back_on))
print("deep", deep(100, function() machine.off() back_on() for i = 1, 99 do deep(3, function() spin(9) end) end end))
assert(not was_on or machine.status().on)

-- A coroutine that waits in the middle of code that is dropped meanwhile.
local function suspended(n)
  if n == 0 then return coroutine.yield() end
  local r = suspended(n - 1)
  return r + n
end
for i = 1, 50 do
  local co = coroutine.wrap(suspended)
  co(i)
  machine.off() back_on()
  for k = 1, 40 do
    local other = coroutine.wrap(suspended)
    other(3)
    assert(other(k * 0.5) == 6 + k * 0.5)
  end
  if i % 10 == 0 then print("suspended", co(i)) end
end

-- A budget stops hot loops, whether they were hot before or not.
local sandbox = require "penumbra.sandbox"
local box = sandbox.new {units = 100000}
print("budget", box:run "local function f(n) local s = 0 for i = 1, n do s = s + i end return s end for i = 1, 50 do f(10) end while true do f(1000) end")
print("budget", box:run "local n = 0 for i = 1, 1000 do n = n + i end return n")
