-- SPDX-License-Identifier: MIT
--
-- bound.lua -- no unit and no step of the collector grows with the heap
--
--     penumbra bound.lua PROGRAM MODE SIZE SLICES
--
-- Runs one of the programs of bench/pause, each of which builds a heap that is
-- hard on collectors, at the given share of its full size.  Its slices are
-- counted here instead of timed by meter.lua: afterwards the collector's own
-- record of the most work done in one unit and in one step, in units of work,
-- must be within the bounds.  Whole collections, which the programs ask for in
-- places, count with their units, but are no steps.

-- A step does 2048 units, after a large allocation up to 8192, and overshoots by
-- less than a unit of the largest sort: 384 KB given back to the system.
local UNIT_MAX, STEP_MAX = 3100, 8192 + 3100

local gc = require "gc"
local program, mode, size, slices = arg[1], arg[2], tonumber(arg[3]),
                                    tonumber(arg[4])

local steps, cycles = 0, 0
function METER_RUN(slice)
  local before = gc.stats()
  for i = 1, slices do slice(i) end
  local after = gc.stats()
  steps, cycles = after.steps - before.steps, after.cycles - before.cycles
end

collectgarbage(mode)
arg = { [0] = program, "0", tostring(size) }
assert(loadfile(program))()

local stats = gc.stats()
print(string.format("%d steps, %d cycles; largest unit %d of %d, step %d of %d",
                    steps, cycles, stats.largest_unit, UNIT_MAX,
                    stats.largest_step, STEP_MAX))
assert(stats.largest_unit <= UNIT_MAX, "a unit is too large")
assert(stats.largest_step <= STEP_MAX, "a step is too large")
