-- SPDX-License-Identifier: MIT
-- Escape sequences in strings (manual 3.1).
local function show(s) print(#s, (s:gsub(".", function(c)
  return string.format("%02x ", c:byte()) end))) end

show "\a\b\f\n\r\t\v\\\"\'"
show "\0\00\000\1\12\123\0009"
show "\x00\xff\x7Fg"
show "a\z
      b\z  	

      c"
show "line\
break"
show "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"
show "\u{200000}\u{3FFFFFF}\u{4000000}\u{7FFFFFFF}"
show "\u{00000000000000000041}"
show 'single \'quoted\' "double"'

for _, text in ipairs {
  [["\q"]], [["\xZZ"]], [["\x1"]], [["\256"]], [["\300x"]], [["\u{110000000}"]],
  [["\u{80000000}"]], [["\u123"]], [["\u{12"]], [["\u{}"]], [["\u{zz}"]],
  '"unfinished', '"line\nbreak"', [['mixed"]], '"\\', [["\1\x4]], [["abc\]],
  [["\z]],
} do
  print(load("return " .. text, "=text"))
end
