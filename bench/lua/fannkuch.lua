-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 100000
--
-- Fannkuch: for permutations of 1..n, how often must the first k elements be
-- reversed, where k is the first element, until that is 1?  Integer arrays.
-- Argument: number of permutations of ten elements to test.

local limit = tonumber(arg and arg[1]) or 1100000
local n = 10

-- The number of reversals of this permutation; `work` is scratch space.
local function flips(permutation, work)
  for i = 1, n do work[i] = permutation[i] end
  local count, first = 0, work[1]
  while first ~= 1 do
    local low, high = 1, first
    while low < high do
      work[low], work[high] = work[high], work[low]
      low, high = low + 1, high - 1
    end
    count = count + 1
    first = work[1]
  end
  return count
end

-- Rotates the first k elements left by one.
local function rotate(permutation, k)
  local first = permutation[1]
  for i = 1, k - 1 do permutation[i] = permutation[i + 1] end
  permutation[k] = first
end

-- The next permutation in the order of the counters; false after the last.
local function next_permutation(permutation, counters)
  for k = 2, n do
    rotate(permutation, k)
    counters[k] = counters[k] + 1
    if counters[k] < k then return true end
    counters[k] = 0
  end
  return false
end

local permutation, counters, work = {}, {}, {}
for i = 1, n do permutation[i], counters[i], work[i] = i, 0, i end

local most, sum, sign, seen = 0, 0, 1, 0
repeat
  local count = flips(permutation, work)
  if count > most then most = count end
  sum = sum + sign * count
  sign = -sign
  seen = seen + 1
until seen == limit or not next_permutation(permutation, counters)

print(string.format("checksum %d %d", most, sum))
