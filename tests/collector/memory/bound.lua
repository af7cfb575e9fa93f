-- SPDX-License-Identifier: MIT
--
-- bound.lua -- memory within a bound, without longer steps
--
--     penumbra bound.lua PROGRAM CASE MODE SHARE
--
-- Runs a case of bench/memory with this interpreter and with lua5.4, each in
-- its own process.  The peak of resident memory is bounded by that of lua5.4.
-- In programs that end small, so is the resident memory at the end.  The
-- largest unit and the largest step of the collector have bounds, too.

local here = arg[0]:gsub("[^/]*$", "")
local peak = dofile(here .. "peak.lua")
local program, case, mode, share = table.unpack(arg, 1, 4)

-- collectgarbage("step", n) requests a step of n KB, and gets it at once.
local function step_bound()
  local asked = tonumber(case:match("steps_by_hand_(%d+)")) or 0
  return peak.STEP_MAX + asked * 1024
end

if not peak.resident() then peak.skip("there is no /proc here") end
local other = peak.other()
if not other then peak.skip("there is no lua5.4 here") end

-- If the first run is above the bound, each interpreter runs three times.  Where
-- the cycles of lua5.4 end is chance, so its median counts.  Our steps depend on
-- the clock too, and a busy machine is sometimes slow, so our best run counts.
local RUNS = 3
local function by_peak(a, b) return a.peak_kb < b.peak_kb end
local function within(mine, theirs)
  return mine.peak_kb <= peak.bound_kb(theirs.peak_kb)
end

local ours, others = {}, {}
local function run_both()
  others[#others + 1] = peak.run(other, program, case, mode, share)
  ours[#ours + 1] = peak.run(arg[-1], program, case, mode, share)
  local skipped = ours[#ours].skip
  if skipped then peak.skip(skipped) end
end

run_both()
if not within(ours[1], others[1]) then
  while #ours < RUNS do run_both() end
  table.sort(ours, by_peak)
  table.sort(others, by_peak)
end
local mine, theirs = ours[1], others[(#others + 1) // 2]
peak.check_memory("peak", mine.peak_kb, theirs.peak_kb)
if case:find("_then_small$") then
  peak.check_memory("at the end", mine.end_kb, theirs.end_kb)
end
peak.check("largest unit", mine.largest_unit, peak.UNIT_MAX)
peak.check("largest step", mine.largest_step, step_bound())
peak.finish()
