-- SPDX-License-Identifier: MIT
-- Strings: concatenation, substrings, repetition, bytes.

local op = ...

op("'a' .. 'b'", "local a, b, x = 'hello', 'world'", "x = a .. b")
op("a .. i", "local a, x = 'k'", "x = a .. i")
op("i .. a", "local a, x = 'k'", "x = i .. a")
op("a .. float", "local a, x = 'k'", "x = a .. (i + 0.5)")
op("three pieces", "local x", "x = 'a' .. i .. 'b'")
op("six pieces", "local a, x = 'word'", "x = a .. ' ' .. a .. ' ' .. a .. '.'")
op("twenty pieces", "local a, x = 'word'", "x = " .. ("a .. "):rep(19) .. "a")
op("to a long string", "local a, x = ('x'):rep(60)", "x = a .. 'y'")
for _, n in ipairs { 100, 1000, 5000, 50000, 500000 } do
  op(".. with " .. n .. " bytes", ("local a, x = ('x'):rep(%d)"):format(n), "x = a .. 'y'")
end
op("two of 50 KB", "local a, x = ('x'):rep(50000)", "x = a .. a")
for _, n in ipairs { 200, 2000, 20000 } do
  op("growing to " .. n .. " bytes", "", ("local s = '' for j = 1, %d do s = s .. 'x' end"):format(n))
end
op("growing by words to 2 KB", "", "local s = '' for j = 1, 200 do s = s .. 'word ' .. j .. ' ' end")
op("growing at the front", "", "local s = '' for j = 1, 500 do s = 'x' .. s end")
op("an empty string added", "local a, x = 'hello'", "x = a .. ''")
op("#", "local a, x = 'hello'", "x = #a")
op("len", "local a, x = 'hello'", "x = a:len()")
for _, n in ipairs { 1, 5, 30, 100, 1000, 50000 } do
  op("sub of " .. n .. " bytes", "local s, x = ('abcdefghij'):rep(10000)", ("local p = i %% 1000 x = s:sub(p, p + %d)"):format(n - 1))
end
op("sub from the end", "local s, x = 'hello world'", "x = s:sub(-5)")
op("sub, all of it", "local s, x = ('x'):rep(1000)", "x = s:sub(1)")
op("sub, empty", "local s, x = 'hello'", "x = s:sub(5, 2)")
op("characters one by one", "local s = ('abcdefghij'):rep(10)", "for j = 1, #s do local c = s:sub(j, j) end")
op("bytes one by one", "local s = ('abcdefghij'):rep(10)", "for j = 1, #s do local c = s:byte(j) end")
op("byte", "local s, x = 'hello'", "x = s:byte(3)")
op("byte, several", "local s = 'hello'", "local a, b, c = s:byte(1, 3)")
op("byte, 100", "local s = ('x'):rep(100)", "local a = s:byte(1, 100)")
op("char", "local x", "x = string.char(i & 127)")
op("char, five", "local x", "x = string.char(104, 101, 108, 108, 111)")
op("char, 100", "local t, x = { (('x'):rep(100)):byte(1, -1) }", "x = string.char(table.unpack(t))")
for _, case in ipairs { { 1, 10 }, { 1, 1000 }, { 1, 100000 }, { 3, 100 }, { 300, 10 }, { 300, 1000 }, { 10000, 10 } } do
  op(("rep of %d bytes, %d times"):format(case[1], case[2]), ("local s, x = ('x'):rep(%d)"):format(case[1]), ("x = s:rep(%d)"):format(case[2]))
end
op("rep with a separator", "local s, x = 'ab'", "x = s:rep(50, ', ')")
op("rep, once", "local s, x = 'hello'", "x = s:rep(1)")
op("rep, never", "local s, x = 'hello'", "x = s:rep(0)")
for _, n in ipairs { 5, 40, 1000, 50000 } do
  for _, f in ipairs { "upper", "lower", "reverse" } do
    op(f .. ", " .. n .. " bytes", ("local s, x = ('aBcDe'):rep(%d)"):format(n // 5), ("x = s:%s()"):format(f))
  end
end
op("pack, an integer", "local x", "x = string.pack('i4', i)")
op("pack, several", "local x", "x = string.pack('<i4i2bd', i, 1, 2, 3.5)")
op("pack, strings", "local x", "x = string.pack('s2z', 'hello', 'world')")
op("unpack, an integer", "local s, x = string.pack('i4', 77)", "x = string.unpack('i4', s)")
op("unpack, several", "local s = string.pack('<i4i2bd', 1, 2, 3, 3.5)", "local a, b, c, d = string.unpack('<i4i2bd', s)")
op("unpack, strings", "local s = string.pack('s2z', 'hello', 'world')", "local a, b = string.unpack('s2z', s)")
op("packsize", "local x", "x = string.packsize('<i4i2bd')")
op("a new short string", "local s, x = 'abcdefghijklmnopqrstuvwxyz'", "x = s:sub(i % 20 + 1, i % 20 + 6)")
op("interned numbers", "local x", "x = tostring(i & 1023)")
op("== of a new string", "local a, n = 'k5', 0", "if ('k' .. (i & 7)) == a then n = n + 1 end")
op("a key of a new string", "local t, x = { k1 = 1, k2 = 2, k3 = 3 }", "x = t['k' .. (i & 3)]")
op("string.dump", "local f, x = function(a) return a + 1 end", "x = string.dump(f)")
op("string.dump, stripped", "local f, x = function(a) return a + 1 end", "x = string.dump(f, true)")
op("checksum of 1000 bytes", "local s = ('abcdefghij'):rep(100)", "local h = 0 for j = 1, #s do h = (h * 31 + s:byte(j)) & 0xffffffff end")
op("caesar of 100 bytes", "local s = ('abcdefghij'):rep(10)", "local t = {} for j = 1, #s do t[j] = string.char(s:byte(j) + 1) end local r = table.concat(t)")
op("a palindrome", "local s, x = 'neveroddoreven'", "x = s == s:reverse()")
op("split by find", "local s = 'alpha,beta,gamma,delta,epsilon'", "local t, p = {}, 1 while true do local q = s:find(',', p, true) " ..
   "if not q then t[#t + 1] = s:sub(p) break end t[#t + 1] = s:sub(p, q - 1) p = q + 1 end")
op("join with ..", "local t = { 'a', 'b', 'c', 'd', 'e' }", "local s = t[1] for j = 2, 5 do s = s .. ',' .. t[j] end")
