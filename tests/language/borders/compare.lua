-- SPDX-License-Identifier: MIT
-- compare.lua -- how many tables have the length and the order of lua5.4
--
-- Arguments: the reference interpreter and the one to be tested.  Runs
-- sequences.lua with both and counts the lines that are equal.
--
-- With names, lua5.4 differs from one run to the next if entries are removed or
-- the order is printed, because each run has another seed for string hashes.
-- So the rate at which it agrees with itself is printed beside; it varies by
-- tens of percents.  The remaining differences without names come from reading
-- or overwriting an element behind the last border, which lua5.4 takes as a
-- hint where to search next time.  Here only filling or reading an empty slot
-- has this effect.

local reference, tested = arg[1], arg[2]
local here = arg[0]:match("^(.*)/") or "."
local seed = tonumber(os.getenv("PENUMBRA_SEED")) or os.time()
local COUNT = 4000

local function run(interpreter, what)
  local command = ("'%s' '%s/sequences.lua' %d %d %s"):format(
    interpreter, here, COUNT, seed, what)
  local pipe = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  assert(pipe:close(), command)
  assert(#lines == COUNT, command)
  return lines
end

local function share(a, b)
  local same = 0
  for i = 1, COUNT do if a[i] == b[i] then same = same + 1 end end
  return 100 * same / COUNT
end

-- The required agreement in percent; far below the usual rate if chance
-- decides.
local cases = {
  { "", 99.5 }, { "order", 99.5 }, { "constructors", 99 },
  { "constructors order", 99 }, { "constructors order reads", 99 },
  { "removals", 99.5 }, { "removals order", 99.5 },
  { "constructors removals order", 98.5 },
  { "constructors removals reads order", 98.5 },
  { "names", 99 }, { "names constructors", 99 },
  { "names constructors removals", 90 }, { "names constructors order", 40 },
}

print("PENUMBRA_SEED=" .. seed)
local failed = false
for _, case in ipairs(cases) do
  local what, least = case[1], case[2]
  local expected = run(reference, what)
  local agree = share(expected, run(tested, what))
  local itself = share(expected, run(reference, what))
  local verdict = agree >= least and "" or "  TOO FEW"
  print(("%6.2f %%  (%s with itself %6.2f %%)  %s%s"):format(
    agree, reference:match("[^/]*$"), itself, what, verdict))
  failed = failed or agree < least
end
os.exit(not failed)
