-- SPDX-License-Identifier: MIT
-- The cost of weak tables for the collector: memory beyond entries, and work.

local gc = require "penumbra.gc"
collectgarbage("incremental")

local function weak(mode) return setmetatable({}, {__mode = mode}) end

-- Runs a cycle in small steps.  Returns the most bytes held meanwhile.
local function cycle()
  local most = 0
  collectgarbage("stop")
  repeat
    local over = collectgarbage("step", 200)
    most = math.max(most, gc.stats().footprint)
  until over
  return most
end

-- The collector does not list entries with dead or unreached keys one by one: a
-- large cache has more of them than there is memory for that.
do
  local cache, live = weak("k"), {}
  collectgarbage("stop")
  for i = 1, 60000 do
    local o = {}
    cache[o] = {o}
    if i % 3 == 0 then live[#live + 1] = o end
  end
  local before = gc.stats().footprint
  print(cycle() - before < 1000000)               --> true
  local kept = 0
  for _, o in ipairs(live) do
    if cache[o] and cache[o][1] == o then kept = kept + 1 end
  end
  print(kept == #live, kept)                      --> true 20000
end

-- More large tables than can be handled without records, all with the same
-- keys.  Each value is the only reference to the next key.
do
  local caches = {}
  for i = 1, 7 do caches[i] = weak("k") end
  local first = {}
  local key = first
  for i = 1, 7000 do
    local next_key = {}
    caches[i % 7 + 1][key] = next_key
    for j = 1, 7 do caches[j][{}] = j end
    key = next_key
  end
  key = nil
  cycle()
  cycle()
  local links = 0
  key = first
  while key do
    links = links + 1
    local next_key
    for j = 1, 7 do next_key = next_key or caches[j][key] end
    key = next_key
  end
  print(links)                                    --> 7001
end

-- Free nodes of a table with weak keys cost no more work than those of others.
do
  collectgarbage()
  local cache, keys = weak("k"), {}
  for i = 1, 50000 do keys[i] = {}; cache[keys[i]] = i end
  keys = nil
  collectgarbage()
  local before = gc.stats().work
  collectgarbage()
  print(gc.stats().work - before < 400000)        --> true
  print(next(cache))                              --> nil
end

-- Small weak tables are no larger after a cycle than before.
for _, mode in ipairs {"k", "v"} do
  local tables, key = {}, {}
  local meta = {__mode = mode}
  collectgarbage()
  collectgarbage("stop")
  for i = 1, 10000 do
    tables[i] = setmetatable({}, meta)
    tables[i][key] = key
  end
  local before = collectgarbage("count")
  collectgarbage()
  print(collectgarbage("count") <= before + 50)   --> true
end
--> true

-- A weak table is read and written at every moment of a cycle.
for _, mode in ipairs {"k", "v", "kv"} do
  local kept = {}
  local t = setmetatable({}, {__mode = mode})
  t[1], t[1000], t.name, t[2.5], t[kept] = kept, kept, kept, kept, kept
  local wrong = 0
  for i = 1, 3000 do
    t[{}] = {}
    if i % 10 == 0 then collectgarbage("step", 1) end
    if t[1] ~= kept or t[1000] ~= kept or t.name ~= kept or t[2.5] ~= kept or
       t[kept] ~= kept or t[2] or t[1001] or t.other or t[3.5] then
      wrong = wrong + 1
    end
  end
  print(wrong)                                    --> 0
end
--> 0
--> 0

-- The mode is found in a metatable with thousands of fields.
do
  local meta = {}
  for i = 1, 6000 do meta["field" .. i] = i end
  meta.__mode = "k"
  local t = setmetatable({[{}] = 1, [meta] = 2}, meta)
  for i = 6001, 12000 do
    meta["field" .. i] = i
    if i % 1000 == 0 then collectgarbage() end
  end
  local count = 0
  for _ in pairs(t) do count = count + 1 end
  print(count, t[meta])                           --> 1 2
end

-- Arrays of all sizes beside small hashes, whose values only they keep.
do
  local wrong, text = 0, {"local list = ... return {"}
  for i = 1, 40 do text[#text + 1] = ("[%.1f] = {%.1f},"):format(i + 0.5, i + 0.5) end
  local make = load(table.concat(text) .. "table.unpack(list)}")
  for n = 200, 600, 7 do
    local list = {}
    for i = 1, n do list[i] = {i} end
    local t = make(list)
    list = nil
    for i = 1, 40 do
      collectgarbage("step", 1)
      t[i + 0.5], t[-i] = nil, {-i}
    end
    collectgarbage()
    for k, v in pairs(t) do if v[1] ~= k then wrong = wrong + 1 end end
  end
  print(wrong)                                    --> 0
end
