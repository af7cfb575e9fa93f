-- SPDX-License-Identifier: MIT
-- Which lines a line hook sees, in programs of several lines and of one

local function trace(name, src)
  local f = assert(load(src, "=" .. name))
  local t = {}
  debug.sethook(function(e, l) t[#t + 1] = l end, "l")
  local ok, e = pcall(f)
  debug.sethook()
  print(name, table.concat(t, " "))
end
-- A dumped and loaded function keeps its debug information.
local function both(name, src)
  trace(name, src)
  trace(name .. " dumped", string.dump(load(src, "=" .. name)))
  trace(name .. " in one", (src:gsub("\n", " ")))
end
both("while", "local i = 0\nwhile i < 3 do i = i + 1 end\nlocal x")
both("while2", "local i = 0\nwhile i < 3 do\n i = i + 1\nend\nlocal x")
both("while3", "local i = 0\nwhile\n i < 3\ndo\n i = i + 1\nend\nlocal x")
both("whiletrue", [[
local i = 0
while true do i = i + 1 if i > 3 then break end end
local x]])
both("whiletrue2", [[
local i = 0
while true do
 i = i + 1
 if i > 3 then
 break
 end
 end
local x]])
both("while empty", [[
local i = 0
local function f() i = i + 1 return i < 4 end while f() do end
local x]])
both("for", "for i = 1, 3 do local x = i end\nlocal x")
both("forempty", "for i = 1, 3 do end\nlocal x")
both("for2", "for i = 1, 3 do\n local x = i\nend\nlocal x")
both("for3", "for i = 1,\n 3 do\n local x = i\nend\nlocal x")
both("for4", "for i = 1, 3 do\nend\nlocal x")
both("for5", "for i = 1, 0 do\n local x = i\nend\nlocal x")
both("forfloat", "for i = 1.0, 3 do\n local x = i\nend\nlocal x")
both("forstep", "for i = 3, 1, -1 do\n local x = i\nend\nlocal x")
both("forin", "for k, v in pairs{1,2,3} do local x = k end\nlocal x")
both("forinempty", "for k, v in pairs{1,2,3} do end\nlocal x")
both("forin2", "for k, v in pairs{1,2,3} do\n local x = k\nend\nlocal x")
both("forin3", "for k, v in\n pairs{1,2,3} do\n local x = k\nend\nlocal x")
both("forin4", "for k, v in next, {1,2,3} do\n local x = k\nend\nlocal x")
both("forini", "for k, v in ipairs{1,2,3} do\n local x = k\nend\nlocal x")
both("forinz", "for k, v in pairs{} do\n local x = k\nend\nlocal x")
both("repeat", "local i = 0 repeat i = i + 1 until i > 3\nlocal x")
both("repeat2", "local i = 0\nrepeat\n i = i + 1\nuntil i > 3\nlocal x")
both("repeat3", [[
local i = 0
repeat
 local j = i
 i = i + 1
 local function f() return j end
until i > 3
local x]])
both("goto", [[
local i = 0
::top::
i = i + 1
if i < 3 then goto top end
local x]])
both("goto1", [[
local i = 0
::top:: i = i + 1 if i < 3 then goto top end
local x]])
both("goto2", [[
local i = 0
goto a
::b::
i = 2
goto c
::a::
i = 1
goto b
::c::
local x]])
both("if", [[
local a = 1
if a == 1 then
 a = 2
elseif a == 2 then
 a = 3
else
 a = 4
end
local x]])
both("if2", [[
local a = 3
if a == 1 then
 a = 2
elseif a == 2 then
 a = 3
else
 a = 4
end
local x]])
both("if3", [[
local a = 3
if a == 1
 and a == 2
 or a == 3 then
 a = 2
end
local x]])
both("call", [[
local function f(a)
 return a
end
local x = f(
 1
)
f(f(
 2))
local y]])
both("table", [[
local t = {
 1,
 2,
 a = 3,
 b =
 4,
}
local x = t
.a
local y]])
both("table2", [[
local t = {
 {1,
 2},
 f = function()
 return 1
 end,
}
t.f()
local y]])
both("concat", "local a = 'x'\n..'y'\n..tostring(1)\nlocal y")
both("arith", "local a = 1\nlocal b = a\n + 2\n * a\n - a\nlocal y")
both("func", "local function f()\nend\nf()\nf()\nlocal y")
both("func2", "local f = function()\n\n end\nf()\nf()\nlocal y")
both("close", [[
do
 local x <close> = setmetatable({}, {__close = function()
 end})
 local y = 1
end
local z]])
both("nested", [[
for i = 1, 2 do for j = 1, 2 do
 local x = i + j
end end
local z]])
both("nested1", [[
for i = 1, 2 do
for j = 1, 2 do local x = i + j end
end
local z]])
both("whilenest", [[
local i = 0 while i < 2 do local j = 0 while j < 2 do j = j + 1 end i = i+1 end
local z]])
both("whileand", [[
local i = 0
while i < 2 and i ~= 5 do
 i = i + 1
end
local z]])
both("whileor", "local i = 0\nwhile i < 2 or i == 2 do i = i + 1 end\nlocal z")
both("vararg", [[
local function f(...)
 local a, b = ...
 return ...
end
f(1,
2)
local z]])
both("tail", [[
local function f(n)
 if n == 0 then return 1 end
 return f(n - 1)
end
f(3)
local z]])
both("meta", [[
local t = setmetatable({}, {__index = function(t, k)
 return k
end, __add = function(a, b)
 return 1
end})
local a = t.x
local b = t + 1
local z]])
both("co", [[
local co = coroutine.wrap(function()
 coroutine.yield(1)
 coroutine.yield(2)
end)
co()
co()
local z]])
both("multi", "local a, b\na,\nb\n=\n1,\n2\nlocal z")
both("not", "local a = not\n true\nlocal b = -\n 1\nlocal z")
both("cmp", "local a = 1\nlocal b = a ==\n 1\nlocal c = a\n <\n 2\nlocal z")
both("andor", "local a = 1\nlocal b = a and\n 2 or\n 3\nlocal z")
both("ret", [[
local function f()
 return
 1,
 2
end
local a,
 b = f()
return
 a]])
both("semis", ";;\nlocal a = 1;\n;\nlocal b = 2;;")
both("upv", [[
local a = 1
local function f()
 a = a + 1
 return a
end
f()
local z]])
