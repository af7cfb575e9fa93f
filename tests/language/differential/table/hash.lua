-- SPDX-License-Identifier: MIT
-- Tables as dictionaries: growth, removal, keys of every type, traversal.
local t = {} for i = 1, 1000 do t["k" .. i] = i t[i * 1.5] = i t[-i] = i end
local n, sum = 0, 0 for k, v in pairs(t) do n = n + 1 sum = sum + v end
print(n, sum) for i = 1, 1000, 2 do t["k" .. i] = nil t[-i] = nil
end n, sum = 0, 0 for k, v in pairs(t) do n = n + 1 sum = sum + v end
print(n, sum) for k in pairs(t) do t[k] = nil end print(next(t)) for i = 1, 100
do t[i] = i end n = 0 for _ in pairs(t) do n = n + 1 end print(n, #t)
local f, g, u, co = function() end, function() end,
io.stdout, coroutine.create(print)
local k = {[f] = 1, [g] = 2, [u] = 3, [co] = 4, [true] = 5, [false] = 6, [1.5] =
  7, ["1.5"] = 8, [print] = 9, [t] = 10, [math.huge] = 11, [-math.huge] = 12,
  [math.mininteger] = 13, [2^63] = 14}
print(k[f], k[g], k[u], k[co], k[true], k[false], k[1.5], k["1.5"], k[print],
  k[t], k[math.huge], k[-math.huge], k[math.mininteger], k[2^63], k[-2^63],
  k[{}], k[nil], k[0/0])
local order = {} for i, v in ipairs {10, 20, 30}
do order[#order + 1] = i .. "=" .. v end for k, v in pairs {10, 20, 30}
do order[#order + 1] = k .. "=" .. v end print(table.concat(order, " "))
local sparse = {} for i = 1, 64 do sparse[1 << (i - 1)] = i end n = 0
for k, v in pairs(sparse) do n = n + v end
print(n, sparse[1 << 40], sparse[math.mininteger])
local q = {first = 1, last = 0} for i = 1, 1000
do q.last = q.last + 1 q[q.last] = i
if i % 3 == 0 then q[q.first] = nil q.first = q.first + 1 end end
print(q.first, q.last, q[q.first], q[q.last]) local lru = {} for i = 1, 10000
do lru["x" .. i] = i lru["x" .. i - 10] = nil end n = 0 for _ in pairs(lru)
do n = n + 1 end print(n)
local d = {} for i = 1, 10 do d[i] = i end for k, v in pairs(d) do
if v % 2 == 0 then d[k] = nil end end local r = {} for k in pairs(d)
do r[#r + 1] = k end table.sort(r)
print(table.concat(r, " ")) d = {1, 2, 3, x = 4} for k, v in next, d
do d[k] = v + 1 end print(d[1], d[2], d[3], d.x)
print(pcall(next, {}, 1), pcall(next, {1, 2}, 3)) print(next({nil, nil, 3}))
local m = {} for i = 1, 5 do m[i] = {} for j = 1, 5 do m[i][j] = i * j end end
print(m[3][4], #m, #m[5], m[5][5]) local s = {}
for _, w in ipairs {"a", "b", "a", "c", "b", "a"} do s[w] = (s[w] or 0) + 1 end
print(s.a, s.b, s.c, s.d) local neg = {[-1] = "m", [0] = "z", "one"}
print(neg[-1], neg[0], neg[1], #neg) local back = {} for i = 100, 1, -1
do back[i] = i end print(#back) local holes = {} for i = 1, 100 do
if i % 10 ~= 0 then holes[i] = i end end n = 0 for _ in pairs(holes)
do n = n + 1 end print(n)
