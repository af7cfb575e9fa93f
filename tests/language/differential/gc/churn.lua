-- SPDX-License-Identifier: MIT
-- Many objects of every kind, with invariants checked on the way.
local live = {} local seed = 7 local
function rnd(n) seed = (seed * 1103515245 + 12345) % 2147483648
return seed % n + 1 end for i = 1, 30000 do local k = rnd(200)
local kind = rnd(6)
if kind == 1 then live[k] = {kind = "table", value = k, sub = {k, tostring(k)}}
  elseif kind == 2 then live[k] = {kind = "closure", value = k, f = function()
  return k end} elseif kind == 3 then live[k] =
  {kind = "string", value = k, s = ("s" .. k):rep(rnd(30))} elseif kind == 4
  then
local co = coroutine.wrap(function(a) while true do a = coroutine.yield(a) end
  end) co(k) live[k] = {kind = "coroutine", value = k, co = co} elseif kind == 5
  then live[k] = setmetatable({kind = "meta", value = k},
  {__index = function(_, key) return key .. k end}) else live[k] = nil end
local p = live[rnd(200)] if p then
if p.kind == "table" then assert(p.sub[1] == p.value and p.sub[2] ==
  tostring(p.value)) elseif p.kind == "closure" then assert(p.f() == p.value)
  elseif p.kind == "string" then assert(p.s:find("s" .. p.value, 1, true) == 1)
  elseif p.kind == "coroutine" then assert(p.co(p.value) == p.value) else
  assert(p.foo == "foo" .. p.value) end end end local c = {}
for _, v in pairs(live) do c[v.kind] = (c[v.kind] or 0) + 1 end
print(c.table, c.closure, c.string, c.coroutine, c.meta)
for _, mode in ipairs {"generational", "incremental"} do collectgarbage(mode)
local list for i = 1, 20000 do list = {next = list, i = i}
if i % 1000 == 0 then list = nil end end local t = {} for i = 1, 2000
do t[i] = {i} end for i = 1, 2000 do t[i][1] = {t[i % 2000 + 1]} end local n = 0
for i = 1, 2000 do n = n + #t[i] end print(mode, n) end for i = 1, 100 do
collectgarbage("step", 10) end collectgarbage("stop") local x for i = 1, 1000
do x = {x} end collectgarbage("restart") local d = 0 while x
do d = d + 1 x = x[1] end print(d) collectgarbage("incremental", 1000, 50, 5)
for i = 1, 5000 do local y = {i, {i}} end
collectgarbage("incremental", 200, 100, 13) collectgarbage()
print(collectgarbage("count") < 20000)
