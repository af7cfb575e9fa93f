-- SPDX-License-Identifier: MIT
-- Numbers: literals, arithmetic, conversions, comparison (manual, 3.1, 3.4)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- literals
print(3, 345, 0xff, 0xBEBADA, 0x0.1E, 0xA23p-4, 0X1.921FB54442D18P+1)
--> 3 345 255 12499674 0.1171875 162.1875 3.1415926535898
print(3.0, 3.1416, 314.16e-2, 0.31416E1, 34e1, .5, 5.)
--> 3.0 3.1416 3.1416 3.1416 340.0 0.5 5.0
print(0xffffffffffffffff, 0x7fffffffffffffff, 0x1ffffffffffffffff)
--> -1 9223372036854775807 -1
print(9223372036854775807, 9223372036854775808, 1e308 * 10)
--> 9223372036854775807 9.2233720368548e+18 inf
print(1e15, 1e16, 123456789012345.0, 2^53, 1e100)
--> 1e+15 1e+16 1.2345678901234e+14 9.007199254741e+15 1e+100
print(-0.0, 0.0, 100.0, 1e14, -1e14)
--> -0.0 0.0 100.0 1e+14 -1e+14

-- arithmetic: integers stay integers, / and ^ are always floats
print(7 + 2, 7 - 2, 7 * 2, 7 / 2, 7 // 2, 7 % 2, 7 ^ 2, -7)
--> 9 5 14 3.5 3 1 49.0 -7
print(7.0 + 2, 7 // 2.0, 7 % 2.0, 2^-1, 8 / 2)    --> 9.0 3.0 1.0 0.5 4.0
print(-7 // 2, -7 % 2, 7 // -2, 7 % -2, -7 % -2)  --> -4 1 -4 -1 -1
print(-7.5 // 2, -7.5 % 2, 5.5 % -2, 1e308 + 1e308)
--> -4.0 0.5 -0.5 inf
print(1 // 0.0, -1 // 0.0, 1 % math.huge, -1 % math.huge)
--> inf -inf 1.0 inf
print(0/0 ~= 0/0, 1/0 > math.maxinteger, 5 % -math.huge)      --> true true -inf
print(fails(function() return 1 // 0 end))
-->~ attempt to divide by zero$
print(fails(function() return 1 % 0 end))
-->~ attempt to perform 'n%%0'$
print(math.maxinteger + 1 == math.mininteger, math.mininteger // -1, math.mininteger % -1)
--> true -9223372036854775808 0
print(math.maxinteger * 2, math.maxinteger * 2.0) --> -2 1.844674407371e+19
print(2^3^2, -2^2, (2^3)^2, not nil == true)      --> 512.0 -4.0 64.0 true

-- bitwise operators work on 64 bits
print(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 4, 256 >> 4)  --> 1 7 6 -6 16 16
print(-1 >> 60, -1 << 63, 1 << 64, 1 << 63, 1 >> -1, 1 << -1)
--> 15 -9223372036854775808 0 -9223372036854775808 2 0
print(3.0 & 1, 2^53 | 0)                          --> 1 9007199254740992
print(fails(function() return 1.5 & 1 end))
-->~ number has no integer representation$
print(fails(function() return 2^63 | 0 end))
-->~ number has no integer representation$
print(fails(function() return {} & 1 end))
-->~ attempt to perform bitwise operation on a table value$
print(1 | 2 & 3 ~ 4 << 1, 1 + 1 << 2 & 0xF)       --> 11 8

-- comparison is by value, for both types of number
print(1 == 1.0, 1 < 1.5, 2^53 == 2^53 + 1, math.maxinteger < 2^63)
--> true true true true
print(math.maxinteger + 0.0 == math.maxinteger, math.maxinteger + 0.0 == 2^63)
--> false true
print(math.mininteger == -2^63, 1 < 0/0, 1 > 0/0, 0/0 == 0/0)
--> true false false false
print("10" == 10, "abc" < "abd", 1 ~= 1.0)        --> false true false
print(9007199254740993 == 9007199254740992.0, 9007199254740993 < 9007199254740992.0)
--> false false
print(math.maxinteger <= math.huge, math.mininteger >= -math.huge, -0.0 == 0.0)
--> true true true

-- conversions
print(10 .. "", 1.0 .. "", -0.0 .. "", 2^63 .. "")
--> 10 1.0 -0.0 9.2233720368548e+18
print("0x10" + 0, "1e2" * 1, " 5 " + 1, "0x.8" + 0) --> 16 100.0 6 0.5
print(math.tointeger("0x10"), 3 | 0, 10 // 3.0)   --> 16 3 3.0
local t = {}
t[1.0] = "a"; t[2^53] = "b"
print(t[1], t[2^53 | 0], next({[3.0] = true}))    --> a b 3 true
print(#{[1] = 1, [2.0] = 2})                      --> 2

-- for loops
for i = 1, 3 do io.write(i, " ") end
for i = 3, 1, -1 do io.write(i, " ") end
for i = 1, 0 do io.write("never") end
for i = 1.0, 2 do io.write(i, " ") end
for i = 1, 2, 0.5 do io.write(i, " ") end print() --> 1 2 3 3 2 1 1 2 1 1.5 2
for i = math.maxinteger - 1, math.maxinteger do io.write(i, " ") end
for i = math.mininteger, math.mininteger + 1 do io.write(i, " ") end print()
--> 9223372036854775806 9223372036854775807 -9223372036854775808 -9223372036854775807
for i = 1, math.huge do if i > 3 then break end io.write(i, " ") end
for i = 3, -math.huge, -1 do if i < 1 then break end io.write(i, " ") end print()
--> 1 2 3 3 2 1
print(fails(function() for i = 1, 10, 0 do end end))    -->~ 'for' step is zero$
print(fails(function() for i = "a", 10 do end end))
-->~ bad 'for' initial value %(number expected, got string%)$
print(fails(function() for i = 1, {} do end end))
-->~ bad 'for' limit %(number expected, got table%)$
print(fails(function() for i = 1, 2, "x" do end end))
-->~ bad 'for' step %(number expected, got string%)$

-- remainders of small constants, powers of two among them
for _, x in ipairs {-7, -1, 0, 5, 127, math.mininteger, math.maxinteger} do
  io.write(x % 1, " ", x % 2, " ", x % 3, " ", x % 64, " ", x % 100, "\n")
end
--> 0 1 2 57 93
--> 0 1 2 63 99
--> 0 0 0 0 0
--> 0 1 2 5 5
--> 0 1 1 63 27
--> 0 0 1 0 92
--> 0 1 1 63 7
local half = -7.5
print(half % 2, half % 3, half % 1)               --> 0.5 1.5 0.5

-- By a power of two, of other values.
local function remainders(x) return x % 1, x % 8, x % 64 end
print(remainders(-2.5))                           --> 0.5 5.5 61.5
print(remainders("-11"))                          --> 0 5 53
print(pcall(remainders, {}))
-->~ ^false .*attempt to perform arithmetic on a table value %(local 'x'%)$
