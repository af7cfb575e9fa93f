-- SPDX-License-Identifier: MIT
--
-- Properties of 700,000 objects in one table with weak keys.  Objects
-- constantly lose their last reference, and new ones appear.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(700000)
local names = setmetatable({}, { __mode = "k" })
local objects = {}
for i = 1, size do
  local object = { i }
  objects[i], names[object] = object, { i }
end

meter.run(function()
  for _ = 1, 10 do
    local i = meter.random(size)
    local object = { i }
    objects[i], names[object] = object, { i }
    assert(names[objects[meter.random(size)]])
  end
  meter.litter(100)
end)
