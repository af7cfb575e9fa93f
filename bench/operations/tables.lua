-- SPDX-License-Identifier: MIT
-- Making, reading, writing and growing tables in the common ways.

local op = ...

op("{}", "local x", "x = {}")
op("{ i }", "local x", "x = { i }")
op("{ 1, 2, 3 }", "local x", "x = { 1, 2, 3 }")
op("{ 20 numbers }", "local x", "x = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 }")
op("{ x, y }", "local t", "t = { x = i, y = i }")
op("{ six names }", "local t", "t = { a = i, b = i, c = i, d = i, e = i, f = i }")
op("{ names of constants }", "local t", "t = { a = 1, b = 2, c = 'x', d = true }")
op("{ [i] = v }", "local t", "t = { [i] = 1 }")
op("{ ['x'] = list }", "local t", "t = { list = { 1, 2 }, name = 'n' }")
op("{} and three fields", "", "local t = {}; t.a = 1; t.b = 2; t.c = 3")
op("{} and three elements", "", "local t = {}; t[1] = 1; t[2] = 2; t[3] = 3")
op("{} and ten fields", "", "local t = {}; t.a = 1; t.b = 2; t.c = 3; t.d = 4; t.e = 5; " ..
   "t.f = 6; t.g = 7; t.h = 8; t.j = 9; t.k = 10")
op("a matrix of 10 x 10", "", "local m = {} for j = 1, 10 do local r = {} for k = 1, 10 do r[k] = 0 end m[j] = r end")
op("read a field", "local t, x = { a = 1, b = 2, c = 3 }", "x = t.b")
op("write a field", "local t = { a = 1, b = 2, c = 3 }", "t.b = i")
op("add to a field", "local t = { a = 1 }", "t.a = t.a + 1")
op("read a field that is not there", "local t, x = { a = 1, b = 2, c = 3 }", "x = t.zz")
op("a.b.c.d", "local t, x = { b = { c = { d = 1 } } }", "x = t.b.c.d")
op("fields of 16 objects", "local o, x = {} for j = 1, 16 do o[j] = { [ 'f' .. j ] = j, v = j } end",
   "x = o[(i & 15) + 1].v")
op("read an element", "local t, x = { 1, 2, 3, 4, 5, 6, 7, 8 }", "x = t[(i & 7) + 1]")
op("write an element", "local t = { 1, 2, 3, 4, 5, 6, 7, 8 }", "t[(i & 7) + 1] = i")
op("read a constant element", "local t, x = { 1, 2, 3 }", "x = t[2]")
op("write a constant element", "local t = { 1, 2, 3 }", "t[2] = i")
op("read t[j][k]", "local t, x = {} for j = 1, 8 do t[j] = { 1, 2, 3, 4, 5, 6, 7, 8 } end",
   "x = t[(i & 7) + 1][(i >> 3 & 7) + 1]")
op("read beyond the end", "local t, x = { 1, 2, 3 }", "x = t[4]")
op("read [0]", "local t, x = { 1, 2, 3, [0] = 5 }", "x = t[0]")
op("negative indices", "local t, x = {} for j = 1, 10 do t[-j] = j end", "x = t[-(i % 10) - 1]")
op("swap elements", "local t = { 1, 2, 3 }", "t[1], t[2] = t[2], t[1]")
op("#, 3 elements", "local t, x = { 1, 2, 3 }", "x = #t")
op("#, 1000 elements", "local t, x = {} for j = 1, 1000 do t[j] = j end", "x = #t")
op("#, half filled", "local t, x = {} for j = 1, 600 do t[j] = j end", "x = #t")
op("#, empty", "local t, x = {}", "x = #t")
op("#, names only", "local t, x = { a = 1 }", "x = #t")
op("#, elements in the hash", "local t, x = { a = 1 } t[3] = 1 t[2] = 1 t[1] = 1", "x = #t")
op("t[#t + 1], 100", "", "local t = {} for j = 1, 100 do t[#t + 1] = j end")
for _, n in ipairs { 10, 100, 1000, 10000, 100000 } do
  op("fill an array of " .. n, "", ("local t = {} for j = 1, %d do t[j] = j end"):format(n))
end
op("fill an array of 1000 tables", "", "local t = {} for j = 1, 1000 do t[j] = {} end")
op("fill from the top, 1000", "", "local t = {} for j = 1000, 1, -1 do t[j] = j end")
op("fill from the top, 100000", "", "local t = {} for j = 100000, 1, -1 do t[j] = j end")
op("fill every other, 1000", "", "local t = {} for j = 1, 1000, 2 do t[j] = j end")
op("overwrite an array of 1000", "local t = {} for j = 1, 1000 do t[j] = j end",
   "for j = 1, 1000 do t[j] = i end")
op("copy an array of 1000", "local t = {} for j = 1, 1000 do t[j] = j end",
   "local c = {} for j = 1, #t do c[j] = t[j] end")
op("sum an array of 1000", "local t = {} for j = 1, 1000 do t[j] = j end",
   "local s = 0 for j = 1, 1000 do s = s + t[j] end")
op("reverse an array of 100", "local t = {} for j = 1, 100 do t[j] = j end",
   "for j = 1, 50 do t[j], t[101 - j] = t[101 - j], t[j] end")
op("filter an array of 100", "local t = {} for j = 1, 100 do t[j] = j end",
   "local r = {} for j = 1, #t do if t[j] % 2 == 0 then r[#r + 1] = t[j] end end")
op("copy a record", "local t = { a = 1, b = 2, c = 3, d = 4 }",
   "local c = {} for k, v in pairs(t) do c[k] = v end")
op("copy a map of 1000", "local t = {} for j = 1, 1000 do t['k' .. j] = j end",
   "local c = {} for k, v in pairs(t) do c[k] = v end")
op("a list of 100 cells", "", "local l for j = 1, 100 do l = { next = l, value = j } end")
op("walk a list of 100", "local l for j = 1, 100 do l = { next = l, value = j } end",
   "local p, n = l, 0 while p do n = n + p.value; p = p.next end")
op("a tree of depth 6", "local function tree(d) if d == 0 then return {} end " ..
   "return { left = tree(d - 1), right = tree(d - 1) } end", "tree(6)")
op("count words", "local w = {} for j = 1, 100 do w[j] = 'w' .. j % 20 end",
   "local c = {} for j = 1, 100 do local k = w[j]; c[k] = (c[k] or 0) + 1 end")
op("a set of words", "local w = {} for j = 1, 100 do w[j] = 'w' .. j end",
   "local c = {} for j = 1, 100 do c[w[j]] = true end")
op("group by", "local w = {} for j = 1, 100 do w[j] = j % 10 end",
   "local g = {} for j = 1, 100 do local k = w[j] local l = g[k] if not l then l = {} g[k] = l end l[#l + 1] = j end")
op("sieve of 1000", "", "local s = {} for j = 2, 1000 do s[j] = true end " ..
   "for j = 2, 31 do if s[j] then for k = j * j, 1000, j do s[k] = false end end end")
