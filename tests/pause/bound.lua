-- SPDX-License-Identifier: MIT
--
-- bound.lua -- no unit and no step of the collector grows with the heap
--
--     penumbra bound.lua PROGRAM MODE SIZE SLICES
--
-- Runs one of the programs of bench/pause, each of which builds a heap that is
-- hard on collectors, at the given share of its full size.  Its slices are
-- counted here, not timed: afterwards the collector's own record of the most
-- work done in one unit and in one step, in units of work, must be within the
-- bounds.  Whole collections, which the programs ask for in places, count with
-- their units, but are no steps.

-- A step does 2048 units, after a large allocation up to 8192, and overshoots by
-- less than a unit of the largest sort: 384 KB given back to the system.
local UNIT_MAX, STEP_MAX = 3100, 8192 + 3100

local gc = require "gc"
local program, mode, size, slices = arg[1], arg[2], tonumber(arg[3]),
                                    tonumber(arg[4])

local meter = { note = function() end, litter = nil }

function meter.scaled(count) return math.max(1, math.floor(count * size)) end

local seed = 20240229
function meter.random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

function meter.litter(count)
  local last
  for i = 1, count do last = { i, last } end
  return #("litter " .. count) + #last
end

function meter.skip(reason) error("skipped: " .. reason) end
function meter.has_table_finalizers() return true end
function meter.has_ephemerons() return true end
function meter.has_modes() return true end
function meter.apart(work, ...) return (work(...)) end

local steps, cycles = 0, 0
function meter.run(slice)
  local before = gc.stats()
  for i = 1, slices do slice(i) end
  local after = gc.stats()
  steps, cycles = after.steps - before.steps, after.cycles - before.cycles
end

collectgarbage(mode)
arg = { [0] = program }
dofile = function() return meter end
assert(loadfile(program))()

local stats = gc.stats()
print(string.format("%d steps, %d cycles; largest unit %d of %d, step %d of %d",
                    steps, cycles, stats.largest_unit, UNIT_MAX,
                    stats.largest_step, STEP_MAX))
assert(stats.largest_unit <= UNIT_MAX, "a unit is too large")
assert(stats.largest_step <= STEP_MAX, "a step is too large")
