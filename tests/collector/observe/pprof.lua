-- SPDX-License-Identifier: MIT
--
-- pprof.lua -- writes profiles for pprof.sh, and prints their totals
--
--    penumbra pprof.lua <folder to write to>

local profile = require "penumbra.profile"
local folder = arg[1]

local function busy(seconds)
  local stop, n = os.clock() + seconds, 0
  while os.clock() < stop do n = n + #tostring(n) end
end

local kept = {}
local function fill()
  for i = 1, 200000 do kept[i % 50000] = {i, tostring(i)} end
end

local function total(numbers)
  local sum = 0
  for _, n in pairs(numbers) do sum = sum + n end
  return sum
end

profile.start()
busy(0.5)
local ticks = total(profile.stop(folder .. "/time.pb"))
print(("time.pb:samples:%d"):format(ticks))
print(("time.pb:cpu:%d"):format(ticks * 10000000))

profile.startalloc(4096)
fill()
for _, what in ipairs {"alloc_objects", "alloc_space", "inuse_objects",
                       "inuse_space"} do
  local numbers = profile.readalloc(folder .. "/" .. what .. ".pb", "pprof", what)
  print(("%s.pb:%s:%d"):format(what, what, total(numbers)))
end
profile.stopalloc()
