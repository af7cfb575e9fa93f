-- SPDX-License-Identifier: MIT
-- The utf8 library (manual, 6.5)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- char and codepoint
print(utf8.char(72, 228, 0x20AC, 0x1F600))        --> Hä€😀
print(#utf8.char(), #utf8.char(0x7FFFFFFF))       --> 0 6
print(fails(utf8.char, -1))
--> bad argument #1 to 'utf8.char' (value out of range)
print(fails(utf8.char, 1, 1 << 31))
--> bad argument #2 to 'utf8.char' (value out of range)
print(utf8.codepoint("Hä€😀", 1, -1))             --> 72 228 8364 128512
print(utf8.codepoint("abc"), utf8.codepoint("abc", -1))         --> 97 99
print(utf8.codepoint("abc", 3, 2))                -->
print(fails(utf8.codepoint, "ä", 2))              --> invalid UTF-8 code
print(fails(utf8.codepoint, "abc", 1, 4))
--> bad argument #3 to 'utf8.codepoint' (out of bounds)
print(fails(utf8.codepoint, "abc", 0))
--> bad argument #2 to 'utf8.codepoint' (out of bounds)
print(fails(utf8.codepoint, "\xed\xa0\x80"))      --> invalid UTF-8 code
print(utf8.codepoint("\xed\xa0\x80", 1, 1, true)) --> 55296
print(fails(utf8.codepoint, "\u{110000}"))        --> invalid UTF-8 code
print(utf8.codepoint("\u{7FFFFFFF}", 1, 1, true)) --> 2147483647
print(fails(utf8.codepoint, "\xC0\x80"))          --> invalid UTF-8 code
print(fails(utf8.codepoint, "\xE4"))              --> invalid UTF-8 code

-- len
print(utf8.len("äöü"), utf8.len(""), utf8.len("äöü", 3), utf8.len("äöü", -2))
--> 3 0 2 1
print(utf8.len("äöü", 1, 2), utf8.len("abc", 4))  --> 1 0
print(utf8.len("ab\xff"))                         --> nil 3
print(utf8.len("äöü", 2))                         --> nil 2
print((utf8.len("\u{D800}")), utf8.len("\u{D800}", 1, -1, true))  --> nil 1
print(fails(utf8.len, "abc", 5))
--> bad argument #2 to 'utf8.len' (initial position out of bounds)
print(fails(utf8.len, "abc", 1, 4))
--> bad argument #3 to 'utf8.len' (final position out of bounds)

-- offset
print(utf8.offset("äöü", 1), utf8.offset("äöü", 2), utf8.offset("äöü", 4))
--> 1 3 7
print(utf8.offset("äöü", 5), utf8.offset("äöü", -1), utf8.offset("äöü", -4))
--> nil 5 nil
print(utf8.offset("äöü", 0, 2), utf8.offset("äöü", 0, 3), utf8.offset("x", 0))
--> 1 3 1
print(utf8.offset("äöü", 2, 3), utf8.offset("äöü", -1, 5))      --> 5 3
print(fails(utf8.offset, "äöü", 1, 2))
--> initial position is a continuation byte
print(fails(utf8.offset, "abc", 1, 5))
--> bad argument #3 to 'utf8.offset' (position out of bounds)

-- codes
for p, c in utf8.codes("aä€") do io.write(p, ":", c, " ") end print()
--> 1:97 2:228 4:8364
for p, c in utf8.codes("\u{7FFFFFFF}x", true) do io.write(p, ":", c, " ") end print()
--> 1:2147483647 7:120
print(fails(function() for _ in utf8.codes("a\xff") do end end))
-->~ invalid UTF%-8 code$
print(fails(function() for _ in utf8.codes("\u{110000}") do end end))
-->~ invalid UTF%-8 code$
print(fails(function() for _ in utf8.codes("a\x80") do end end))
-->~ invalid UTF%-8 code$
-->5.4.4
print(pcall(utf8.codes, "\x80") == false)         --> true
-->5.4.4 false

-- charpattern
print(utf8.charpattern == "[\0-\x7F\xC2-\xFD][\x80-\xBF]*")     --> true
for c in ("aä€😀"):gmatch(utf8.charpattern) do io.write("<", c, ">") end print()
--> <a><ä><€><😀>

-- The first and the last character of each length, and their neighbors
do
  local wrong = 0
  for _, edge in ipairs {0x80, 0x800, 0xD800, 0xE000, 0x10000, 0x110000, 0x200000,
                         0x4000000, 0x7FFFFFFF} do
    for code = edge - 2, math.min(edge + 2, 0x7FFFFFFF) do
      local s = utf8.char(code)
      local bytes = code < 0x80 and 1 or code < 0x800 and 2 or code < 0x10000 and 3
        or code < 0x200000 and 4 or code < 0x4000000 and 5 or 6
      local strict = code < 0xD800 or code > 0xDFFF and code < 0x110000
      local text = "a" .. s .. "b"
      local codes = {}
      for _, c in utf8.codes(text, true) do codes[#codes + 1] = c end
      local good = #s == bytes and utf8.len(text, 1, -1, true) == 3
        and utf8.codepoint(text, 2, 2, true) == code and codes[2] == code
        and utf8.offset(text, 3) == bytes + 2
        and (utf8.len(text) == 3) == strict
        and pcall(utf8.codepoint, text, 2) == strict
        and pcall(function() for _ in utf8.codes(text) do end end) == strict
      if not good then wrong = wrong + 1 end
      -- cut short, it is nothing
      if bytes > 1 and utf8.len(s:sub(1, -2), 1, -1, true) then wrong = wrong + 1 end
    end
  end
  print(wrong)                                      --> 0
end
