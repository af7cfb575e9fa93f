-- SPDX-License-Identifier: MIT
--
-- forms.lua -- what the translation of luac's chunks has to tell apart
--
-- Run from a chunk (programs), with the expectations of tests/language/lang.

-- Operands: registers, small and large integers, floats, on both sides.
local x <close>, n, f = nil, 7, 2.5
print(n + 1, 1 + n, n + 128, n + -127, n - 128, n - 127)  --> 8 8 135 -120 -121 -120
print(n + 1000, 1000 + n, n - 1000, 1000 - n)      --> 1007 1007 -993 993
print(n * 3, 3 * n, n * 1000, 1000 * n, 100 - n)   --> 21 21 7000 7000 93
print(n + 1.5, 1.5 + n, n - 1.5, 1.5 - n, 2.0 * n) --> 8.5 8.5 5.5 -5.5 14.0
print(n / 2, n / 2.0, n / 3, 3 / n == 3 / 7, 1.5 / f)   --> 3.5 3.5 2.3333333333333 true 0.6
print(n % 3, n % -3, n % 4, n % 1000, n % 2.5, 1000 % n) --> 1 -2 3 7 2.0 6
print(n // 2, n // -2, n // 1000, n // 2.0, 1000 // n)  --> 3 -4 0 3.0 142
print(n ^ 2, 2 ^ n, n ^ 0.5 == 7 ^ 0.5, n ^ 1000, 1000 ^ n)
--> 49.0 128.0 true inf 1e+21
print(n & 3, 3 & n, n | 8, 1000 | n, n ~ 1, 1 ~ n, n & 3.0) --> 3 3 15 1007 6 6 3
print(n << 2, 2 << n, n >> 1, 1 >> n, n << 64, n >> -1, n << -1, n << 100, 1000 << n)
--> 28 256 3 0 0 14 3 0 128000
print(pcall(function() return n % 0 end))
-->~ attempt to perform 'n%%0'
print(pcall(function() return n // 0 end))
-->~ attempt to divide by zero
print(65535 + n, 65536 + n, 65537 + n, -65536 + n, 32768 + f, 70000.0 + f)
--> 65542 65543 65544 -65529 32770.5 70002.5
local large, larger, float = 65536, -65535, 65536.0
print(large, larger, float)                        --> 65536 -65535 65536.0

-- Metamethods get the operands as they were written.
local function name(v) return type(v) == "table" and "t" or tostring(v) end
local t = {}
for _, e in ipairs {"add", "sub", "mul", "div", "mod", "pow", "idiv", "band", "bor",
    "bxor", "shl", "shr", "concat", "lt", "le"} do
  t["__" .. e] = function(a, b) return e .. " " .. name(a) .. " " .. name(b) end
end
setmetatable(t, t)
print(t + 1, 1 + t, t - 1, 1 - t, t + 1000, 1000 + t, t - 1000)
--> add t 1 add 1 t sub t 1 sub 1 t add t 1000 add 1000 t sub t 1000
print(t * 2.5, 2.5 * t, t / 2, 2 / t, t % 2, 2 % t, t ^ 2, 2 ^ t, t // 2, 2 // t)
--> mul t 2.5 mul 2.5 t div t 2 div 2 t mod t 2 mod 2 t pow t 2 pow 2 t idiv t 2 idiv 2 t
print(t & 2, 2 & t, t | 2, 2 | t, t ~ 2, 2 ~ t, t << 2, 2 << t, t >> 2, 2 >> t)
--> band t 2 band 2 t bor t 2 bor 2 t bxor t 2 bxor 2 t shl t 2 shl 2 t shr t 2 shr 2 t
print(t .. 1, 1 .. t, t < 1, 1 < t, t <= 1.5, t > 1, t >= 1)
--> concat t 1 concat 1 t true true true true true

-- Comparisons with all kinds of constants, both ways.
local nothing, s = nil, "short"
local long = ("long"):rep(20)
print(n == 7, n ~= 7, n == 7.0, n == 7000, n == nil, nothing == nil, n == false)
--> true false true false false true false
print(s == "short", s ~= "short", s == "other", long == "longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong")
--> true false false true
print(n < 8, n <= 7, n > 7, n >= 7, 8 < n, 7 <= n, n < 7.5, not (n < 8), n < 1000)
--> true true false true false true true false true
print(n and s, nothing and s, n or s, nothing or s, nothing == nil and 1 or 2, not n)
--> short nil 7 short 1 false

-- Tables: keys and values that are registers, integers, names, long strings.
local k <const>, key = "name", "key"
local r = {1, 2, nil, 4, name = 5, [key] = 6, [300] = 7, [k .. "d"] = 8}
r.field, r[1], r[300], r[key] = nil, "one", 3.5, true
r["a name that is longer than forty characters, so no short string"] = 9
r[2] = 1000000
print(r[1], r[2], r[3], r[4], r.name, r.key, r[300], r.named, #r)
--> one 1000000 nil 4 5 true 3.5 8 4
print(r["a name that is longer than forty characters, so no short string"])  --> 9
local many = {
  1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,10,
  1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,10, table.unpack({1, 2, 3})}
print(#many, many[51], many[73])                   --> 73 1 3
local object = {a_method_with_a_name_of_more_than_forty_bytes = function(self, v) return self.v + v end, v = 1}
print(object:a_method_with_a_name_of_more_than_forty_bytes(2), ("x"):rep(3))  --> 3 xxx

-- A constructor ends where the program sees the table.
local function shown(a, o) return tostring(a) .. tostring(o.w) .. tostring(o.x) end
local function build(a, way)
  local o = {x = 1, y = a, z = {a = a, b = a}}
  if way == 1 then o.w = shown(a, o) end
  if way == 2 then local p = o o.w = p.w end
  if way == 3 then o.w = (function() return o.w end)() end
  return o
end
local function build_more(a)
  local o = {x = a, y = a + 1, z = -a}
  local s = shown(a, o)
  o.w = s
  local q = {x = 1, y = 2, z = 3}
  q.w = rawlen(q) + (q.w or 5)
  local r = {x = nil, y = a and 2, z = shown(a, o), [a] = 1}
  return o.w, q.w, r.x, r.y, r.z, r[a]
end
print(build(1, 1).w, build(1, 2).w, build(1, 3).w, build(2).z.b)  --> 1nil1 nil nil 2
print(build_more(7))                               --> 7nil7 5 nil 2 77nil77 1
local function fields(o)
  local names = {}
  for name in pairs(o) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, " ")
end
local function optional(a) return {x = a, y = nil, z = a} end
print(fields(optional(1)), fields(optional()), next(optional()))  --> x z  nil

-- Loops: steps, variables that are assigned or captured, ways out.
for i = 1, 3 do i = i * 10 io.write(i, " ") end
for i = 3, 1, -1 do io.write(i, " ") end
for i = 1.0, 2 do io.write(i, " ") end
for i = 1, 9, 4 do io.write(i, " ") end
local kept = {}
for i = 1, 3 do kept[i] = function() i = i + 1 return i end end
print(kept[1](), kept[1](), kept[3]())
--> 10 20 30 3 2 1 1 2 1 5 9 2 3 4
for a, b in pairs {x = 1} do
  local function both() return a, b end
  print(both())                                    --> x 1
  break
end
local closing = setmetatable({}, {__close = function() io.write "closed " end})
for v in next, {5}, nil, closing do
  local captured = function() return v end
  if captured() then break end
end
for _ in next, {5}, nil, closing do end
print "after"                                      --> closed closed after
do
  local i = 0
  ::again::
  i = i + 1
  local late <close> = setmetatable({}, {__close = function() io.write(i, " ") end})
  local up = function() return i end
  if up() < 3 then goto again end
end
repeat local v = n n = n - 1 local up = function() return v end until up() < 6
print(n)                                           --> 1 2 3 4

-- Open values.
local function values(...) return ... end
local function pass(...)
  local a, b = ...
  return select("#", ...), a, b, (select(-1, ...)), values(...)
end
print(pass(1, nil, 3))                             --> 3 1 nil 3 1 nil 3
print((values(1, 2)), #{values(1, 2, 3)})             --> 1 3
print(pcall(function() string.rep() end))
-->~ bad argument #1 to 'rep' %(string expected, got no value%)

-- Names and lines in messages.
print(pcall(function() local lost = nothing return lost.field end))
-->~ forms.lua:%d+: attempt to index a nil value %(local 'lost'%)
print(pcall(function() return nothing.field end))
-->~ attempt to index a nil value %(upvalue 'nothing'%)
print(pcall(function() return undefined.field end))
-->~ attempt to index a nil value %(global 'undefined'%)
print(pcall(function() return r.none.field end))
-->~ attempt to index a nil value %(field 'none'%)
print(pcall(function() return r:none() end))
-->~ attempt to call a nil value %(method 'none'%)
print(pcall(function() return 1 + r end))
-->~ attempt to perform arithmetic on a table value %(upvalue 'r'%)
print(debug.getinfo(1, "l").currentline, debug.getlocal(1, 2))  --> 160 n 4
