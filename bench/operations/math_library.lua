-- SPDX-License-Identifier: MIT
-- The math library.

local op = ...

for _, f in ipairs { "abs", "ceil", "floor", "sqrt", "sin", "cos", "tan", "exp", "log", "asin", "acos", "atan", "deg", "rad" } do
  op(f .. " of a float", "local a, x = 0.5", ("x = math.%s(a)"):format(f))
end
for _, f in ipairs { "abs", "ceil", "floor", "sqrt", "log" } do
  op(f .. " of an integer", "local a, x = 17", ("x = math.%s(a)"):format(f))
end
op("a local floor", "local floor, x = math.floor", "x = floor(i / 3)")
op("log, base 2", "local x", "x = math.log(i, 2)")
op("log, base 10", "local x", "x = math.log(i, 10)")
op("log, base 3", "local x", "x = math.log(i, 3)")
op("atan of two", "local x", "x = math.atan(i, 7)")
op("fmod, integers", "local x", "x = math.fmod(i, 7)")
op("fmod, floats", "local x", "x = math.fmod(i + 0.5, 7)")
op("modf", "local x, y", "x, y = math.modf(i + 0.25)")
op("min of two", "local x", "x = math.min(i, 7)")
op("min of floats", "local x", "x = math.min(1.5, 7.5)")
op("max of five", "local x", "x = math.max(i, 7, 3, 9, 5)")
op("max of mixed", "local x", "x = math.max(i, 7.5)")
op("random", "local x", "x = math.random()")
op("random(n)", "local x", "x = math.random(100)")
op("random(m, n)", "local x", "x = math.random(10, 1000)")
op("random(0)", "local x", "x = math.random(0)")
op("randomseed", "", "math.randomseed(i)")
op("tointeger", "local x", "x = math.tointeger(3.0)")
op("tointeger of an integer", "local x", "x = math.tointeger(i)")
op("type of an integer", "local x", "x = math.type(i)")
op("type of a float", "local x", "x = math.type(1.5)")
op("type of a string", "local x", "x = math.type('1')")
op("ult", "local x", "x = math.ult(i, 7)")
op("pi", "local x", "x = math.pi")
op("huge", "local x", "x = math.huge")
op("distance", "local x", "x = math.sqrt(i * i + 4)")
op("round", "local x", "x = math.floor(i / 7 + 0.5)")
op("clamp", "local x", "x = math.max(0, math.min(100, i))")
