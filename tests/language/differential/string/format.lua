-- SPDX-License-Identifier: MIT
-- string.format: conversions, flags, errors (manual 6.4).
local function f(...) print(pcall(string.format, ...)) end
for _, n in ipairs {0, 1, -1, 42, -42, 255, 2147483648, math.maxinteger,
  math.mininteger, 3.0, "10", "0x10"} do
  print(("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%i"):format(n, n, n, n, n, n, n, n))
  print(("%x|%X|%#x|%o|%#o|%8x|%-8x|%08X"):format(n, n, n, n, n, n, n, n)) end
for _, n in ipairs {0, -0.0, 1, 1.5, -1.5, 0.1, 1/3, 1e10, 1e100, -1e-10,
  123456.789, 1/0, -1/0, 5e-324, 1.7976931348623157e308, "2.5", 100} do
  print(("%f|%.2f|%10.3f|%-10.1f|%+f|%.0f|%#.0f|%e|%.3E|%g|%.3g|%G|%#g|%010.2f"):format(n,
    n, n, n, n, n, n, n, n, n, n, n, n, n))
  print(("%a|%A|%.3a|%.0a|%20a|%+a"):format(n, n, n, n, n, n))
  print(("%.14g|%.17g|%.1f|%5.1f|%.20f"):format(n, n, n, n, n):sub(1, 300)) end
f("%s|%s|%s|%s", 1, 1.5, "x", nil) f("%s %s", true, false)
  f("%10s|%-10s|%.2s|%10.2s|%.0s|%s", "abc", "abc", "abc", "abc", "abc", "")
  f("%s", setmetatable({}, {__tostring = function() return "meta" end}))
  f("%5s", setmetatable({}, {__tostring = function() return "m" end}))
  f("%s", setmetatable({}, {__tostring = function() return 1 end}))
  f("%s", "a\0b") f("%5s", "a\0b") f("%.1s", "a\0b") f("%s", ("x"):rep(200))
  f("%.150s", ("x"):rep(200)) f("%s") f("%%") f("%5%") f("%") f("abc%") f("")
  f("%d") f("%d %d", 1) f("%c%c%c", 72, 105, 0) f("%5c|%-5c|", 65, 66)
  f("%c", "x") f("%c", 65.5)
for _, s in ipairs {"plain", 'quo"te', "back\\slash", "new\nline", "\r\t\0",
  "\0001", "\0002x", "\127\200\255", "", "\1\0012"} do print(("%q"):format(s))
end
for _, v in ipairs {0, -1, 1.5, 0.1, -0.0, 1e100, 1/0, -1/0, math.maxinteger,
  math.mininteger, true, false, 2^53, 5e-324, 255} do print(("%q"):format(v))
local back = load("return " .. ("%q"):format(v))()
print(back == v, math.type(back) == math.type(v)) end
print(("%q"):format(nil))
print(("%q"):format(0/0)) f("%q", {}) f("%q", print) f("%5q", "x") f("%-q", "x")
  f("%q", setmetatable({}, {__tostring = function() return "x" end})) f("%q")
f("%y", 1) f("%", 1) f("%ll", 1) f("%ld", 1) f("%10.123f", 1) f("%100d", 1)
  f("%0100d", 1) f("%99d", 1) f("%.99f", 1) f("%.100f", 1) f("%---5d", 1)
  f("%+-+5d|", 1) f("%-+ #0d", 1) f("%#d", 1) f("%0s", "x") f("%+s", "x")
  f("%.3c", 65) f("%-5c|", 65) f("%05c", 65) f("%.d", 5) f("%.f", 2.5)
  f("%5.d|", 5) f("%.3i", 5) f("%u", 5) f("%n", 5) f("%h", 5) f("%F", 1.5)
  f("%t") f("% s", 1) f("%.5q", 1) f("%1$d", 1) f("%*d", 5, 1) f("%'d", 1)
  f("%.3p", 1) f("%a", "x") f("%#a|%#x|%#o|%#e", 1, 1, 1, 1) f("% 5d|% x", 5, 5)
  f("%-05d|", 5)
f("%d", 1.5) f("%d", "1.5") f("%d", "x") f("%d", 2^63) f("%d", {}) f("%x", -1)
  f("%f", "x") f("%f", {}) f("%s %d", "x") f("%d", nil) f("%p", 1) f("%p", nil)
  f("%p", true) f("%p", "x")
print(("%p"):format({}) ~= ("%p"):format({}), ("%p"):format(print) ==
  ("%p"):format(print), ("%20p"):format(1), ("%-20p|"):format(nil))
print(("%p"):format("short") == ("%p"):format("sh" .. "ort"))
f("%d%s%d", 1, "x", 2, "extra") f("%-20s|%20s", "left", "right")
  f("%5.1f%%", 99.55) f("%s=%s;", "k", "v") f(5) f() f({}) f(12 .. "%d", 5)
  f("%i", 3.0) f("%.20s", "short") f("%s\n%s", "a", "b")
  f(("%d"):rep(50), table.unpack((function() local t = {} for i = 1, 50 do t[i]
  = i end return t end)()))
f("%.3f %5.2e %g", 2/3, 12345.678, 1e-5)
  f("%g %g %g %g", 1e15, 1e16, 123456, 1234567)
  f("%.10g|%.15g|%.16g", 0.1, 0.1, 0.1) f("%5.3d|%-8.3d|%+.3d", 7, 7, 7)
  f("%.0f %.0f %.0f %.0f", 0.5, 1.5, 2.5, 3.5)
