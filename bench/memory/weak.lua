-- SPDX-License-Identifier: MIT
--
-- Weak tables: caches, memo tables, chains of ephemerons.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

local function weak(mode) return setmetatable({}, { __mode = mode }) end

-- Properties of 50,000 live objects, which are gradually replaced.
case("memo_weak_keys", "both", function()
  local objects, cache = {}, weak("k")
  for i = 1, scaled(2500000, 1000000) do
    local k, object = i % 50000, {}
    objects[k] = object
    cache[object] = { k }
  end
end)

case("weak_values", "both", function()
  local cache = weak("v")
  for i = 1, scaled(4000000) do cache["k" .. i % 1000000] = { i } end
end)

-- Values that refer to their keys: only ephemerons can free them.
case("ephemerons", "both", function()
  local ring, cache = {}, weak("k")
  for i = 1, scaled(2000000, 500000) do
    local object = {}
    ring[i % 20000] = object
    cache[object] = { object }
  end
end)

-- A chain in which each value is the next key: 3,000 links, made and dropped.
case("ephemeron_chain", "both", function()
  for _ = 1, scaled(40) do
    local cache = weak("k")
    local first = {}
    local key = first
    for _ = 1, 3000 do
      local next_key = {}
      cache[key] = next_key
      key = next_key
    end
    for _ = 1, 20000 do local garbage = {} end
    assert(cache[first])
  end
end)

case("weak_both", "both", function()
  local objects, cache = {}, weak("kv")
  for i = 1, scaled(2500000, 1000000) do
    local object = { i }
    objects[i % 50000] = object
    cache[object] = object
  end
end)

-- Many small weak tables, like listeners of objects.
case("small_weak_tables", "both", function()
  local ring = {}
  for i = 1, scaled(1500000) do
    local listeners = setmetatable({}, { __mode = "k" })
    listeners[ring] = i
    ring[i % 20000] = listeners
  end
end)

-- Strings in a weak cache, which the program never removes.
case("weak_string_cache", "both", function()
  local cache = weak("v")
  for i = 1, scaled(2500000) do
    cache[i] = { "value " .. i }
  end
end)

memory.run()
