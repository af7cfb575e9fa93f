-- SPDX-License-Identifier: MIT
-- string.pack, packsize, unpack (manual, 6.4 and 6.4.2)

local pack, unpack, size = string.pack, string.unpack, string.packsize
local function fails(f, ...) return select(2, pcall(f, ...)) end
local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end

-- integers
print(hex(pack("<i4", 1)), hex(pack(">i4", 1)), hex(pack("<i2", -2)))
--> 01000000 00000001 feff
-- "l" and "T" have the sizes of the machine
local l, T = size("l"), size("T")
print((l == 4 or l == 8) and (T == 4 or T == 8))                --> true
print(hex(pack("bBhH", -1, 255, 0, 0)), #pack("=lLjJT", 1, 2, 3, 4, 5) - 2 * l - T)
--> ffff00000000 16
print(hex(pack("<i3I3", -1, 0x010203)), hex(pack(">i16", -1)))
--> ffffff030201 ffffffffffffffffffffffffffffffff
print(unpack("<i4", "\1\0\0\0"), unpack(">i4", "\1\0\0\0"))    --> 1 16777216 5
print(unpack("b", "\xff"), unpack("B", "\xff"), unpack("<i3", "\xff\xff\xff"))
--> -1 255 -1 4
print(unpack("<i16", pack("<i16", math.mininteger)))
--> -9223372036854775808 17
print(unpack("<I16", pack("<I16", 7)))                         --> 7 17
print(unpack(">j", pack(">j", math.maxinteger)))
--> 9223372036854775807 9

-- floats
print(hex(pack("<f", 1)), hex(pack(">d", -2)), hex(pack("<n", 0.5)))
--> 0000803f c000000000000000 000000000000e03f
print(unpack("<f", pack("<f", 0.5)), unpack(">d", pack(">d", math.pi)))
--> 0.5 3.1415926535898 9

-- strings
print(hex(pack("z", "ab")), hex(pack("<s1", "ab")), hex(pack(">s2", "ab")), hex(pack("c4", "ab")))
--> 616200 026162 00026162 61620000
print(unpack("z", "ab\0rest"))                    --> ab 4
print(unpack("<s1c2", "\3abcde"))                 --> abc de 7
local hello, after = unpack("s", pack("s", "hello"))
print(#pack("s", "x") - T, hello, after - T)                   --> 1 hello 6

-- padding and alignment
print(hex(pack("<bxb", 1, 2)), hex(pack("<!4 b i4", 1, 2)))
--> 010002 0100000002000000
print(hex(pack("<!2 b i4", 1, 2)), hex(pack("<b Xi4 b", 1, 2)))
--> 010002000000 0102
print(hex(pack("<!4 b Xi4 b", 1, 2)))             --> 0100000002
print(unpack("<!4 b i4", "\1\0\0\0\2\0\0\0"))     --> 1 2 9
print(hex(pack("<!8 b Xh i4 i8 c1 Xi8", -12, 100, 200, "\xEC")))
--> f400000064000000c800000000000000ec00000000000000

-- packsize
print(size("i4"), size("bhil") - l, size("<!4 b i4"), size("c10"), size("x"), size(""))
--> 4 7 8 10 1 0
print(size("!8 i1 d"), size("d") == #pack("d", 1))--> 16 true

-- positions
print(unpack("B", "abc", 2), unpack("B", "abc", -1))           --> 98 99 4
print(unpack("", "abc", 4))                       --> 4

-- errors
print(fails(pack, "i17", 1))   --> integral size (17) out of limits [1,16]
print(fails(pack, "i0", 1))    --> integral size (0) out of limits [1,16]
print(fails(pack, "b", 128))
--> bad argument #2 to 'string.pack' (integer overflow)
print(fails(pack, "B", 256))
--> bad argument #2 to 'string.pack' (unsigned overflow)
print(fails(pack, "B", -1))
--> bad argument #2 to 'string.pack' (unsigned overflow)
print(fails(pack, "c2", "abc"))
--> bad argument #2 to 'string.pack' (string longer than given size)
print(fails(pack, "c", "a"))   --> missing size for format option 'c'
print(fails(pack, "s1", ("x"):rep(300)))
--> bad argument #2 to 'string.pack' (string length does not fit in given size)
print(fails(pack, "z", "a\0b"))
--> bad argument #2 to 'string.pack' (string contains zeros)
print(fails(pack, "q"))        --> invalid format option 'q'
print(fails(pack, "!3 i4", 1))
--> bad argument #1 to 'string.pack' (format asks for alignment not power of 2)
print(fails(pack, "X"))
--> bad argument #1 to 'string.pack' (invalid next option for option 'X')
print(fails(pack, "i4"))
--> bad argument #2 to 'string.pack' (number expected, got nil)
print(fails(unpack, "i4", "abc"))
--> bad argument #2 to 'string.unpack' (data string too short)
print(fails(unpack, "z", "abc"))
--> bad argument #2 to 'string.unpack' (unfinished string for format 'z')
print(fails(unpack, "s1", "\5ab"))
--> bad argument #2 to 'string.unpack' (data string too short)
print(fails(unpack, "b", "abc", 5))
--> bad argument #3 to 'string.unpack' (initial position out of string)
print(fails(unpack, "<i16", ("\xff"):rep(8) .. ("\1"):rep(8)))
--> 16-byte integer does not fit into Lua Integer
print(fails(size, "s"))
--> bad argument #1 to 'string.packsize' (variable-length format)
print(fails(size, "c2147483640c2147483640"))
--> invalid format option '0'
