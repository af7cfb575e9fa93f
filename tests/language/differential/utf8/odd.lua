-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: utf8

local try = dofile("try.lua")

for _, s in ipairs{"", "abc", "äöü", "日本語", "\xff", "\xc3", "a\x80",
  "\u{10FFFF}", "\u{7FFFFFFF}", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80",
  "a\0b", "\xe0\x80\x80", "\xf8\x88\x80\x80\x80"} do try("len", utf8.len, s)
  try("len lax", utf8.len, s, 1, -1, true) try("codepoint", utf8.codepoint, s,
  1, -1) try("cp lax", utf8.codepoint, s, 1, -1, true) for i = -5, 5 do try(
  "offset "..i, utf8.offset, s, i) try("off2", utf8.offset, s, i, 2) try(
  "len i", utf8.len, s, i) try("cp i", utf8.codepoint, s, i) end try("len rng",
  utf8.len, s, 1, -2) end
for _, c in ipairs{0, 65, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff,
  0x110000, 0x7fffffff, 0x80000000, -1, 1.5, "65", {}} do try("char", utf8.char
  , c) end
try("char none", utf8.char)
try("charpattern", function() return utf8.charpattern end)
try("codes", function() local r = {} for p, c in utf8.codes("aä日") do r[#r+1] =
  p..":"..c end return table.concat(r, " ") end)
try("codes bad", function() for p, c in utf8.codes("a\xff") do end end)
try("codes lax", function() local n for p, c in utf8.codes("\u{7fffffff}", true
  ) do n = c end return n end)
