-- SPDX-License-Identifier: MIT
--
-- A stutter: a game that collects its garbage at every level.
--
--     penumbra --report report.html stutter.lua [frames]
--     penumbra --report report.html stutter.lua [frames] mended
--
-- A world of 200,000 objects, of which each frame replaces some.  Every 100
-- frames a level begins, and the game calls collectgarbage() "to be on the safe
-- side".  See docs/find-a-stutter.md.

local found, gc = pcall(require, "penumbra.gc")
local frames = tonumber(arg and arg[1]) or 600
local mended = arg and arg[2] == "mended"

local world = {}
for i = 1, 200000 do world[i] = {x = i, y = -i, name = "object " .. i % 1000} end

local at = 0
local function update()
  for _ = 1, 3000 do
    at = at % #world + 1
    local old = world[at]
    world[at] = {x = old.x + 1, y = old.y - 1, name = old.name}
  end
end

local function begin_level()
  if not mended then collectgarbage() end       -- the stutter
end

local longest, sum = 0, 0
for frame = 1, frames do
  if found then gc.mark("frame") end
  local began = os.clock()
  if frame % 100 == 0 then begin_level() end
  update()
  local time = os.clock() - began
  longest, sum = math.max(longest, time), sum + time
end
print(("%d frames, %.1f ms each, the longest %.1f ms"):format(
  frames, 1000 * sum / frames, 1000 * longest))
