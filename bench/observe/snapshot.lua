-- SPDX-License-Identifier: MIT
--
-- snapshot.lua -- what a heap snapshot in steps costs a program
--
--    penumbra bench/observe/snapshot.lua [objects [file]]
--
-- The program has a heap of so many small tables (a million) and replaces them,
-- ten in a slice, which takes one or two microseconds. It measures each slice for
-- three seconds without a snapshot, then until the snapshot is finished, then for
-- three seconds after it: the CPU time of its thread, and the time on the wall,
-- which has all that the machine does meanwhile. A slice may contain several
-- steps of the collector. snapshot.mjs does the same for V8.

-- The interpreter is the first word of the command line.
local interpreter = 0
while arg[interpreter - 1] do interpreter = interpreter - 1 end
package.cpath = arg[interpreter]:match "^(.-)[^/]*$" .. "?.so"
local thread_clock = require "thread_clock"
local clock = thread_clock.now
local gc = require "penumbra.gc"

local count = math.tointeger(tonumber(arg[1] or 1000000))
local file = arg[2] or os.tmpname()
local PER_SLICE = 10

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

-- Calls slice() until `ended` returns true. Prints the longest slice and the
-- number above 0.2 ms, by CPU time and by the clock on the wall.
local function measure(what, ended)
  local slices, longest, long, wall_longest, wall_long = 0, 0, 0, 0, 0
  local began, wall_began = clock()
  local cpu, wall = began, wall_began
  repeat
    slice()
    local cpu_now, wall_now = clock()
    local took, wall_took = cpu_now - cpu, wall_now - wall
    if took > longest then longest = took end
    if took > 0.0002 then long = long + 1 end
    if wall_took > wall_longest then wall_longest = wall_took end
    if wall_took > 0.0002 then wall_long = wall_long + 1 end
    slices = slices + 1
    cpu, wall = cpu_now, wall_now
  until ended(wall - wall_began)
  print(("%-17s %7d slices; CPU: %.2f s, longest %.3f ms, %d above 0.2 ms; "
         .. "wall: %.2f s, longest %.3f ms, %d above")
    :format(what, slices, cpu - began, longest * 1e3, long, wall - wall_began,
            wall_longest * 1e3, wall_long))
end

collectgarbage()
collectgarbage()
local function three_seconds(passed) return passed > 3 end
measure("without snapshot:", three_seconds)

local before = status "VmHWM"
assert(gc.snapshot(file, "steps"))
local result
measure("with snapshot:", function()
  result = gc.snapshot()
  return result ~= false
end)
print(("%d nodes, %d edges; peak memory %.0f MB before, %.0f MB after (%.2f)")
  :format(result.nodes, result.edges, before, status "VmHWM",
          status "VmHWM" / before - 1))

measure("after it:", three_seconds)

local more = (status "VmHWM" - before) * 1048576 // 1 | 0
local longest, long = thread_clock.touch(more)
print(("a C program that touches %d MB of new memory in pieces of 16 KB: longest "
       .. "%.3f ms, %d above 0.2 ms"):format(more // 1048576, longest * 1e3, long))
if not arg[2] then os.remove(file) end
