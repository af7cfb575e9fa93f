-- SPDX-License-Identifier: MIT
--
-- bound.lua -- no unit and no step of the collector grows with the heap
--
--     penumbra bound.lua PROGRAM MODE SIZE SLICES [nomemory]
--
-- Runs one of the programs of bench/pause, each of which builds a heap that is
-- hard on collectors, at the given share of its full size.  Its slices are
-- counted here instead of timed by meter.lua: afterwards the collector's own
-- record of the most work done in one unit and in one step, in units of work,
-- must be within the bounds.  Whole collections, which the programs ask for in
-- places, count with their units, but are no steps.
--
-- Short steps must not be paid for with memory.  So lua5.4 runs this file too,
-- as a process of its own, and bounds the peak of resident memory.  With
-- `nomemory`, or without a lua5.4, there is no such bound.

local peak = dofile((arg[0]:gsub("[^/]*$", "")) .. "../memory/peak.lua")
local known, gc = pcall(require, "penumbra.gc")
local this, file = arg[-1], arg[0]
local program, mode, size, slices, memory = table.unpack(arg, 1, 5)

local steps, cycles = 0, 0
local function figures() return known and gc.stats() or { steps = 0,
                                                          cycles = 0 } end

function METER_RUN(slice)
  local before = figures()
  for i = 1, tonumber(slices) do slice(i) end
  local after = figures()
  steps, cycles = after.steps - before.steps, after.cycles - before.cycles
end

collectgarbage(mode)
arg = { [0] = program, "0", size }
assert(loadfile(program))()
local mine = peak.resident()
if not known then
  print(string.format('{"peak_kb":%d}', mine))
  return
end

local stats = gc.stats()
print(string.format("%d steps, %d cycles", steps, cycles))
peak.check("largest unit", stats.largest_unit, peak.UNIT_MAX)
peak.check("largest step", stats.largest_step, peak.STEP_MAX)
local other = peak.other()
if memory == "nomemory" then
  print("no bound on memory in this build")
elseif not mine or not other then
  print("no bound on memory: there is no /proc or no lua5.4 here")
else
  local theirs = peak.run(other, file, program, mode, size, slices)
  peak.check_memory("peak", mine, theirs.peak_kb)
end
peak.finish()
