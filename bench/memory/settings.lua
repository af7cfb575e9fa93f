-- SPDX-License-Identifier: MIT
--
-- Settings and requests of a program to the collector.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

-- 46 MB of live small tables, which are replaced one after the other.
local function steady(count)
  local live = {}
  for i = 1, 520000 do live[i] = { i } end
  for i = 1, count do live[i % 520000 + 1] = { i } end
end

local function pause(percent)
  return function()
    collectgarbage("setpause", percent)
    steady(scaled(4000000, 1500000))
  end
end

case("pause_105", "incremental", pause(105))
case("pause_120", "incremental", pause(120))
case("pause_150", "incremental", pause(150))
case("pause_200", "incremental", pause(200))
case("pause_400", "incremental", pause(400))
case("pause_1000", "incremental", pause(1000))

local function stepmul(percent)
  return function()
    collectgarbage("setstepmul", percent)
    local ring = {}
    for i = 1, scaled(12000000) do ring[i % 100000] = { i } end
  end
end

case("stepmul_1", "incremental", stepmul(1))
case("stepmul_4", "incremental", stepmul(4))
case("stepmul_10", "incremental", stepmul(10))
case("stepmul_100", "incremental", stepmul(100))
case("stepmul_400", "incremental", stepmul(400))

local function generational(minor, major)
  return function()
    collectgarbage("generational", minor, major)
    steady(scaled(4000000, 1500000))
  end
end

case("minor_5", "generational", generational(5, 100))
case("minor_20", "generational", generational(20, 100))
case("minor_100", "generational", generational(100, 100))
case("major_20", "generational", generational(20, 20))
case("major_400", "generational", generational(20, 400))

-- Frames of a game: the collector works only when it is told to.
local function by_hand(size)
  return function()
    local live = {}
    for i = 1, 100000 do live[i] = { i } end
    collectgarbage("stop")
    for frame = 1, scaled(6000) do
      for i = 1, 1000 do live[(frame * 1000 + i) % 100000 + 1] = { i } end
      collectgarbage("step", size)
    end
  end
end

case("steps_by_hand_0", "both", by_hand(0))
case("steps_by_hand_10", "both", by_hand(10))
case("steps_by_hand_200", "both", by_hand(200))

-- Stopped while some objects are made, then restarted.
case("stop_and_restart", "both", function()
  local ring = {}
  for i = 1, scaled(400) do
    collectgarbage("stop")
    for j = 1, 10000 do ring[j] = { j } end
    collectgarbage("restart")
    for j = 1, 10000 do ring[j] = { j } end
  end
end)

-- Full collections on request of the program.
case("collect_by_hand", "both", function()
  local live = {}
  for i = 1, 100000 do live[i] = { i } end
  for i = 1, scaled(100) do
    for j = 1, 50000 do live[j] = { j } end
    collectgarbage()
  end
end)

case("mode_changes", "both", function()
  local live = {}
  for i = 1, scaled(100) do
    collectgarbage(i % 2 == 0 and "incremental" or "generational")
    for j = 1, 60000 do live[j] = { j } end
  end
end)

memory.run()
