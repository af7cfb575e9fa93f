-- SPDX-License-Identifier: MIT
--
-- Programs whose need of memory changes, and scattered survivors.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled, random = memory.case, memory.scaled, memory.random

-- Some work on 1 MB of live objects.
local function small_period(count)
  local ring = {}
  for i = 1, count do ring[i % 10000] = { i } end
end

case("tables_then_small", "both", function()
  local live = {}
  for i = 1, 1500000 do live[i] = { i } end
  live = nil
  small_period(scaled(8000000) + 1000000)
end)

case("strings_then_small", "both", function()
  local live = {}
  for i = 1, 200000 do live[i] = string.rep("s", 300) .. i end
  for i = 1, 100 do live[i] = string.rep("s", 1000000) .. i end
  live = nil
  small_period(scaled(8000000) + 1000000)
end)

case("array_then_small", "both", function()
  local live = {}
  for i = 1, 8000000 do live[i] = i end
  live = nil
  small_period(scaled(8000000) + 1000000)
end)

-- One object in a thousand survives, scattered over a large heap.
case("scattered_then_small", "both", function()
  local live, kept = {}, {}
  for i = 1, 1500000 do
    live[i] = { i }
    if i % 1000 == 0 then kept[#kept + 1] = live[i] end
  end
  live = nil
  small_period(scaled(8000000) + 1000000)
  assert(#kept == 1500)
end)

-- Large, small, large, small.
case("tides", "both", function()
  for _ = 1, scaled(8, 3) do
    local live = {}
    for i = 1, 400000 do live[i] = { i, i } end
    live = nil
    small_period(600000)
  end
end)

-- One object in a thousand is kept forever.
case("survivors", "both", function()
  local kept = {}
  for i = 1, scaled(12000000) do
    local object = { i }
    if i % 1000 == 0 then kept[#kept + 1] = object end
  end
end)

-- The same with objects of all sizes.
case("survivors_of_all_sizes", "both", function()
  local kept = {}
  for i = 1, scaled(2000000) do
    local object = {}
    for j = 1, i % 20 do object[j] = j end
    if i % 1000 == 0 then kept[#kept + 1] = object end
  end
end)

-- Each phase fills the heap with objects of another size.  A few objects of the
-- last phase remain in between.
case("size_shifts", "both", function()
  local kept = {}
  for phase = 1, scaled(72) do
    local live = {}
    local fields = phase % 12
    for i = 1, 60000 do
      local object = {}
      for j = 1, fields do object[j] = j end
      live[i] = object
      if i % 100 == 0 then kept[(phase * 600 + i // 100) % 6000] = object end
    end
  end
end)

-- Everything stays alive: a heap that only grows.
case("only_grows", "both", function()
  local live = {}
  for i = 1, scaled(3000000) do live[i] = { i } end
end)

-- The heap doubles and halves; the dropped objects are random.
case("random_walk", "both", function()
  local live = {}
  for i = 1, scaled(6000000) do
    local limit = (i // 1000000) % 2 == 0 and 300000 or 30000
    local slot = random(300000)
    if slot <= limit then live[slot] = { i, i } else live[slot] = nil end
  end
end)

memory.run()
