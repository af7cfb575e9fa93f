-- SPDX-License-Identifier: MIT
-- string.format (manual, 6.4)

local format = string.format
local function fails(...) return select(2, pcall(format, ...)) end

print(format("plain"), format("100%%"), format(""))          --> plain 100%
-- integers
print(format("%d|%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42, 42))
--> 42|   42|42   |00042|+42| 42
print(format("%d|%5d|%-5d|%05d|%+d", -42, -42, -42, -42, -42))
--> -42|  -42|-42  |-0042|-42
print(format("%.3d|%6.3d|%-6.3d|%+.3d|%.0d|%.0d|%06.3d", 5, 5, 5, 5, 0, 1, 5))
--> 005|   005|005   |+005||1|   005
print(format("%i %d %d", 3, 3.0, "7"))                       --> 3 3 7
print(format("%d %d", math.maxinteger, math.mininteger))
--> 9223372036854775807 -9223372036854775808
print(format("%x %X %#x %#X %5x|%-5x|%05x|%.4x", 255, 255, 255, 255, 255, 255, 255, 255))
--> ff FF 0xff 0XFF    ff|ff   |000ff|00ff
print(format("%o %#o %x %#x %#o", 8, 8, 0, 0, 0))            --> 10 010 0 0 0
print(format("%x", -1), format("%#.3x|%#8.3x|%-#8x|", 10, 10, 10))
--> ffffffffffffffff 0x00a|   0x00a|0xa     |
print(format("%c%c%c|%3c|%-3c|", 76, 117, 97, 65, 66))       --> Lua|  A|B  |
print(#format("%c", 0))                                      --> 1
-- floats
print(format("%f %.2f %8.3f|%-8.1f|%+.1f|%08.2f", 1.5, 1.005, math.pi, 2.25, 1, -1.5))
--> 1.500000 1.00    3.142|2.2     |+1.0|-0001.50
print(format("%e %.2E %g %G %g %g", 12345.678, 0.00012, 1e20, 1e-10, 100000, 1e6))
--> 1.234568e+04 1.20E-04 1e+20 1E-10 100000 1e+06
print(format("%.14g %.17g %.3g %#.3g", 0.1, 0.1, 1234567, 1))
--> 0.1 0.10000000000000001 1.23e+06 1.00
print(format("%a %A %.1a", 1, 0.5, 1.02))
--> 0x1p+0 0X1P-1 0x1.0p+0
print(format("%f %g %.0f", 1/0, -1/0, 0.5))                  --> inf -inf 0
print(format("%5.1f|%f", 3, "1.25"))                         -->   3.0|1.250000
print(#format("%.99f", 1/3), #format("%99.99f", -1e308))     --> 101 410
-- strings
print(format("%s %s %s %s", "a", 1, 1.5, nil), format("%s", true))
--> a 1 1.5 nil true
print(format("%5s|%-5s|%.2s|%5.1s|", "abc", "abc", "abc", "abc"))
-->   abc|abc  |ab|    a|
print(format("%s", setmetatable({}, {__tostring = function() return "obj" end})))
--> obj
print(format("%s", {}))                                      -->~ ^table: 
print(#format("%s", ("x"):rep(5000)), #format("%5s", ("x"):rep(5000)))
--> 5000 5000
print(format("%s|%s", "a\0b", "c") == "a\0b|c")              --> true
print(format("%.20s", ("y"):rep(200)))
--> yyyyyyyyyyyyyyyyyyyy
-- literals
print(format("%q", 'a "quoted"\\ text'))
--> "a \"quoted\"\\ text"
print((format("%q", "line\nend\r\0001\0x"):gsub("\n", "/")))
--> "line\/end\13\0001\0x"
print(format("%q %q %q %q", 10, true, nil, math.mininteger))
--> 10 true nil 0x8000000000000000
print(format("%q %q %q %q", 0.5, 1/0, -1/0, 0/0))
--> 0x1p-1 1e9999 -1e9999 (0/0)
print(load("return " .. format("%q", 0.1))() == 0.1)         --> true
print(load("return " .. format("%q", "\0\1\2\xff\n\"'\\"))() == "\0\1\2\xff\n\"'\\")
--> true
-- pointers
print(format("%p", {}):find("^0x%x+$"), format("%p", 1), format("%8p|", nil))
--> 1 (null)   (null)|
local t = {}
print(format("%p", t) == format("%p", t), format("%p", "a") == format("%p", "a"))
--> true true
print(tostring(t) == format("table: %p", t))                 --> true
-- errors
print(fails("%d"))            --> bad argument #2 to 'string.format' (no value)
print(fails("%d", "x"))
--> bad argument #2 to 'string.format' (number expected, got string)
print(fails("%d", 1.5))
--> bad argument #2 to 'string.format' (number has no integer representation)
print(fails("%s %s", 1))      --> bad argument #3 to 'string.format' (no value)
print(fails("%y", 1))         --> invalid conversion '%y' to 'format'
print(fails("%", 1))          --> invalid conversion '%' to 'format'
print(fails("%10.123d", 1))   --> invalid conversion specification: '%10.123d'
print(fails("%100d", 1))      --> invalid conversion specification: '%100d'
print(fails("%#d", 1))        --> invalid conversion specification: '%#d'
print(fails("%.3c", 1))       --> invalid conversion specification: '%.3c'
print(fails("%0s", 1))        --> invalid conversion specification: '%0s'
print(fails("%5q", 1))        --> specifier '%q' cannot have modifiers
print(fails("%q", {}))
--> bad argument #2 to 'string.format' (value has no literal form)
print(fails("%10s", "a\0b"))
--> bad argument #2 to 'string.format' (string contains zeros)
print(fails("%" .. ("0"):rep(30) .. "d", 1))
--> invalid format (too long)
print(fails("%#12s", "a\0b"))   -- the value comes before the modifiers
--> bad argument #2 to 'string.format' (string contains zeros)
print(fails("%0s", setmetatable({}, {__tostring = function() return {} end})))
--> '__tostring' must return a string
