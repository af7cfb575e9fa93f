-- SPDX-License-Identifier: MIT
--
-- A mixed heap: an array, a hash, weak tables, coroutines, closures, strings,
-- and finalizers if tables can have them, all constantly written.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local finalizers = meter.has_table_finalizers()
if not finalizers then meter.note("no __gc on tables") end

local size = meter.scaled(150000)
local random, litter = meter.random, meter.litter
local array, hash, strings, closures, tasks = {}, {}, {}, {}, {}
local cache = setmetatable({}, { __mode = "v" })
local names = setmetatable({}, { __mode = "k" })
local finalized = 0
local class = { __gc = function() finalized = finalized + 1 end }
local serial = 0

local function new_object()
  serial = serial + 1
  local object = { serial }
  names[object] = { serial }
  if finalizers and serial % 3 == 0 then setmetatable(object, class) end
  return object
end

local function new_task()
  local task = coroutine.wrap(function()
    local state = { 0 }
    while true do
      state = { state[1] + 1 }
      coroutine.yield(state)
    end
  end)
  task()
  return task
end

local function fill(i)
  local object = new_object()
  array[i], cache[i] = object, object
  hash["key " .. i] = { object }
  strings[i] = "string " .. serial
  closures[i] = function() return object end
  if i % 10 == 0 then tasks[i / 10] = new_task() end
end
for i = 1, size do fill(i) end

meter.run(function()
  for _ = 1, 6 do
    fill(random(size))
    assert(cache[random(size)])
    closures[random(size)]()
    tasks[random(math.max(1, math.floor(size / 10)))]()
  end
  litter(50)
end)
