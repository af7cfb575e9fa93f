-- SPDX-License-Identifier: MIT
-- Loops: where they end, what they call, and loops in turn.

local function collect(...)
  local list = {}
  for k, v in ... do list[#list + 1] = k .. "=" .. tostring(v) end
  return table.concat(list, " ")
end

-- The end of ipairs: in the array, behind it, in the hash, in a metatable.
print(collect(ipairs {}) == "")                   --> true
print(collect(ipairs { 1, 2, 3 }))                --> 1=1 2=2 3=3
print(collect(ipairs { 1, nil, 3 }))              --> 1=1
print(collect(ipairs { [1] = "a", [2] = "b", [4] = "d" })) --> 1=a 2=b
local reversed = {}
for i = 1, 5 do reversed[6 - i] = i end
print(collect(ipairs(reversed)))                  --> 1=5 2=4 3=3 4=2 5=1
local function up_to(n)
  return function(_, i) if i <= n then return i * 10 end end
end
print(collect(ipairs(setmetatable({ 1 }, { __index = up_to(3) }))))
--> 1=1 2=20 3=30
print(collect(ipairs(setmetatable({ 1 }, { __index = { 7, 8 } }))))
--> 1=1 2=8
print(collect(ipairs(setmetatable({ 1, 2 }, {}))))  --> 1=1 2=2
print(collect(ipairs(setmetatable({ 1, 2 }, { __mode = "k" })))) --> 1=1 2=2
for i, v, more in ipairs { "a" } do print(i, v, more) end --> 1 a nil
local shrinking = { 1, 2, 3, 4, 5, 6 }
local seen = 0
for i in ipairs(shrinking) do
  seen = seen + 1
  shrinking[#shrinking] = nil
end
print(seen)                                       --> 3
local grown, count = {}, 0
for i = 1, 100000 do grown[i] = i end
for _ in ipairs(grown) do count = count + 1 end
print(count)                                      --> 100000

-- Iterators in Lua: more and fewer results than variables, varargs, errors,
-- yields, and a closing value.
local function numbers(n)
  local i = 0
  return function()
    i = i + 1
    if i <= n then return i end
  end
end
print(collect(numbers(3)))                        --> 1=nil 2=nil 3=nil
local function pairs_of(...)
  local list = { ... }
  return function(_, i)
    if i < #list then return i + 1, list[i + 1], "not used" end
  end, nil, 0
end
print(collect(pairs_of("x", "y")))                --> 1=x 2=y
print(pcall(function()
  for _ in function() error("stopped", 0) end do end
end))                                             --> false stopped
local co = coroutine.wrap(function()
  for i in function(_, i) return coroutine.yield(i) end, nil, 0 do
    if i == 3 then return "end" end
  end
end)
print(co(), co(1), co(2), co(3))                  --> 0 1 2 end
local closed
for i in numbers(2), nil, nil,
    setmetatable({}, { __close = function() closed = true end }) do end
print(closed)                                     --> true
local calls = 0
debug.sethook(function() calls = calls + 1 end, "c")
for _ in numbers(4) do end
debug.sethook()
print(calls >= 6)                                 --> true

-- Varargs: passed on, more than there are, none, after fixed parameters, and
-- many, so that the stack has to grow.
local function pass(...) return ... end
local function tail(...) return pass(...) end
local function fixed(a, b, ...)
  local c, d = ...
  return a, b, c, d, select("#", ...)
end
print(tail(1, nil, 3))                            --> 1 nil 3
print(select("#", tail()), select("#", tail(nil, nil))) --> 0 2
print(fixed(1))                                   --> 1 nil nil nil 0
print(fixed(1, 2, 3))                             --> 1 2 3 nil 1
print(fixed(1, 2, 3, 4, 5))                       --> 1 2 3 4 3
local many = {}
for i = 1, 50000 do many[i] = i end
print(select("#", tail(table.unpack(many))))      --> 50000
local function deep(n, ...)
  if n == 0 then return select("#", ...) end
  return (deep(n - 1, n, ...))
end
print(deep(200))                                  --> 200
local function endless(n, ...)
  if n == 0 then return ... end
  return endless(n - 1, ...)
end
print(endless(100000, "the", "same"))             --> the same
print(pcall(function(...)
  local function f(...) return 1, f(...) end
  return f(...)
end, 1, 2, 3) == false)                           --> true

-- Loops in turn: each jumps back to another place than the one before.
local trace = {}
for i = 1, 3 do
  local j = 0
  while j < i do
    j = j + 1
    for k = j, 1, -1 do trace[#trace + 1] = i * 100 + j * 10 + k end
  end
  repeat j = j - 1 trace[#trace + 1] = j until j <= 0
  ::again::
  if #trace % 5 ~= 0 then
    trace[#trace + 1] = "."
    goto again
  end
end
print(table.concat(trace, " "))
--> 111 0 . . . 211 222 221 1 0 311 322 321 333 332 331 2 1 0 .
local function loop(n)
  return coroutine.wrap(function()
    for i = 1, n do
      for j = 1, 2 do coroutine.yield(i * 10 + j) end
    end
  end)
end
local a, b, sum = loop(50), loop(60), 0
for i = 1, 100 do sum = sum * 3 % 1000003 + a() + b() end
print(sum)                                        --> 371369
