-- SPDX-License-Identifier: MIT
-- Several sorting algorithms agree, and a priority queue too.
local seed = 1 local function rnd(n) seed = (seed * 16807) % 2147483647
return seed % n end local function bubble(a) for i = #a, 2, -1 do
for j = 1, i - 1 do if a[j] > a[j + 1] then a[j], a[j + 1] = a[j + 1], a[j] end
end end end local function insertion(a) for i = 2, #a do
local v, j = a[i], i - 1 while j > 0 and a[j] > v do a[j + 1] = a[j] j = j - 1
end a[j + 1] = v end end local function quick(a, l, r) l, r = l or 1, r or #a
if l < r then local p, i, j = a[(l + r) // 2], l, r repeat while a[i] < p
do i = i + 1 end while a[j] > p do j = j - 1 end
if i <= j then a[i], a[j] = a[j], a[i] i, j = i + 1, j - 1
end until i > j quick(a, l, j) quick(a, i, r) end end local function merge(a)
if #a < 2 then return a end local m = #a // 2
local l, r = merge {table.unpack(a, 1, m)}, merge {table.unpack(a, m + 1)}
local o, i, j = {}, 1, 1 while l[i] or r[j] do
if not r[j] or l[i] and l[i] <= r[j] then o[#o + 1] = l[i] i = i + 1 else
  o[#o + 1] = r[j] j = j + 1 end end return o end local function heap(a)
local h, n = {}, 0 local function push(v) n = n + 1 h[n] = v local i = n
while i > 1 and h[i // 2] > h[i] do h[i // 2], h[i] = h[i], h[i // 2] i = i // 2
end end local function pop() local v = h[1] h[1] = h[n] h[n] = nil n = n - 1
local i = 1 while 2 * i <= n do local c = 2 * i
if c < n and h[c + 1] < h[c] then c = c + 1 end if h[i] <= h[c] then break
end h[i], h[c] = h[c], h[i] i = c end return v end for _, v in ipairs(a)
do push(v) end for i = 1, #a do a[i] = pop() end end
for _, n in ipairs {0, 1, 2, 10, 100, 300} do local base = {} for i = 1, n
do base[i] = rnd(1000) end local want = {table.unpack(base)} table.sort(want)
local w = table.concat(want, ",")
for name, f in pairs {bubble = bubble, insertion = insertion, quick = quick,
  heap = heap} do
local c = {table.unpack(base)} f(c) assert(table.concat(c, ",") == w, name)
end assert(table.concat(merge(base), ",") == w) print(n, #w, w:sub(1, 60)) end
