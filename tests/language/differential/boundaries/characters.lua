-- Both sides of every limit of UTF-8, surrogates among them, and of escapes.
local try = dofile("try.lua")

local limits = {0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00,
                0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, 0x1FFFFF,
                0x200000, 0x3FFFFFF, 0x4000000, 0x7FFFFFFF}

local function hex(s)
  return (s:gsub(".", function(c) return ("%02X "):format(c:byte()) end))
end

for _, limit in ipairs(limits) do
  for code = limit - 1, limit + 1 do
    local f, message = load(("return '\\u{%X}'"):format(code), "=u")
    local escaped = f and hex(f()) or message
    local ok, made = pcall(utf8.char, code)
    print(("%X"):format(code), escaped, ok and hex(made) or made)
    if ok then
      for _, lax in ipairs {false, true} do
        try("len", utf8.len, made, 1, -1, lax)
        try("codepoint", utf8.codepoint, made, 1, 1, lax)
        try("codes", function()
          local t = {}
          for p, c in utf8.codes("a" .. made .. "b", lax) do
            t[#t + 1] = p .. "=" .. c
          end
          return table.concat(t, " ")
        end)
      end
      try("offset", utf8.offset, made .. made, 2)
      try("offset back", utf8.offset, made .. made, -1)
      -- Cut short, and with a byte changed.
      for cut = 1, #made - 1 do try("cut", utf8.len, made:sub(1, cut)) end
      for i = 1, #made do
        for _, byte in ipairs {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xF8, 0xFE, 0xFF} do
          local s = made:sub(1, i - 1) .. string.char(byte) .. made:sub(i + 1)
          try("changed " .. i .. " " .. byte, utf8.len, s)
          try("", utf8.codepoint, s)
        end
      end
    end
  end
end
-- Forms that are too long, for every length.
for _, s in ipairs {"\xC0\x80", "\xC1\xBF", "\xC2\x80", "\xE0\x80\x80",
                    "\xE0\x9F\xBF", "\xE0\xA0\x80", "\xF0\x8F\xBF\xBF",
                    "\xF0\x90\x80\x80", "\xF8\x87\xBF\xBF\xBF",
                    "\xF8\x88\x80\x80\x80", "\xFC\x83\xBF\xBF\xBF\xBF",
                    "\xFC\x84\x80\x80\x80\x80", "\xFD\xBF\xBF\xBF\xBF\xBF",
                    "\xFE\x80\x80\x80\x80\x80\x80"} do
  try(hex(s), utf8.len, s, 1, -1, true)
  try(hex(s), utf8.codepoint, s, 1, 1, true)
end
-- Positions at and beyond both ends.
local s = "aé€𐍈z"
for i = -14, 14 do
  try("len from " .. i, utf8.len, s, i)
  try("len to " .. i, utf8.len, s, 1, i)
  try("codepoint " .. i, utf8.codepoint, s, i)
  for _, n in ipairs {-6, -1, 0, 1, 2, 6} do
    try("offset " .. n .. " " .. i, utf8.offset, s, n, i)
  end
end

-- Escapes.
for _, text in ipairs {"\\0", "\\00", "\\000", "\\0000", "\\255", "\\256", "\\999",
                       "\\2555", "\\x", "\\x4", "\\x41", "\\x411", "\\xg", "\\xFF",
                       "\\u", "\\u{", "\\u{}", "\\u{g}", "\\u{41", "\\u{41}",
                       "\\u{7FFFFFFF}", "\\u{80000000}", "\\u{00000000041}",
                       "\\z", "\\z  ", "\\z\n x", "\\a\\b\\f\\v", "\\q", "\\\n",
                       "\\\r\n", "\\", "\\u{110000}", "\\x7", "\\09", "\\1a"} do
  local f, message = load("return '" .. text .. "'", "=e")
  print(("%q"):format(text), f and hex(f()) or message)
end
-- Every byte outside of strings, and inside.
for byte = 0, 255 do
  local c = string.char(byte)
  local f, message = load("x" .. c .. " = 1", "=b")
  print(byte, f and "fine" or message:gsub("[\x80-\xFF]", "?"),
        (load("return '" .. c .. "'")) ~= nil, c:match("%a"), c:match("%c"),
        c:match("%d"), c:match("%g"), c:match("%l"), c:match("%p"), c:match("%s"),
        c:match("%u"), c:match("%w"), c:match("%x"))
end
