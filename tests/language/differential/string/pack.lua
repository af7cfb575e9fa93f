-- SPDX-License-Identifier: MIT
-- pack, unpack, packsize (manual 6.4.2).
local function hex(s)
return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
local function p(fmt, ...) local r = table.pack(pcall(string.pack, fmt, ...))
if r[1] then print(fmt, hex(r[2]), pcall(string.packsize, fmt))
print("", pcall(string.unpack, fmt, r[2])) else print(fmt, r[2]) end end
for _, o in ipairs {"b", "B", "h", "H", "i", "I", "l", "L", "j", "J", "T", "i1",
  "i2", "i3", "i5", "i7", "i8", "i9", "i12", "i16", "I1", "I3", "I8", "I16"} do
for _, e in ipairs {"<", ">", "="} do
for _, n in ipairs {0, 1, 127, -1, -128, 255, 1000, -1000, math.maxinteger,
  math.mininteger} do p(e .. o, n) end end end
for _, o in ipairs {"f", "d", "n"} do for _, e in ipairs {"<", ">"} do
for _, n in ipairs {0, 1, -1.5, 0.1, 1e30, 1/0, -0.0, 5, "2.5"} do p(e .. o, n)
end end end
p("z", "abc") p("z", "") p("z", "a\0b") p("s", "abc") p("s1", "abc") p("s2", "")
  p("<s4", "hello") p(">s2", "hello") p("s1", ("x"):rep(300)) p("c5", "abc")
  p("c3", "abc") p("c2", "abc") p("c0", "") p("x") p("xxx") p("<i4x", 1)
  p("c", "x") p("!4 i1 !4 i4", 1, 2) p("<!4 b i4", 1, 2) p("<!8 b d", 1, 2)
  p("<! b d", 1, 2) p("<!2 b i8", 1, 2) p("<i1 Xi4 i1", 1, 2)
  p("<!4 i1 Xi4 i1", 1, 2) p("!4 X") p("!3 i4", 1) p("!16 i16", 1) p("Xz")
  p("X ") p("!8 b Xh", 1) p(" < i2 > i2 = i2 ", 1, 2, 3)
  p("<bhilj", 1, 2, 3, 4, 5) p("zBz", "a", 5, "b") p("<z s1 i2", "k", "v", 7)
p("i17", 1) p("i0", 1) p("I0", 1) p("i20", 1) p("!17", 1) p("!0") p("s17", "x")
  p("y", 1) p("i", "x") p("i", 1.5) p("i", {}) p("b", 128) p("b", -129)
  p("B", 256) p("B", -1) p("i2", 40000) p("I2", 70000) p("d", "x") p("i") p("z")
  p("s", 5) p("f") p("c300", "x") p("i99999999999", 1) p("<!3 i4", 1)
  p("h", "0x10") p("j", 2^63) p("j", 2^53) p("") p("   ") p("<>=!")
  p("!1 i8", 5)
local u = function(...) print(pcall(string.unpack, ...))
end u("i4", "abcd", 1) u("i4", "abcd", 2) u("i4", "abcdefgh", 5)
  u("<i2", "\1\2\3\4", 3) u("<i2", "\1\2\3\4", -2) u("<i2", "\1\2", 4)
  u("<i2", "\1\2", 3) u("", "abc") u("", "abc", 4) u("", "abc", 5) u("z", "abc")
  u("z", "abc\0def") u("s1", "\5abc") u("s1", "\3abc")
  u("<i16", ("\255"):rep(16)) u("<i16", ("\255"):rep(15) .. "\0")
  u("<I16", "\1" .. ("\0"):rep(15)) u("<I9", ("\0"):rep(8) .. "\1")
  u("<i3", "\255\255\255") u("<I3", "\255\255\255") u("<i8i8", ("\0"):rep(16))
  u("c3", "ab") u("c0", "ab") u("c2", "ab") u("<d", "\0\0\0\0\0\0\240\63")
  u("x", "") u("x", "a") u("<!4 b i4", "\1\0\0\0\2\0\0\0")
  u("<!4 b i4", "\1\0\0\0\2\0\0") u("i", 5) u("i") u("<J", ("\255"):rep(8))
  u("i4", "abcdefgh", 1.5) u("b", "abc", math.mininteger)
  u("b", "abc", math.maxinteger)
for _, fmt in ipairs {"i", "j", "n", "d", "f", "b", "h", "l", "T", "i3",
  "!8 b d", "<i4 i8 c5 x", "z", "s", "s4", "", "c2147483647",
  "c2147483647c2147483647", "i16i16", "!4 b Xi4"} do
print(fmt, pcall(string.packsize, fmt)) end
