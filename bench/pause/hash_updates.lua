-- SPDX-License-Identifier: MIT
--
-- One hash of 1.5 million string keys whose values are constantly replaced,
-- while the set of keys does not change.  So no pause can come from rehashing.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(1500000)
local hash, keys = {}, {}
for i = 1, size do
  keys[i] = "key" .. i
  hash[keys[i]] = { i }
end

meter.run(function()
  for _ = 1, 30 do hash[keys[meter.random(size)]] = { 0 } end
  meter.litter(100)
end)
