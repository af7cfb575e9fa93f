-- SPDX-License-Identifier: MIT
-- Fields and elements through metatables, and numbers of both kinds: the fast
-- paths of the interpreter loop, and their limits.

-- Chains of __index, read in every way, with lengths around every limit.
local function chain(n, last)
  for _ = 1, n do last = setmetatable({}, { __index = last }) end
  return last
end
local k = "v"
for _, n in ipairs { 1, 2, 7, 8, 9, 10, 100, 1990 } do
  local o = chain(n, { v = 1, [1] = 2, m = function(self) return self end })
  assert(o.v == 1 and o[k] == 1 and o[1] == 2 and o:m() == o and o.zz == nil)
  local called
  local f = chain(n, setmetatable({}, { __index = function(t, key)
    called = t
    return function() return key end
  end }))
  assert(f.v() == "v" and f[k]() == "v" and f[1]() == 1 and f:w() == "w")
  assert(called ~= f or n == 0)
end
print(pcall(function() return chain(2001, {}).v end))
-->~ '__index' chain too long; possible loop$
print(pcall(function() return chain(2001, {})[k] end))
-->~ '__index' chain too long; possible loop$
local loop = {}
setmetatable(loop, { __index = loop, __newindex = loop })
print(pcall(function() return loop.v end))
-->~ '__index' chain too long; possible loop$
print(pcall(function() loop.v = 1 end))
-->~ '__newindex' chain too long; possible loop$

-- The same of __newindex.
local function write_chain(n, last)
  for _ = 1, n do last = setmetatable({}, { __newindex = last }) end
  return last
end
for _, n in ipairs { 1, 2, 8, 9, 100 } do
  local store = {}
  local o = write_chain(n, store)
  o.v = 1; o[1] = 2; o.v = 3; o[2.0] = 4; o[k .. k] = 5
  assert(store.v == 3 and store[1] == 2 and store[2] == 4 and store.vv == 5)
  assert(rawget(o, "v") == nil and next(o) == nil)
  local seen
  local f = write_chain(n, setmetatable({}, { __newindex =
    function(t, key, value) seen = key .. "=" .. value; return 1, 2 end }))
  f.v = 7; assert(seen == "v=7")
  f[1] = 8; assert(seen == "1=8")
  local function set(t, ...) t.x = ... end
  set(f, 9); assert(seen == "x=9")
end

-- A metamethod that is added, changed and removed.
local mt = {}
local o = setmetatable({}, mt)
local function read() return o.v end
print(read())                                               --> nil
mt.__index = { v = 1 }; print(read())                       --> 1
mt.__index = function() return 2 end; print(read())         --> 2
mt.__index = nil; print(read())                             --> nil
local function write() o.w = 5; local r = rawget(o, "w"); o.w = nil; return r end
print(write())                                              --> 5
local other = {}
mt.__newindex = other; print(write(), other.w)              --> nil nil
mt.__newindex = function(_, key) other[key] = "f" end
print(write(), other.w)                                     --> nil f
mt.__newindex = nil; print(write())                         --> 5

-- __eq that is absent, present, and present only in the other operand.
local a, b = setmetatable({}, mt), setmetatable({}, {})
local function same() return a == b, a ~= b end
print(same())                                               --> false true
mt.__eq = function() return true end; print(same())         --> true false
mt.__eq = nil; print(same())                                --> false true
getmetatable(b).__eq = function() return 1 end
print(same())                                               --> true false

-- Metamethods that return no value, or several.
local none = setmetatable({}, { __index = function() end,
  __lt = function() end, __eq = function() return nil, true end,
  __len = function() return 7, 8 end, __concat = function() end })
print(none.v, none[1], none < {}, none == setmetatable({}, getmetatable(none)),
      #none, none .. "x")                  --> nil nil false false 7 nil

-- Integers and floats near the limits of a float's precision.
local big = 1 << 53
for _, d in ipairs { -2, -1, 0, 1, 2 } do
  for _, sign in ipairs { 1, -1 } do
    local i, f = sign * (big + d), sign * (big + 0.0)
    local exact = sign * d
    assert((i < f) == (exact < 0) and (i <= f) == (exact <= 0))
    assert((i > f) == (exact > 0) and (i >= f) == (exact >= 0))
    assert((i == f) == (d == 0) and (i ~= f) == (d ~= 0))
    assert((f < i) == (exact > 0) and (f <= i) == (exact >= 0))
  end
end
local nan, inf = 0 / 0, math.huge
for _, i in ipairs { 0, 1, -1, math.maxinteger, math.mininteger } do
  assert(not (i < nan) and not (nan < i) and not (i <= nan) and i ~= nan)
  assert(i < inf and -inf < i and i ~= inf and not (inf <= i))
end
assert(math.maxinteger < 0x1p63 and math.maxinteger ~= 0x1p63)
assert(math.mininteger == -0x1p63 and math.mininteger <= -0x1p63)

-- Bits of floats.
local function bits(x, y) return x & y, x | y, x ~ y, x << y, x >> y, ~x end
print(bits(6.0, 3))                        --> 2 7 5 48 0 -7
print(bits(6, 3.0))                        --> 2 7 5 48 0 -7
print((6.0 & 5) | 1, (2.0 ^ 31 | 0) >> 3)  --> 5 268435456
for _, bad in ipairs { 1.5, nan, inf, 0x1p63, -0x1p64 } do
  local ok, message = pcall(bits, bad, 1)
  assert(not ok and message:find("has no integer representation"))
  assert(not pcall(bits, 1, bad))
  assert(not pcall(function() return ~bad end))
  assert(not pcall(function() return bad & 1 end))
end
print(-0x1p63 | 0 == math.mininteger)      --> true

-- Strings in order.
print("a" < "b", "a" <= "a", "b" < "a", "" < "a", "a\0b" < "a\0c",
      "a\0" <= "a", not ("a" < "b"))
--> true true false true true false false
print(pcall(function() return "a" < 1 end))
-->~ attempt to compare string with number$

-- An assignment to a key that a growing table has calls no __newindex.
do
  local calls = 0
  local meta = { __newindex = function() calls = calls + 1 end }
  for count = 33, 8600, 100 do
    local t = {}
    for i = 1, count do t[i * 7] = i end
    setmetatable(t, meta)
    for i = count, 1, -1 do t[i * 7] = 0 end
    for i = 1, count do
      local key = i * 7
      t[key] = 1
    end
  end
  print(calls)                                    --> 0
end
