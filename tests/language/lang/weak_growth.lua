-- SPDX-License-Identifier: MIT
-- A weak table that grows while the collector works stays weak: dead entries
-- that moved to its new parts are still removed.

local LIVE, ROUNDS = 5000, 40

local function count(t)
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n
end

-- A memo: the value for an object lives as long as the object.  Only the
-- objects of the last round are live.
local function memo(mode)
  local cache, live = setmetatable({}, {__mode = mode}), {}
  for _ = 1, ROUNDS do
    for i = 1, LIVE do
      local o = {}
      live[i] = o
      cache[o] = {{}}
    end
  end
  local left = count(cache)
  collectgarbage()
  collectgarbage()
  local kept = true
  if mode == "k" then
    for i = 1, LIVE do kept = kept and cache[live[i]] ~= nil end
    kept = kept and count(cache) == LIVE
  end
  return left < 12 * LIVE, kept
end

-- Names with values that nothing else holds.
local function names()
  local cache = setmetatable({}, {__mode = "v"})
  for i = 1, ROUNDS * LIVE do cache["name" .. i] = {i} end
  local left = count(cache)
  collectgarbage()
  return left < 12 * LIVE, count(cache) == 0
end

for _, mode in ipairs{"incremental", "generational"} do
  collectgarbage(mode)
  print(memo("k"))                                --> true true
  print(memo("kv"))                               --> true true
  print(names())                                  --> true true
end
--> true true
--> true true
--> true true

-- Nor does the table grow from cycle to cycle: garbage makes it larger, and
-- then its size must not allow more garbage.  A live entry takes up to 120
-- bytes: an object or two, and a node.  With the garbage of a cycle, and a part
-- for twice as many nodes beside the old one, that makes 1300.
local function bytes_beside(mode, live)
  collectgarbage()
  local before, peak = collectgarbage("count"), 0
  local objects, cache = {}, setmetatable({}, {__mode = mode})
  for i = 1, 40 * live do
    local o = {}
    objects[i % live] = o
    cache[o] = mode == "kv" and o or {i}
    if i % 500 == 0 then peak = math.max(peak, collectgarbage("count")) end
  end
  return (peak - before) * 1024 // live
end

for _, gc in ipairs{"incremental", "generational"} do
  collectgarbage(gc)
  for _, mode in ipairs{"k", "kv"} do
    for _, live in ipairs{20000, 35000} do
      -- A part may double while a cycle lasts, and a cycle lasts longer if other
      -- programs take the processor: up to 2500 in one of ten runs.  A table
      -- that kept its garbage would have 5300 every time.
      local bytes, tries = math.huge, 0
      while bytes >= 2000 and tries < 4 do
        bytes, tries = bytes_beside(mode, live), tries + 1
      end
      assert(bytes < 2000, string.format("%s, %s, %d live: %d bytes for each",
                                         gc, mode, live, bytes))
    end
  end
end
