-- SPDX-License-Identifier: MIT
-- The utf8 library.

local op = ...

local texts = {
  { "ASCII", "('hello world '):rep(10)" }, { "two bytes", "('äöüßéè'):rep(20)" },
  { "three bytes", "('日本語中文'):rep(20)" }, { "four bytes", "('😀😁😂'):rep(20)" },
  { "mixed", "('naïve 日本 😀 text '):rep(10)" },
}
for _, text in ipairs(texts) do
  local s = "local s, x = " .. text[2]
  op("len, " .. text[1], s, "x = utf8.len(s)")
  op("codes, " .. text[1], s, "for p, c in utf8.codes(s) do x = c end")
  op("codepoint, " .. text[1], s, "x = utf8.codepoint(s, 1)")
  op("codepoint of all, " .. text[1], s, "x = { utf8.codepoint(s, 1, -1) }")
  op("offset 30, " .. text[1], s, "x = utf8.offset(s, 30)")
  op("offset -30, " .. text[1], s, "x = utf8.offset(s, -30)")
end
op("char, ASCII", "local x", "x = utf8.char(65)")
op("char, two bytes", "local x", "x = utf8.char(228)")
op("char, three bytes", "local x", "x = utf8.char(0x65e5)")
op("char, four bytes", "local x", "x = utf8.char(0x1f600)")
op("char, five of them", "local x", "x = utf8.char(104, 228, 0x65e5, 0x1f600, 33)")
op("len of a short string", "local x", "x = utf8.len('häuser')")
op("len of an invalid string", "local s, x = 'abc\\xff'", "x = utf8.len(s)")
op("len of 10 KB", "local s, x = ('hello wörld '):rep(800)", "x = utf8.len(s)")
op("charpattern", "local s, x = 'naïve 日本 text'", "for c in s:gmatch(utf8.charpattern) do x = c end")
op("offset 0", "local s, x = 'naïve 日本 text'", "x = utf8.offset(s, 0, 5)")
op("substring by characters", "local s, x = 'naïve 日本 text'", "x = s:sub(utf8.offset(s, 3), utf8.offset(s, 6) - 1)")
