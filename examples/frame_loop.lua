-- SPDX-License-Identifier: MIT
--
-- A loop of 60 frames a second that gives the collector the rest of each frame.
--
--     penumbra frame_loop.lua [frames [objects]]     also runs on lua5.4
--
-- As in a game, a robot or an audio server, every frame some objects are born
-- and some die in a large world.  With the library `penumbra.gc` the collector
-- does not run by itself.  After the work of a frame it gets the rest of the
-- frame's time, until its cycle has ended.  Then it rests while the heap grows
-- by half.  Other Luas have no such control: there the collector runs at any
-- time.
--
-- Prints a summary, and with a third argument writes the CPU time of every
-- frame in milliseconds to that file.

local found, gc = pcall(require, "penumbra.gc")
local frames = tonumber(arg and arg[1]) or 600
local objects = tonumber(arg and arg[2]) or 1000000
local report = arg and arg[3]
local FRAME, RESERVE = 1 / 60, 0.002    -- seconds; a margin to be ready in time

-- The world ------------------------------------------------------------------

local world = {}
for i = 1, objects do
  world[i] = { x = i, y = -i, name = "object " .. i % 1000 }
end

local at = 0
local function update()
  for _ = 1, 6000 do
    at = at % objects + 1
    local old = world[at]
    world[at] = { x = old.x + 1, y = old.y - 1, name = old.name }
  end
end

-- The loop: what a frame takes is its work and the collector's ---------------

local clock = os.clock
local slowest, late, total, times = 0, 0, 0, {}
local rest_until = 0      -- kilobytes

local function collect(seconds)
  if seconds <= 0 or collectgarbage("count") < rest_until then return end
  if gc.step(math.floor(seconds * 1e6)) then
    rest_until = collectgarbage("count") * 1.5
  end
end

if found then collectgarbage("stop") end
for frame = 1, frames do
  local start = clock()
  update()
  if found then collect(FRAME - RESERVE - (clock() - start)) end
  local time = clock() - start
  slowest, total = math.max(slowest, time), total + time
  if time > FRAME then late = late + 1 end
  times[frame] = time * 1000
end

print(string.format("%s: %d frames, slowest %.1f ms, mean %.1f ms, %d late",
                    found and "gc.step" or "by itself", frames,
                    slowest * 1000, total / frames * 1000, late))
print(string.format("%.0f MB in use", collectgarbage("count") / 1024))
if report then
  local file = assert(io.open(report, "w"))
  for frame = 1, frames do file:write(string.format("%.3f\n", times[frame])) end
  file:close()
end
