-- SPDX-License-Identifier: MIT
--
-- bound.lua -- no unit and no step of the collector grows with the heap
--
--     penumbra bound.lua PROGRAM MODE SIZE SLICES [nomemory]
--
-- Runs a program of bench/pause, which builds a heap that is hard on
-- collectors, at the given share of its full size.  This file counts its
-- slices, where meter.lua would time them.  Afterwards the collector's own
-- records of the largest unit and of the largest step, in units of work, must
-- be within the bounds.  Whole collections, which some programs request, count
-- with their units, but are not steps.
--
-- Short steps must not cost memory.  So lua5.4 also runs this file, in its own
-- process, and its peak of resident memory bounds ours.  With `nomemory`, or
-- without a lua5.4, there is no such bound.

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
