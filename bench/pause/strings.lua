-- SPDX-License-Identifier: MIT
--
-- 1.5 million short strings, all different, some of which are constantly
-- replaced: the set of unique strings must be swept, and grows.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(1500000)
local array = {}
for i = 1, size do array[i] = "string " .. i end
local serial = size

meter.run(function()
  for _ = 1, 60 do
    serial = serial + 1
    array[meter.random(size)] = "string " .. serial
  end
end)
