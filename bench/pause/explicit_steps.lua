-- SPDX-License-Identifier: MIT
--
-- The program itself calls collectgarbage("step") without a size once in every
-- slice, with 600,000 objects alive.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(600000)
local live = {}
for i = 1, size do live[i] = { i } end

meter.run(function(n)
  live[meter.random(size)] = { n }
  meter.litter(100)
  collectgarbage("step")
end)
