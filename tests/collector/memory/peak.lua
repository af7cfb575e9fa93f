-- SPDX-License-Identifier: MIT
--
-- peak.lua -- bounds on memory, against lua5.4, and on the collector's work
--
-- Memory can buy time and time can buy memory, so a test of one also bounds the
-- other.  tests/collector/memory and tests/collector/pause share these bounds.

local peak = {}

-- A step does 2048 units, or up to 8192 after a large allocation.  It
-- overshoots by less than the largest unit: giving 384 KB back to the system.
peak.UNIT_MAX, peak.STEP_MAX = 3100, 8192 + 3100

-- Penumbra may take this many times the memory of lua5.4, and MORE_KB: the
-- resident pages of the executables differ by half of that, and a heap of a few
-- megabytes is as large as the moment when a cycle happens to begin lets it be.
-- Where lua5.4 takes little, the minimum size of a heap counts for more than the
-- program.  In that case the difference is bounded.
local RATIO_MAX, MORE_KB = 1.15, 1024
local SMALL_KB, SMALL_MORE_KB = 8 * 1024, 4 * 1024

-- Steps have a share of the time, and other programs take the caches from them:
-- on a busy machine a cycle takes longer, and the heap is larger meanwhile.
local BUSY_RATIO_MAX = 1.5

-- True if three programs or more wait for each processor, over the last minute.
-- ./test itself runs one program more than there are processors.
local function machine_is_busy()
  local load, processors = io.open("/proc/loadavg"), io.open("/proc/cpuinfo")
  if not load or not processors then return false end
  local count = select(2, processors:read("a"):gsub("processor%s*:", ""))
  local busy = load:read("n") > 3 * math.max(count, 1)
  load:close()
  processors:close()
  return busy
end

function peak.bound_kb(theirs)
  if theirs < SMALL_KB then return theirs + SMALL_MORE_KB end
  return theirs * (machine_is_busy() and BUSY_RATIO_MAX or RATIO_MAX) + MORE_KB
end

-- Kilobytes of this process: the peak and the current size; nil without /proc.
function peak.resident()
  local file = io.open("/proc/self/status")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return tonumber(text:match("VmHWM:%s*(%d+)")),
         tonumber(text:match("VmRSS:%s*(%d+)"))
end

-- Ends the test as skipped.
function peak.skip(reason)
  print("skipped: " .. reason)
  os.exit(77)
end

local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- Runs a command to its end.  Returns the fields of the JSON line that it
-- prints last.  `exec` leaves no shell between it and the system's measurement.
function peak.run(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = quoted(words[i]) end
  local pipe = io.popen("exec " .. table.concat(words, " "))
  local output = pipe:read("a")
  assert(pipe:close(), "the program failed: " .. output)
  local report = {}
  for key, value in output:match("[^\n]*\n$"):gmatch('"([%w_]+)":(%d+)') do
    report[key] = tonumber(value)
  end
  report.skip = output:match('"skip":"([^"]*)"')
  return report
end

-- The interpreter to compare with, or nil.
function peak.other()
  local pipe = io.popen("command -v lua5.4")
  local path = pipe:read("l")
  pipe:close()
  return path
end

-- Checks -------------------------------------------------------------------

local failures = {}

-- Prints a result.  peak.finish fails if any result is above its bound.
function peak.check(what, value, bound)
  local line = string.format("%s %d of %d", what, value, bound // 1)
  print(line)
  if value > bound then failures[#failures + 1] = line end
end

function peak.check_memory(what, mine, theirs)
  print(string.format("%s: %d KB, lua5.4 %d KB: %.2f", what, mine, theirs,
                      mine / theirs))
  peak.check("  KB", mine, peak.bound_kb(theirs))
end

function peak.finish()
  if #failures == 0 then return end
  error("above the bound: " .. table.concat(failures, "; "), 0)
end

return peak
