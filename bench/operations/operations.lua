-- SPDX-License-Identifier: MIT
--
-- operations.lua -- lists and measures the operations of this folder
--
--     lua5.4 operations.lua list
--     lua5.4 operations.lua run GROUP NAME [COUNT]
--
-- A file is a group.  It calls op(name, preparation, body) for each operation.
-- The body runs COUNT times with i = 1, 2, ....  Variables declared by the
-- preparation are local to it, and its time is not measured.  The default COUNT
-- makes a run take about a hundredth of a second.
--
-- Prints COUNT and the CPU time of the fastest of a few runs, in seconds.

local GROUPS = {
  "arithmetic", "comparison", "control", "calls", "tables", "keys", "turnover",
  "metamethods", "coroutines", "errors", "debugging", "strings", "patterns",
  "formatting", "table_library", "math_library", "utf8_library",
  "base_library", "system",
}
local RUN_SECONDS, LEAST_SECONDS, RUNS = 0.010, 0.002, 3

local here = arg[0]:gsub("[^/]*$", "")

local function each_operation(group, visit)
  assert(loadfile(here .. group .. ".lua"))(
    function(name, preparation, body)
      visit(name, preparation, body)
    end)
end

local function list()
  for _, group in ipairs(GROUPS) do
    each_operation(group, function(name) print(group .. "\t" .. name) end)
  end
end

local function compile(group, name)
  local text
  each_operation(group, function(found, preparation, body)
    if found ~= name then return end
    assert(not text, "there are two of this name")
    text = "local clock, count = ...\n" .. preparation ..
      "\nlocal start = clock()\nfor i = 1, count do\n" .. body ..
      "\nend\nreturn clock() - start\n"
  end)
  assert(text, "there is no such operation")
  return assert(load(text, "=" .. name))
end

local function measure(chunk, count)
  collectgarbage()
  return chunk(os.clock, count)
end

local function calibrate(chunk)
  local count = 1
  while true do
    local seconds = measure(chunk, count)
    if seconds >= LEAST_SECONDS then
      return math.max(1, math.floor(count * RUN_SECONDS / seconds))
    end
    count = count * 4
  end
end

local function run(group, name, count)
  local chunk = compile(group, name)
  count = tonumber(count) or calibrate(chunk)
  local best = math.huge
  for _ = 1, RUNS do best = math.min(best, measure(chunk, count)) end
  print(("%d %.9f"):format(count, best))
end

if arg[1] == "list" then
  list()
else
  run(arg[2], arg[3], arg[4])
end
