-- SPDX-License-Identifier: MIT
-- The math library (manual, 6.7)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- constants
print(math.pi, math.huge, -math.huge)             --> 3.1415926535898 inf -inf
print(math.maxinteger, math.mininteger)
--> 9223372036854775807 -9223372036854775808
print(math.maxinteger + 1 == math.mininteger)     --> true

-- integers and floats
print(math.type(1), math.type(1.0), math.type("1"))
--> integer float nil
print(fails(math.type))
--> bad argument #1 to 'math.type' (value expected)
print(math.tointeger(3.0), math.tointeger("8"), math.tointeger(3.5)) --> 3 8 nil
print(math.tointeger(2^63), math.tointeger({}), math.tointeger("x"))
--> nil nil nil
print(math.floor(3.7), math.floor(-3.7), math.floor(5), math.floor(1e300))
--> 3 -4 5 1e+300
print(math.ceil(3.2), math.ceil(-3.2), math.ceil(5), math.ceil(-0.5))
--> 4 -3 5 0
print(math.floor("3.7"))                          --> 3
print(fails(math.floor, "x"))
--> bad argument #1 to 'math.floor' (number expected, got string)
print(math.modf(3.7))                             --> 3 0.7
print(math.modf(-3.5))                            --> -3 -0.5
print(math.modf(5), math.modf(5.0))               --> 5 5 0.0
print(math.modf(1/0))                             --> inf 0.0
print(math.fmod(7, 3), math.fmod(-7, 3), math.fmod(7, -3))       --> 1 -1 1
print(math.fmod(5.5, 2), math.fmod(-6, 2.5))      --> 1.5 -1.0
print(math.fmod(math.mininteger, -1), math.fmod(3, 1/0))         --> 0 3.0
print(fails(math.fmod, 1, 0))
--> bad argument #2 to 'math.fmod' (zero)
print(math.fmod(1, 0.0) ~= math.fmod(1, 0.0))     --> true
print(math.abs(-5), math.abs(-0.5), math.abs(math.mininteger))
--> 5 0.5 -9223372036854775808
print(math.ult(1, 2), math.ult(-1, 2), math.ult(1, -1))
--> true false true
print(fails(math.ult, 1.5, 2))
--> bad argument #1 to 'math.ult' (number has no integer representation)

-- max and min
print(math.max(1, 2.5, -3), math.min(1, 2.5, -3), math.max(7))   --> 2.5 -3 7
print(math.max(2, 2.0), math.min(2.0, 2))         --> 2 2.0
print(math.type(math.max(1, 2)), math.type(math.max(1, 2.0)))
--> integer float
print(fails(math.max))     --> bad argument #1 to 'math.max' (value expected)
print(fails(math.min))     --> bad argument #1 to 'math.min' (value expected)

-- real functions
local function show(x) return (string.format("%.6f", x):gsub("%.?0+$", "")) end
print(show(math.sqrt(2)), show(math.exp(1)), show(math.log(10)))
--> 1.414214 2.718282 2.302585
print(show(math.sin(1)), show(math.cos(1)), show(math.tan(1)))
--> 0.841471 0.540302 1.557408
print(show(math.asin(1)), show(math.acos(0)), show(math.atan(1)))
--> 1.570796 1.570796 0.785398
print(show(math.atan(1, -1)), show(math.atan(-1, -1)))
--> 2.356194 -2.356194
print(math.log(8, 2), math.log(1000, 10), show(math.log(27, 3)))  --> 3.0 3.0 3
print(math.log(0), math.deg(math.pi), show(math.rad(180)))
--> -inf 180.0 3.141593
print(fails(math.sin))
--> bad argument #1 to 'math.sin' (number expected, got no value)

-- functions of older versions
print(math.pow(2, 10), show(math.cosh(1)), show(math.sinh(1)), show(math.tanh(1)))
--> 1024.0 1.543081 1.175201 0.761594
print(math.frexp(10))                             --> 0.625 4
print(math.ldexp(0.5, 4), math.log10(1000))       --> 8.0 3.0

-- random numbers are the same after the same seed
math.randomseed(42)
print(math.random(0), math.random(10), math.random(1, 1000))
--> -1276290044721465627 2 332
print(string.format("%.10f", math.random()))      -->~ ^0%.%d+$
math.randomseed(42, 7)
local a, b = math.random(0), math.random(0)
print(math.randomseed(42, 7))                     --> 42 7
print(math.random(0) == a, math.random(0) == b)   --> true true
local x, y = math.randomseed()
print(math.type(x), math.type(y))                 --> integer integer
local lo, hi, ok = 10, 0, true
for i = 1, 1000 do
  local r = math.random(3, 7)
  lo, hi = math.min(lo, r), math.max(hi, r)
  local f = math.random()
  ok = ok and 0 <= f and f < 1 and math.type(r) == "integer"
end
print(lo, hi, ok)                                 --> 3 7 true
print(math.random(math.mininteger, math.maxinteger) ~= nil, math.random(5, 5))
--> true 5
print(fails(math.random, 0, -1))
--> bad argument #1 to 'math.random' (interval is empty)
print(fails(math.random, -1))
--> bad argument #1 to 'math.random' (interval is empty)
print(fails(math.random, 1, 2, 3))                --> wrong number of arguments
print(fails(math.random, 1.5))
--> bad argument #1 to 'math.random' (number has no integer representation)
