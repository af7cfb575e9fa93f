-- SPDX-License-Identifier: MIT
--
-- No heap and no allocation: arithmetic only.  This shows the noise of the
-- machine and of the clock, and no pause of a collector.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local x = 0.5
meter.run(function()
  for _ = 1, 1500 do x = 3.7 * x * (1.0 - x) end
end)
