-- SPDX-License-Identifier: MIT
--
-- scaling.lua -- the cost of allocation while a heap of a given size is alive
--
-- Builds a live heap of about the given number of megabytes (by
-- collectgarbage("count")) out of small records.  Then it replaces records,
-- several in a row in a random group.  Each replacement allocates one record
-- and makes one garbage.  The number of replacements grows with the heap, so
-- that the collector runs several cycles at every size, and the figures include
-- its share.  At the end a full collection shows the cost of marking and
-- sweeping the live heap.  A small heap is built and used more than once,
-- because otherwise there would be little to measure.
--
-- Arguments: megabytes; turns, the number of replacements for each record (4).
-- Prints one line of JSON; times are CPU time.

local clock = os.clock
local megabytes = tonumber(arg and arg[1]) or 64
local turns = tonumber(arg and arg[2]) or 4
local repetitions = math.max(1, math.floor(64 / megabytes))

local seed = 12345
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

-- Records are in groups, so that no table is large: the cost of a large table
-- is a separate question.
local group_size, run = 500, 50

local function new_record(i) return { key = i, value = i * 0.5 } end

-- While a heap grows, "count" includes garbage only if building makes some, and
-- that is little: the arrays that groups outgrow.
local function build(limit_kb)
  local groups, count = {}, 0
  while collectgarbage("count") < limit_kb do
    local group = {}
    for i = 1, group_size do group[i] = new_record(i) end
    count = count + 1
    groups[count] = group
  end
  return groups, count
end

local function replace(group, first, tag)
  for i = first, first + run - 1 do group[i] = new_record(tag) end
end

-- Replaces runs of records.  Returns the highest "count" seen.
local function churn(groups, count, visits)
  local most = 0
  for visit = 1, visits do
    replace(groups[random(count)], random(group_size / run - 1) * run, visit)
    if visit % 256 == 0 then most = math.max(most, collectgarbage("count")) end
  end
  return most
end

local function timed(work, ...)
  local start = clock()
  local first, second = work(...)
  return clock() - start, first, second
end

local total = { records = 0, replacements = 0, build = 0, churn = 0, full = 0 }
local live_mb, most_kb = 0, 0
for _ = 1, repetitions do
  collectgarbage()
  local time, groups, count = timed(build, megabytes * 1024)
  local records = count * group_size
  local visits = math.floor(records * turns / run)
  total.records, total.build = total.records + records, total.build + time
  local most
  time, most = timed(churn, groups, count, visits)
  total.replacements = total.replacements + visits * run
  total.churn, most_kb = total.churn + time, math.max(most_kb, most)
  collectgarbage()
  total.full = total.full + timed(collectgarbage)
  live_mb = collectgarbage("count") / 1024
end

print(string.format(
  '{"asked_mb":%g,"live_mb":%.2f,"records":%d,"build_s":%.4f,' ..
  '"replacements":%d,"churn_s":%.4f,"full_s":%.6f,"most_mb":%.2f}',
  megabytes, live_mb, total.records, total.build, total.replacements,
  total.churn, total.full / repetitions, most_kb / 1024))
