-- SPDX-License-Identifier: MIT
-- concat, insert, remove, unpack, pack, move (manual 6.6).
local function show(t) local r = {} for i = 1, #t do r[i] = tostring(t[i]) end
print(#t, table.concat(r, ",")) end
print(table.concat {}, table.concat {1, 2, 3}, table.concat({1, 2, 3}, ", "),
  table.concat({1, 2, 3}, ", ", 2), table.concat({1, 2, 3}, ", ", 2, 2),
  table.concat({1, 2, 3}, ",", 3, 2), table.concat({1.5, "x", 2}, "-"),
  table.concat({"a", "b"}, 0), table.concat({[5] = "five"}, ",", 5, 5))
for _, a in ipairs {{{1, {}, 3}}, {{1, nil, 3}, ",", 1, 3}, {{}, ",", 1, 1},
  {{true}}, {5}, {{}, {}}, {{1}, ",", "x"}, {nil}} do
print(pcall(table.concat, table.unpack(a, 1, 4))) end
local t = {} table.insert(t, "a") table.insert(t, 1, "b")
  table.insert(t, 2, "c") table.insert(t, #t + 1, "d") show(t)
for _, p in ipairs {0, -1, 6, 7, 1.5, "2", "x"} do
print(p, pcall(table.insert, {1, 2, 3, 4}, p, "new")) end
print(pcall(table.insert, {})) print(pcall(table.insert, {}, 1, 2, 3))
print(pcall(table.insert, nil, 1)) print(pcall(table.insert, {}, nil))
print(select("#", table.insert({}, 1)))
t = {1, 2, 3, 4, 5}
print(table.remove(t), table.remove(t, 1), table.remove(t, 2)) show(t)
print(table.remove({}), table.remove({}, 0), table.remove({}, nil),
  select("#", table.remove({})))
print(pcall(table.remove, {1, 2, 3}, 4), (pcall(table.remove, {1, 2, 3}, 5)),
  (pcall(table.remove, {1, 2, 3}, 0)), pcall(table.remove, {[0] = "zero"}, 0)) t
  = {n = 1, "x"} table.remove(t, 1) show(t)
print(table.unpack {1, 2, 3}) print(table.unpack({1, 2, 3}, 2))
print(table.unpack({1, 2, 3}, 2, 3)) print(table.unpack({1, 2, 3}, 0, 4))
print(table.unpack({}, 5, 4))
print(table.unpack({[math.maxinteger] = "m"}, math.maxinteger, math.maxinteger))
print(pcall(table.unpack, {}, 1, 1e8))
print(pcall(table.unpack, {}, math.mininteger, math.maxinteger))
print(table.unpack("abc", 1, 2)) print(pcall(table.unpack, 5, 1, 2))
print(select("#", table.unpack({}, 1, 3))) local p = table.pack()
print(p.n, #p) p = table.pack(nil, 2, nil) print(p.n, p[1], p[2], p[3])
show(table.move({1, 2, 3}, 1, 3, 2)) show(table.move({1, 2, 3}, 2, 3, 1))
show(table.move({1, 2, 3}, 1, 3, 3)) show(table.move({1, 2, 3}, 1, 3, 1, {}))
show(table.move({1, 2, 3}, 1, 0, 5))
show(table.move({1, 2, 3}, 1, 3, 5, {9, 9, 9, 9}))
print(pcall(table.move, {}, 1, math.maxinteger, 2))
print(pcall(table.move, {}, -1, math.maxinteger, 2))
print(pcall(table.move, {}, 1, 2, math.maxinteger))
print(pcall(table.move, {}, 1, 2, 3, 4)) print(pcall(table.move, {}, 1))
local big = table.move({[math.maxinteger - 1] = "x", [math.maxinteger] = "y"},
  math.maxinteger - 1, math.maxinteger, -1) print(big[-1], big[0])
local neg = table.move({[math.mininteger] = "low"}, math.mininteger,
  math.mininteger, 5) print(neg[5])
local log = {}
local proxy = setmetatable({}, {__index = function(_, k) log[#log + 1] = "r" ..
  k return k <= 3 and k * 10 or nil end, __newindex = function(_, k, v)
  log[#log + 1] = "w" .. k .. "=" .. tostring(v) end, __len = function()
  log[#log + 1] = "len" return 3 end}) table.insert(proxy, "x")
  table.insert(proxy, 2, "y") table.remove(proxy) table.remove(proxy, 1)
  table.concat(proxy, ",") table.unpack(proxy) table.move(proxy, 1, 3, 2)
  table.move({7, 8}, 1, 2, 1, proxy) print(table.concat(log, " "))
print(pcall(table.insert, setmetatable({}, {__len = function() return 1.5 end}),
  1))
print(pcall(table.insert, setmetatable({},
  {__len = function() return math.maxinteger end}), 1) ,
  pcall(table.insert, setmetatable({},
  {__len = function() return "3" end, __newindex = function(_, k, v) print(k, v)
  end}), 1))
print(next {}, next {5}, next({5}, 1), pcall(next, {}, "x")) print(pcall(next))
print(rawlen {1, 2}, rawget({5}, 1), rawequal({}, {}), rawset({}, 1, 2)[1])
print(type(next), #table, table.unpack == unpack, table.getn)
