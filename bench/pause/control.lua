-- SPDX-License-Identifier: MIT
--
-- No heap and no allocation: arithmetic only.  What this shows is not a pause
-- of any collector but the noise of the machine and of the clock.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local x = 0.5
meter.run(function()
  for _ = 1, 1500 do x = 3.7 * x * (1.0 - x) end
end)
