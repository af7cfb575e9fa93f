-- SPDX-License-Identifier: MIT
--
-- snapshot.lua -- what a heap snapshot in steps costs a program
--
--    penumbra bench/observe/snapshot.lua [objects [file]]
--
-- The program has a heap of so many small tables (a million) and replaces them,
-- sixty in a slice, which takes some microseconds. It measures the CPU time of
-- each slice for three seconds without a snapshot and then until the snapshot
-- is finished. A slice may contain several steps of the collector.
-- snapshot.mjs does the same for V8.

local gc = require "penumbra.gc"

local count = math.tointeger(tonumber(arg[1] or 1000000))
local file = arg[2] or os.tmpname()
local PER_SLICE = 60

local function status(name)
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match("^" .. name .. ":%s+(%d+)")
    if kilobytes then return tonumber(kilobytes) / 1024 end
  end
  return 0
end

local heap, place = {}, 0
for i = 1, count do heap[i] = {i, name = "n" .. i % 1000} end

local function slice()
  for _ = 1, PER_SLICE do
    place = place % count + 1
    heap[place] = {place, name = "new"}
  end
end

-- Calls slice() until `ended` returns true. Returns the longest, the number
-- above 0.2 ms, the number of all, and their total time.
local function measure(ended)
  local clock, longest, long, slices = os.clock, 0, 0, 0
  local began = clock()
  local before = began
  repeat
    slice()
    local now = clock()
    local took = now - before
    before = now
    slices = slices + 1
    if took > longest then longest = took end
    if took > 0.0002 then long = long + 1 end
  until ended(now)
  return longest, long, slices, before - began
end

local function report(what, longest, long, slices, seconds)
  print(("%-18s longest %.3f ms, %d of %d slices above 0.2 ms, %.2f s")
    :format(what, longest * 1e3, long, slices, seconds))
end

collectgarbage()
collectgarbage()
local finish = os.clock() + 3
report("without snapshot:", measure(function(now) return now > finish end))

local before = status "VmHWM"
assert(gc.snapshot(file, "steps"))
local result
report("with snapshot:", measure(function()
  result = gc.snapshot()
  return result ~= false
end))
print(("%d nodes, %d edges; peak memory %.0f MB before, %.0f MB after (%.2f)")
  :format(result.nodes, result.edges, before, status "VmHWM",
          status "VmHWM" / before - 1))
if not arg[2] then os.remove(file) end
