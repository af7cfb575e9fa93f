-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: pack

local try, show = dofile("try.lua")

for _, f in ipairs{"b","B","h","H","i","I","l","L","j","J","T","f","d","n","s",
  "z","x","i1","i2","i3","i7","i8","i9","i16","i17","I16","s1","s2","s8","c0",
  "c5","c","X","Xi4","Xb","!","!1","!3","!16","!17","<i4",">i4","=i4","<>","i0"
  ,"  i4","Xz","!4i8","j!8","i4294967297", "y", "s0", "s17"} do
 for _, v in ipairs{0, 1, -1, 127, 128, 255, 256, 65536, math.maxinteger, math.
   mininteger, 1.5, 2^53, "abc", "hello", "a\0b", {}, 1e300} do try("pack "..f
   .." "..show(v), string.pack, f, v) end
 try("packsize "..f, string.packsize, f)
try("unpack "..f, string.unpack, f,
  "\1\2\3\4\5\6\7\8\255\254\253\252\0\0\0\0\200\201")
try("unpack short "..f, string.unpack, f, "\1")
try("unpack pos "..f, string.unpack, f,
  "\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255", 2)
try("unpack neg", string.unpack, f, ("\128"):rep(20), -18)
try("unpack out", string.unpack, f, "abc", 10) end
