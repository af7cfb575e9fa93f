-- SPDX-License-Identifier: MIT
-- string.dump and loading its result (manual 6.4).
local function round(f, strip)
return load(string.dump(f, strip), "=dumped", "b") end
print(round(function() return 1, "two", 3.5, nil, true, false end)())
print(round(function(...) return select("#", ...), ... end)(1, nil, 3))
local up = 5 local g = round(function() return up end) print(pcall(g))
print(debug.setupvalue(g, 1, 7)) print(pcall(g))
print(pcall(round(function() return x end)))
print(round(load "return _ENV == _G")())
print(pcall(round(function() print("no env") end)))
print(round(function(n) local function fib(k) if k < 2 then return k end return
  fib(k - 1) + fib(k - 2) end return fib(n) end)(15))
print(pcall(round(function() error("with lines") end)))
print(pcall(round(function() error("stripped") end, true)))
print(pcall(round(function() local t = {} return t.x.y end, true)))
print(pcall(round(function() local t = {} return t.x.y end, false)))
local s =
  string.dump(load("local a, b = 1, 2 return a + b, debug.getinfo(1, 'Sl')",
  "@name.lua")) local a, info = load(s)()
print(a, info.source, info.currentline, info.short_src) s =
  string.dump(load("local a, b = 1, 2 return a + b, debug.getinfo(1, 'Sl')",
  "@name.lua"), true) a, info = load(s)()
print(a, info.source, info.currentline, info.short_src)
print(debug.getlocal(round(function(p, q) end), 1),
  debug.getlocal(round(function(p, q) end, true), 1))
print(debug.getupvalue(round(function() return up end), 1),
  debug.getupvalue(round(function() return up end, true), 1))
print(pcall(string.dump, print)) print(pcall(string.dump))
print(pcall(string.dump, "x"))
print(#string.dump(function() end) > 0, string.dump(function() end):sub(1, 4) ==
  "\27Lua", #string.dump(function(a, b) local c = a + b return c end, true) <
  #string.dump(function(a, b) local c = a + b return c end)) s =
  string.dump(function() return {1, 2, x = "y", [5] = {}}, ("z"):rep(3),
  0x7fffffffffffffff, -0.0, 1e100, "\0\n", ("long"):rep(1) end)
local t, z, m, neg, e, n = load(s)() print(#t, t.x, z, m, neg, e, #n)
for i = 1, #s - 1, 7 do
local ok, err = load(s:sub(1, i), "=cut", "b")
  assert(not ok and err:match "truncated") end print(load(s:sub(1, 10), "=cut"))
print(round(function() goto l do return 1 end ::l:: for i = 1, 3 do if i == 2
  then return i, "from loop" end end end)())
print(round(function() local x <const> = 5 local r = {} do local c <close> =
  setmetatable({}, {__close = function() r[1] = "closed" end}) end return x,
  r[1] end))
print(pcall(round(function(...) local setmetatable = ... local r = {} do local c
  <close> = setmetatable({}, {__close = function() r[1] = "closed" end}) end
  return r[1] end), setmetatable))
local co = coroutine.wrap(round(function(yield) yield(1) yield(2) return 3 end))
print(co(coroutine.yield), co(), co())
print(round(function(a, b) return a // b, a % b, a & b, a | b, a ~ b, a << b, a
  >> b, ~a, -a, not a, #"x", a .. b, a < b, a <= b, a == b end)(7, 2))
