-- SPDX-License-Identifier: MIT
--
-- Switching between incremental and generational mode every 2,000 slices, with
-- 600,000 objects alive.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
if not meter.has_modes() then meter.skip("no modes to change") end

local size = meter.scaled(600000)
local live = {}
for i = 1, size do live[i] = { i } end

meter.run(function(n)
  if n % 2000 == 0 then
    collectgarbage(n % 4000 == 0 and "generational" or "incremental")
  end
  live[meter.random(size)] = { n }
  meter.litter(150)
end)
