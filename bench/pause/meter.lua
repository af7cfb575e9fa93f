-- SPDX-License-Identifier: MIT
--
-- meter.lua -- measures the longest slice of a program
--
-- A program of this folder builds a live heap and gives the meter a function, a
-- slice: a few dozen microseconds of ordinary work.  The meter calls it
-- repeatedly for some seconds and reads os.clock, CPU time, once between
-- slices, so that every microsecond belongs to some slice.  If one slice takes
-- longer than the others, that is a pause that the user would notice.
--
--     local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
--     local live = build(meter.scaled(1000000))
--     meter.run(function() ... end)
--
-- Arguments of every program: seconds to measure (3); share of the full size of
-- the heap (1); a file for the microseconds of each slice, one per line; and
-- "stopped", to stop the collector during the measurement, until there are 400
-- MB of garbage.  The program prints one line of JSON, with times in
-- microseconds:
--
--     worst_us p999_us p99_us p50_us   of all slices
--     over_us      total time of slices beyond 200 us
--     slices       number of slices measured;  slices_per_s
--     cycles       cycles of the collector, seen through a weak reference
--     live_kb      collectgarbage("count") before;  most_kb  highest during
--     apart_us     worst of the operations timed separately, if there are any
--     slow         number and microseconds of each slice above 100 us, to
--                  distinguish recurring ones from chance; none if there are
--                  more than 20,000
--     note, skip   what is different on this interpreter, or why it cannot run
--
-- The meter allocates nothing while it measures, except one object per cycle.

local clock, floor = os.clock, math.floor

local meter = {}
local seconds = tonumber(arg and arg[1]) or 3
local share = tonumber(arg and arg[2]) or 1
local trace = arg and arg[3] and assert(io.open(arg[3], "w"))
local stopped = arg and arg[4] == "stopped"
local GARBAGE_MAX_KB = 400 * 1024
local name = arg[0]:match("([^/]*)%.lua$") or arg[0]
local notes = {}

-- For programs ---------------------------------------------------------------

-- The size to use if the full size is `count`.
function meter.scaled(count) return math.max(1, floor(count * share)) end

-- Adds a remark to the report.
function meter.note(text) notes[#notes + 1] = text end

-- Numbers from 1 to n, the same on every interpreter.
local seed = 20240229
function meter.random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

-- Ends the program, because this interpreter lacks the feature to measure.
function meter.skip(reason)
  print(string.format('{"case":"%s","skip":"%s"}', name, reason))
  os.exit(0)
end

-- Work that leaves garbage: `count` small tables and a few strings.
function meter.litter(count)
  local last
  for i = 1, count do last = { i, last } end
  return #("litter " .. count) + #last
end

-- What this interpreter can do ------------------------------------------------

function meter.has_table_finalizers()
  local called = false
  setmetatable({}, { __gc = function() called = true end })
  collectgarbage()
  collectgarbage()
  return called
end

function meter.has_ephemerons()
  local map = setmetatable({}, { __mode = "k" })
  do
    local key = {}
    map[key] = { key }
  end
  collectgarbage()
  collectgarbage()
  return next(map) == nil
end

function meter.has_modes()
  local known, mode = pcall(collectgarbage, "incremental")
  if known then collectgarbage(mode) end
  return known
end

-- Measuring -------------------------------------------------------------------

-- A histogram: a bucket for each microsecond up to FINE, then increasingly wide
-- ones, each a hundredth of its value.
local FINE, BUCKETS = 1000, 3000

local function bucket_of(microseconds)
  if microseconds < FINE then return microseconds + 1 end
  local above = floor(math.log(microseconds / FINE) * 100)
  return math.min(BUCKETS, FINE + 1 + above)
end

local function value_of(bucket)
  if bucket <= FINE then return bucket - 1 end
  return floor(math.exp((bucket - FINE) / 100) * FINE)
end

local function quantile(histogram, total, part)
  local wanted, seen = total * part, 0
  for bucket = 1, BUCKETS do
    seen = seen + histogram[bucket]
    if seen >= wanted then return value_of(bucket) end
  end
end

local apart_worst, apart_total = nil, 0

-- Does a long operation of the program itself, such as making a string of 100
-- MB, and reports its time separately from that of the slices.
function meter.apart(work, ...)
  local start = clock()
  local result = work(...)
  local time = clock() - start
  apart_worst = math.max(apart_worst or 0, time)
  apart_total = apart_total + time
  return result
end

local function whole(number) return floor(number + 0.5) end

-- The slow slices, in preallocated tables.
local SLOW, SLOW_MAX = 0.0001, 20000
local slow_count, slow_number, slow_time = 0, {}, {}
for i = 1, SLOW_MAX do slow_number[i], slow_time[i] = 0, 0.0 end

local function slow_note(number, time)
  slow_count = slow_count + 1
  if slow_count > SLOW_MAX then return end
  slow_number[slow_count], slow_time[slow_count] = number, time
end

local function slow_list()
  local list = {}
  for i = 1, slow_count do
    list[i] = string.format("[%d,%d]", slow_number[i],
                            whole(slow_time[i] * 1e6))
  end
  return '"slow":[' .. table.concat(list, ",") .. "]"
end

local function print_report(r)
  local fields = {
    string.format('"case":"%s"', name),
    string.format('"worst_us":%d', whole(r.worst * 1e6)),
    string.format('"p999_us":%d', quantile(r.histogram, r.slices, 0.999)),
    string.format('"p99_us":%d', quantile(r.histogram, r.slices, 0.99)),
    string.format('"p50_us":%d', quantile(r.histogram, r.slices, 0.5)),
    string.format('"over_us":%d', whole(r.over * 1e6)),
    string.format('"slices":%d', r.slices),
    string.format('"slices_per_s":%.0f', r.slices / r.time),
    string.format('"cycles":%d', r.cycles),
    string.format('"live_kb":%d', whole(r.live)),
    string.format('"most_kb":%d', whole(r.most)),
  }
  if apart_worst then
    fields[#fields + 1] = string.format('"apart_us":%d',
                                        whole(apart_worst * 1e6))
  end
  if slow_count <= SLOW_MAX then fields[#fields + 1] = slow_list() end
  if #notes > 0 then
    fields[#fields + 1] = '"note":"' .. table.concat(notes, "; ") .. '"'
  end
  print("{" .. table.concat(fields, ",") .. "}")
end

-- Stops the collector for good: steps requested by the program also do nothing.
local function stop_collector()
  local collect = collectgarbage
  collect("stop")
  function collectgarbage(what)
    return what == "count" and collect("count") or 0
  end
end

-- Calls `slice` with 1, 2, 3 ... until the time is over, and reports.  A
-- program that measures something else defines METER_RUN before.
meter.run = METER_RUN or function(slice)
  local histogram = {}
  for i = 1, BUCKETS do histogram[i] = 0 end
  local sentinel = setmetatable({ {} }, { __mode = "v" })
  local live = collectgarbage("count")
  local slices, cycles, worst, over, most = 0, 0, 0.0, 0.0, live
  if stopped then stop_collector() end
  if trace then trace:setvbuf("full", 65536) end
  local start = clock()
  local last, stop = start, start + seconds
  repeat
    slices = slices + 1
    slice(slices)
    if not sentinel[1] then
      sentinel[1] = {}
      cycles = cycles + 1
    end
    if slices % 64 == 0 then
      most = math.max(most, collectgarbage("count"))
      if stopped and most > live + GARBAGE_MAX_KB then stop = 0 end
    end
    local now = clock()
    local time = now - last
    if apart_total > 0 then
      time = math.max(0.0, time - apart_total)
      apart_total = 0
    end
    last = now
    if trace then trace:write(whole(time * 1e6), "\n") end
    if time > worst then worst = time end
    if time > SLOW then slow_note(slices, time) end
    if time > 0.0002 then over = over + time - 0.0002 end
    local bucket = bucket_of(whole(time * 1e6))
    histogram[bucket] = histogram[bucket] + 1
  until last >= stop
  if trace then trace:close() end
  print_report({ histogram = histogram, slices = slices, cycles = cycles,
                 worst = worst, over = over, live = live, most = most,
                 time = last - start })
end

return meter
