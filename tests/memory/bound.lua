-- SPDX-License-Identifier: MIT
--
-- bound.lua -- memory within a bound, and no step paid for it
--
--     penumbra bound.lua PROGRAM CASE MODE SHARE
--
-- Runs a case of bench/memory by this interpreter and by lua5.4, each in a
-- process of its own.  The peak of resident memory is bounded by that of
-- lua5.4, in programs that end small what is resident at the end as well, and
-- so are the most units of work in one unit and in one step of the collector.

local here = arg[0]:gsub("[^/]*$", "")
local peak = dofile(here .. "peak.lua")
local program, case, mode, share = table.unpack(arg, 1, 4)

-- collectgarbage("step", n) asks for a step of n KB at once, and gets it.
local function step_bound()
  local asked = tonumber(case:match("steps_by_hand_(%d+)")) or 0
  return peak.STEP_MAX + asked * 1024
end

if not peak.resident() then peak.skip("there is no /proc here") end
local other = peak.other()
if not other then peak.skip("there is no lua5.4 here") end

-- Steps go by the clock, and a busy machine is slow at times: the best of up to
-- three runs counts.
local RUNS = 3
local theirs = peak.run(other, program, case, mode, share)
local mine
for run = 1, RUNS do
  local report = peak.run(arg[-1], program, case, mode, share)
  if report.skip then peak.skip(report.skip) end
  if not mine or report.peak_kb < mine.peak_kb then mine = report end
  if mine.peak_kb <= peak.bound_kb(theirs.peak_kb) then break end
end
peak.check_memory("peak", mine.peak_kb, theirs.peak_kb)
if case:find("_then_small$") then
  peak.check_memory("at the end", mine.end_kb, theirs.end_kb)
end
peak.check("largest unit", mine.largest_unit, peak.UNIT_MAX)
peak.check("largest step", mine.largest_step, step_bound())
peak.finish()
