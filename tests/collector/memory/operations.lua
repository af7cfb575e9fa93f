-- SPDX-License-Identifier: MIT
--
-- operations.lua -- no operation allocates without paying for it
--
--     penumbra operations.lua FOLDER GROUP MODE
--
-- The collector works when the program polls it.  An operation that allocates
-- and does not poll makes a loop of it take ever more memory.  So each operation
-- of bench/operations is repeated for a while, and then the heap may be no larger
-- than what its goal allows.  FOLDER is bench/operations, and GROUP one of its
-- files.  In generational mode it is repeated in a coroutine, where calls and
-- errors take other ways.

local folder, group, mode = ...

local KB = 1024
local SECONDS = 0.02  -- at 100 bytes in 1000 ns, 2000 KB

-- The heap at the end of a cycle: twice its live bytes, and an eighth of the
-- growth (docs/gc/pacing.md).  A small heap may always grow by 1000 KB.
local function bound(live) return 2.25 * live + 1000 * KB end

local function bytes() return collectgarbage("count") * KB end

-- Functions that change the collector, or hooks, must not change it for the next
-- operation.
local function reset()
  debug.sethook()
  collectgarbage("restart")
  collectgarbage(mode)
  collectgarbage()
end

-- The bytes that one repetition takes, all of which may be live at some moment.
local function bytes_of_one(run)
  collectgarbage("stop")
  local before = bytes()
  run(1)
  local after = bytes()
  reset()
  return math.max(0, after - before)
end

-- Returns how often it ran.
local function repeat_for_a_while(run)
  local count, step, finish = 0, 1, os.clock() + SECONDS
  repeat
    run(step)
    count = count + step
    step = math.min(2 * step, 1000)
  until os.clock() >= finish
  return count
end

local checked, failed = 0, 0

local function check(name, preparation, body)
  local text = preparation .. "\nreturn function(count_) for i = 1, count_ do " ..
    body .. "\nend end"
  reset()
  local run = assert(load(text, "=" .. name))()
  local one = bytes_of_one(run)
  local repeated = repeat_for_a_while
  if mode == "generational" then repeated = coroutine.wrap(repeated) end
  local count = repeated(run)
  local now = bytes()
  collectgarbage()
  local live = bytes() + one
  checked = checked + 1
  if now <= bound(live) then return end
  failed = failed + 1
  print(("%s / %s: %.0f KB after %d times, with %.0f KB live"):format(
    group, name, now / KB, count, live / KB))
end

assert(loadfile(folder .. "/" .. group .. ".lua"))(check)
reset()
print(checked .. " operations")
assert(checked > 0, "there are no operations")
os.exit(failed == 0)
