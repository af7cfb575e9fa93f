-- SPDX-License-Identifier: MIT
-- Limits that differ from those of lua5.4: metamethods do not use the C stack
-- here, so endless metamethods have the limit of endless functions

local function message(f, ...)
  local ok, m = pcall(f, ...)
  return not ok and (m:gsub("^[^:]*:%d+: ", ""):gsub("\n.*", ""))
end

local mt = {}
local function object() return setmetatable({}, mt) end
mt.__index = function(t, k) return t[k] end
mt.__newindex = function(t, k, v) t[k] = v end
mt.__eq = function(a, b) return a == b end
mt.__lt = function(a, b) return a < b end
mt.__le = function(a, b) return a <= b end
mt.__concat = function(a, b) return a .. b end
mt.__add = function(a, b) return a + b end
mt.__unm = function(a) return -a end
mt.__len = function(a) return #a end
mt.__call = function(f, ...) local x = f(...) return x end

local endless = {
  function() return object().x end,
  function() object().x = 1 end,
  function() return object() == object() end,
  function() return object() < object() end,
  function() return object() <= object() end,
  function() return object() .. "x" end,
  function() return object() + 1 end,
  function() return -object() end,
  function() return #object() end,
  function() return object()() end,
}
local all = true
for i, f in ipairs(endless) do
  local m = message(f)
  if not m:find("stack overflow") then all = false print(i, m) end
end
print(all)                                        --> true

-- the program works after an overflow
print(pcall(function() return 1 + 1 end))         --> true 2

-- inside a coroutine, and in a message handler, and while closing
local co = coroutine.create(function() return object().x end)
local ok, m = coroutine.resume(co)
print(ok, m:find("stack overflow") ~= nil)        --> false true
print(coroutine.status(co))                       --> dead
local ok, m = xpcall(function() return object().x end, function(m)
  local function deep(n) return n == 0 and 0 or 1 + deep(n - 1) end
  return deep(50) .. (m:match("stack overflow") or "other")
end)
print(ok, m)                                      --> false 50stack overflow
local closed = 0
local closing = {__close = function() closed = closed + 1 end}
local ok = pcall(function()
  local function f()
    local x <close> = setmetatable({}, closing)
    f()
  end
  f()
end)
print(ok, closed > 100)                           --> false true

-- Jumps and constants in a chunk with very many of both.  They are 32-bit
-- numbers here, so nothing that fits in memory overflows.
local many = 40000
local lines = {"local x = ..."}
for i = 1, many do
  lines[#lines + 1] = "if x == " .. i .. ".5 then return 'k" .. i .. "' end"
end
lines[#lines + 1] = "return 'none'"
local f = assert(load(table.concat(lines, "\n")))
print(f(1.5), f(many + 0.5), f(0))                --> k1 k40000 none
local body = {"local n, t = 0 while n < 2 do n = n + 1"}
body[2] = "if n == 9 then goto out end"
for i = 1, many do body[#body + 1] = "t = 'c" .. i .. "'" end
body[#body + 1] = "end ::out:: return n, t"
print(assert(load(table.concat(body, "\n")))())   --> 2 c40000

-- A table with too many entries is refused, one with odd ones is not.
print(message(table.move, {1}, 1, 1, 2^53 | 0) or "moved")  --> moved
print(message(string.rep, "x", 1 << 62))          --> resulting string too large
print(message(function()
  local t = setmetatable({}, {__index = function() return 1 end})
  return table.unpack(t, 1, 1e8)
end))                                             --> too many results to unpack
print(message(function() return ("x"):rep(1e8):byte(1, -1) end))
--> stack overflow (string slice too long)
print(message(function() return string.char(table.unpack({}, 1, 1e6)) end))
--> too many results to unpack

-- Binary chunks that are read in several pieces: code, lines, a string.
do
  local function round_trip(text)
    return load(string.dump(load(text)))
  end
  local lines = {"local n = 0"}
  for i = 1, 30000 do lines[#lines + 1] = "n = n * 1 + 1" end
  lines[#lines + 1] = "return n"
  local copy = round_trip(table.concat(lines, "\n"))
  print(copy())                                   --> 30000
  local long = ("x"):rep(1 << 21)
  copy = round_trip("return '" .. long .. "'")
  print(copy() == long)                           --> true
end

-- Calls that need a little room at the very end of the stack.
do
  local idle = coroutine.create(function() while true do coroutine.yield() end end)
  local wrapped = coroutine.wrap(function() while true do coroutine.yield() end end)
  local calls = {
    function() pcall(type) end,
    function() xpcall(type, type) end,
    function() coroutine.resume(idle) end,
    function() wrapped() end,
    function() coroutine.wrap(type)(1) end,
    function() coroutine.wrap(function() end)() end,
  }
  local deepest, from = 0, math.huge
  local function descend(n, call)
    deepest = n
    if n > from then call() end
    return 1 + descend(n + 1, call)
  end
  pcall(descend, 1)
  from = deepest - 50
  local refused = 0
  for _, call in ipairs(calls) do
    local ok, e = pcall(descend, 1, call)
    if not ok and e:find("stack overflow") and deepest > from then
      refused = refused + 1
    end
    call()
  end
  print(refused, coroutine.status(idle))          --> 6 suspended
end

-- A constructor that is large before its last call adds more.
do
  local text = "return {" .. ("1,"):rep(20000) .. "...}"
  local t = load(text)(table.unpack({}, 1, 40000))
  print(#t >= 20000, t[20000], t[20001], t[60000])  --> true 1 nil nil
  local list = {}
  for i = 1, 40000 do list[i] = -i end
  t = load(text)(table.unpack(list))
  print(#t, t[1], t[20000], t[20001], t[60000])   --> 60000 1 1 -1 -40000
end

-- A coroutine at the end of its stack does not take many values.
do
  local deepest, stop = 0, math.huge
  local function descend(n)
    deepest = n
    if n == stop then return select("#", coroutine.yield(n)) end
    return (descend(n + 1))
  end
  coroutine.resume(coroutine.create(descend), 1)
  stop = deepest - 20
  local co = coroutine.create(descend)
  print(coroutine.resume(co, 1) and deepest == stop)        --> true
  print(coroutine.resume(co, table.unpack({}, 1, 1000)))
  --> false too many arguments to resume
  print(coroutine.resume(co, 1, 2))                         --> true 2
  print(coroutine.status(co))                               --> dead
end

-- Chains of __call: every object of a chain is an argument of the function at
-- its end, and the length of a chain costs time only in proportion. A cycle
-- fills the stack (lua5.4 takes hours for that).
do
  local function chain(n, f)
    for i = 1, n do f = setmetatable({name = i}, {__call = f}) end
    return f
  end
  local function spell(...)
    local t = {...}
    for i, v in ipairs(t) do t[i] = type(v) == "table" and "o" .. v.name or v end
    return table.concat(t, " ")
  end
  for n = 0, 3 do
    local o = chain(n, spell)
    local function tail(...) return o(...) end
    print(o(7, 8), tail(1, 2), pcall(o, 9))
  end
  --> 7 8 1 2 true 9
  --> o1 7 8 o1 1 2 true o1 9
  --> o1 o2 7 8 o1 o2 1 2 true o1 o2 9
  --> o1 o2 o3 7 8 o1 o2 o3 1 2 true o1 o2 o3 9
  local long = chain(100000, select)
  print(pcall(long, 1))       --> false bad argument #1 to 'select' (number expected, got table)
  print((chain(100000, function(...) return select("#", ...) end)(1, 2, 3)))  --> 100003
  print(message(chain(3, 42)))                    --> attempt to call a number value
  local cycle = setmetatable({}, {})
  getmetatable(cycle).__call = cycle
  print(message(cycle))                           --> stack overflow
  print(message(function() return cycle() end))   --> stack overflow
  print(message(function() for x in cycle do end end))  --> stack overflow
  print(message(function() cycle(1, 2, 3) end))   --> stack overflow
end
