-- SPDX-License-Identifier: MIT
-- table.sort: results, comparison functions, errors (manual 6.6).
local function show(t) for i = 1, #t do t[i] = tostring(t[i]) end
print(table.concat(t, " ")) end
local function sorted(t, f) table.sort(t, f) return t end show(sorted {})
show(sorted {1}) show(sorted {2, 1}) show(sorted {3, 1, 2})
show(sorted {5, 3, 5, 1, 3}) show(sorted {"b", "a", "C", "", "ab"})
show(sorted({1, 2, 3}, function(a, b) return a > b end))
show(sorted {1.5, 1, -0.0, 0, 2^53, -1/0, 1/0}) local seed = 42 local
function rnd(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed % n
end
for _, n in ipairs {10, 50, 100, 101, 1000, 5000} do local t = {} for i = 1, n
do t[i] = rnd(n) end table.sort(t) local ok = true for i = 2, n
do ok = ok and t[i - 1] <= t[i] end
print(n, ok, t[1], t[n]) table.sort(t, function(a, b) return a > b end)
for i = 2, n do ok = ok and t[i - 1] >= t[i] end print(n, ok) local u = {}
for i = 1, n do u[i] = i
end table.sort(u) table.sort(u, function(a, b) return a > b end)
print(u[1], u[n]) local same = {} for i = 1, n do same[i] = 7
end table.sort(same) print(#same) end
local words = {}
for w in ("the quick brown fox jumps over the lazy dog and runs away"):gmatch
  "%a+" do words[#words + 1] = w end
show(sorted(words)) table.sort(words, function(a, b) if #a ~= #b then return #a
  < #b end return a < b end) show(words) local recs = {} for i = 1, 20
do recs[i] = {k = rnd(5), i = i}
end table.sort(recs, function(a, b) if a.k ~= b.k then return a.k < b.k end
  return a.i < b.i end) for i = 1, 20 do recs[i] = recs[i].k .. ":" .. recs[i].i
end print(table.concat(recs, " "))
print(pcall(table.sort, {1, "x"})) print(pcall(table.sort, {1, 2, nil, 4}))
print(pcall(table.sort, {{}, {}})) print(pcall(table.sort, {1, 2}, 5))
print(pcall(table.sort, {3, 2, 1}, function() error("cmp", 0) end))
print(pcall(table.sort, 5)) print(pcall(table.sort)) local t = {} for i = 1, 100
do t[i] = rnd(100) end print(pcall(table.sort, t, function() return true end))
print(pcall(table.sort, setmetatable({},
  {__len = function() return math.maxinteger end})))
print(pcall(table.sort, {1, 2, 3}, nil)) print(select("#", table.sort {}))
print(pcall(table.sort, setmetatable({}, {__len = function() return -5 end})))
local log, values = {}, {30, 10, 20}
local p = setmetatable({}, {__len = function() return 3 end,
  __index = function(_, k) return values[k] end,
  __newindex = function(_, k, v) values[k] = v log[k] = true end})
table.sort(p)
print(table.concat(values, " "), #log > 0, rawget(p, 1))
