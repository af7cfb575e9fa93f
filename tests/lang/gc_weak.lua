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
