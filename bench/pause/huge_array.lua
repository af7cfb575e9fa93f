-- SPDX-License-Identifier: MIT
--
-- One array of four million tables, constantly written.  A collector that scans
-- it at once stops for as long as that takes.  A collector that scans it again
-- after each store never ends.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(4000000)
local array = {}
for i = 1, size do array[i] = { i } end

meter.run(function()
  for _ = 1, 40 do array[meter.random(size)] = { 0 } end
  meter.litter(100)
end)
