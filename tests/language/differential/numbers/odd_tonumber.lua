-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: tonumber

local try, show = dofile("try.lua")

for _, s in ipairs{"", " ", "0", " 10 ", "0x", "0x1", "0X1p3", "1e", "1e1",
  "1e+1", "1e-1", ".5", "5.", ".", "0x.1", "0x1.", "0x.", "inf", "nan", "1 2",
  "1_000", "١", "1\0", "\t1\n", "--1", "-1", "- 1", "+1", "+-1", "0b1", "1f",
  "0x1g", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
  "-9223372036854775809", "0xffffffffffffffff", "0x1ffffffffffffffff", "1e308",
  "1e309", "1e-400", "0x1p-1074", "0x1p-1080", "0x1p5000", ("1"):rep(300), "0."
  .. ("0"):rep(400) .. "1", "z", "zz", "7", "8", "a", "-ff", " -7 ", "1.0",
  "1e0"} do
 try("tonumber "..s, tonumber, s) for _, b in ipairs{2, 8, 10, 16, 36} do try(
   "base "..b, tonumber, s, b) end
try("arith", function() return s + 0 end)
try("idiv", function() return s // 1 end)
try("bor", function() return s | 0 end)
try("for", function() for i = s, 1 do return i end return "none" end)
try("toint", math.tointeger, s) end
for _, b in ipairs{0, 1, 37, -1, 1.5, "x", "10", {}, 2^40} do try("base "..show
  (b), tonumber, "10", b) end
try("tonumber num base", tonumber, 10, 10)
try("tonumber nil", tonumber, nil)
try("tonumber none", tonumber)
try("tonumber nil base", tonumber, nil, 10)
for _, n in ipairs{0.1, 1/3, 1e15, 1e16, 1e17, 123456789012345,
  1234567890123456, 1e100, 1e-5, 1e-4, 0.1+0.2, 2^53, 2^63, -2^63, 1e14, 1e15+
  0.5, 3.14159265358979, 5e-324, 1.7976931348623157e308, 100, 100.0, -0.0, 2^31
  , 1e2} do try("tostring", tostring, n) try("concat", function() return n ..
  "" end) try("floor", math.floor, n) try("ceil", math.ceil, n) try("toint",
  math.tointeger, n) try("int|", function() return n | 0 end) try("modf", math.
  modf, n) try("fmod", math.fmod, n, 3) try("ult", function() return math.ult(1
  , n) end) try("type", math.type, n) try("sqrt", math.sqrt, n) try("frexp",
  math.frexp or print, n) try("abs", math.abs, n) end
