-- SPDX-License-Identifier: MIT
-- The library utf8 (manual 6.5).
print(utf8.charpattern == "[\0-\x7F\xC2-\xFD][\x80-\xBF]*", utf8.char(),
  utf8.char(72, 228, 8364, 0x10FFFF), #utf8.char(0), #utf8.char(0x7FFFFFFF),
  utf8.char(0x7FFFFFFF):byte(1, -1))
for _, c in ipairs {0, 0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xFFFF, 0x10000,
  0x10FFFF, 0x110000, 0x1FFFFF, 0x200000, 0x3FFFFFF, 0x4000000, 0x7FFFFFFF} do
print(("%x"):format(c), utf8.char(c):byte(1, -1))
print(pcall(utf8.codepoint, utf8.char(c)))
print(pcall(utf8.codepoint, utf8.char(c), 1, 1, true))
print(utf8.len(utf8.char(c)), utf8.len(utf8.char(c), 1, -1, true)) end
local s = "aä€😀z" print(#s, utf8.len(s), utf8.codepoint(s, 1, -1))
for p, c in utf8.codes(s) do io.write(p, ":", c, " ") end print() for i = -6, 6
do print(i, pcall(utf8.offset, s, i)) end for i = 1, #s + 1 do
print(i, pcall(utf8.offset, s, 0, i)) print(i, pcall(utf8.offset, s, 1, i))
print(i, pcall(utf8.offset, s, -1, i)) print(i, utf8.len(s, i))
print(i, pcall(utf8.codepoint, s, i)) end
for i, bad in ipairs {"\xff", "a\x80", "\xc3", "\xc3(", "\xe2\x82",
    "\xf4\x90\x80\x80", "\xed\xa0\x80", "\xc0\x80", "\xe0\x80\x80",
    "\xf8\x88\x80\x80\x80", "ab\xffcd", "\xfe\x80\x80\x80\x80\x80\x80",
    "a\xe4\xb8\xadb\x80", "\xf0\x80\x80\x80"} do
  print(utf8.len(bad))
  print(utf8.len(bad, 1, -1, true))
  print(pcall(utf8.codepoint, bad, 1, -1))
  for _, lax in ipairs {false, true} do
    io.write("codes ", i, lax and " lax: " or ": ")
    print(select(2, pcall(function()
      for p, c in utf8.codes(bad, lax) do io.write(p, ",", c, " ") end
      return "all"
    end)))
  end
end
-- Stray continuation bytes were skipped.
--5.4.4< codes 2: 1,97 all
--5.4.8> codes 2: functions.lua:28: invalid UTF-8 code
--5.4.4< codes 2 lax: 1,97 all
--5.4.8> codes 2 lax: functions.lua:28: invalid UTF-8 code
--5.4.4< codes 13: 1,97 2,20013 5,98 all
--5.4.8> codes 13: 1,97 2,20013 functions.lua:28: invalid UTF-8 code
--5.4.4< codes 13 lax: 1,97 2,20013 5,98 all
--5.4.8> codes 13 lax: 1,97 2,20013 functions.lua:28: invalid UTF-8 code
print(utf8.len(""), utf8.len("abc", 4), utf8.len("abc", 2), utf8.len("abc", -1),
  utf8.len("abc", 1, 2), utf8.len("abc", 3, 2), utf8.len("äöü", 1, 1),
  utf8.len("äöü", 2), utf8.len("äöü", 3, 3))
print(pcall(utf8.len, "abc", 5)) print(pcall(utf8.len, "abc", 0))
print(pcall(utf8.len, "abc", 1, 4)) print(pcall(utf8.len, "abc", -4))
print(pcall(utf8.codepoint, "abc", 1, 4)) print(pcall(utf8.codepoint, "abc", 0))
print(select("#", utf8.codepoint("abc", 2, 1))) print(utf8.codepoint("abc", -1))
print(pcall(utf8.offset, "abc", 1, 5)) print(pcall(utf8.offset, "ä", 1, 2))
print(utf8.offset("abc", 4), utf8.offset("abc", 5), utf8.offset("", 1),
  utf8.offset("", 0), utf8.offset("", 2), utf8.offset("abc", -3),
  utf8.offset("abc", -4)) print(pcall(utf8.char, -1))
print(pcall(utf8.char, 0x80000000)) print(pcall(utf8.char, "x"))
print(pcall(utf8.char, 65, 66.5)) print(pcall(utf8.codes))
print(pcall(utf8.len)) for c in ("aä€"):gmatch(utf8.charpattern) do
io.write("[", c, "]") end print()
print("\u{48}\u{20AC}" == utf8.char(0x48, 0x20AC),
  utf8.len("\u{7FFFFFFF}", 1, -1, true)) for p, c in utf8.codes("x\0y") do
io.write(p, ":", c, " ") end print()
