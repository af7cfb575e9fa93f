-- SPDX-License-Identifier: MIT
--
-- Tables with hash parts.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled, random = memory.case, memory.scaled, memory.random

case("float_keys", "both", function()
  for _ = 1, scaled(15, 4) do
    local t = {}
    for i = 1, 200000 do t[i * 2.5] = i end
  end
end)

-- The same, with a size that fits into a cache.
case("float_keys_small", "both", function()
  for _ = 1, scaled(4000) do
    local t = {}
    for i = 1, 2000 do t[i * 2.5] = i end
  end
end)

case("string_keys", "both", function()
  for _ = 1, scaled(15, 3) do
    local t = {}
    for i = 1, 200000 do t["key" .. i] = i end
  end
end)

-- Records of four fields, 20,000 alive.
case("records", "both", function()
  local ring = {}
  for i = 1, scaled(4000000) do
    ring[i % 20000] = { name = i, value = i, left = i, right = i }
  end
end)

-- Pushed at one end, popped at the other, with 50,000 entries waiting.
case("queue", "both", function()
  local queue, first, last = {}, 1, 0
  for i = 1, scaled(8000000) do
    last = last + 1
    queue[last] = { i }
    if last - first >= 50000 then
      queue[first] = nil
      first = first + 1
    end
  end
end)

-- A queue that repeatedly fills and empties.
case("queue_in_waves", "both", function()
  local queue, first, last = {}, 1, 0
  for _ = 1, scaled(25, 5) do
    for i = 1, 200000 do
      last = last + 1
      queue[last] = { i }
    end
    while first <= last do
      queue[first] = nil
      first = first + 1
    end
  end
end)

-- A hash that repeatedly loses all keys and gets new ones.
case("hash_refilled", "both", function()
  local t, base = {}, 0
  for _ = 1, scaled(6) do
    for i = 1, 200000 do t["k" .. base + i] = { i } end
    for i = 1, 200000 do t["k" .. base + i] = nil end
    base = base + 200000
  end
end)

-- A constant number of keys, which constantly change.
case("sliding_keys", "both", function()
  local t = {}
  for i = 1, scaled(1500000, 300000) do
    t["k" .. i] = i
    t["k" .. i - 100000] = nil
  end
end)

-- Objects as keys of a set.
case("object_keys", "both", function()
  local ring, set = {}, {}
  for i = 1, scaled(3000000) do
    local slot = i % 100000
    local old = ring[slot]
    if old then set[old] = nil end
    local object = { i }
    ring[slot], set[object] = object, true
  end
end)

-- A hash that grows to a million keys, several times.
case("growing_hash", "both", function()
  for _ = 1, scaled(10, 3) do
    local t = {}
    for i = 1, 1000000 do t[-i] = i end
  end
end)

-- Hashes of all sizes; the last ten stay alive.
case("hash_sizes", "both", function()
  local ring = {}
  for i = 1, scaled(3000) do
    local t = {}
    for j = 1, random(10000) do t[-j] = j end
    ring[i % 10] = t
  end
end)

memory.run()
