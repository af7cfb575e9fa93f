-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 1
--
-- All placements of n queens on a board so that none attacks another:
-- backtracking with arrays of booleans.
-- Argument: number of repetitions.

local repetitions = tonumber(arg and arg[1]) or 14
local n = 11

local column_free, rising_free, falling_free = {}, {}, {}
for i = 1, n do column_free[i] = true end
for i = 1, 2 * n do rising_free[i], falling_free[i] = true, true end

local solutions, placed, sum = 0, {}, 0

local function place(row)
  if row > n then
    solutions = solutions + 1
    sum = (sum * 31 + placed[1] * n + placed[n]) % 1000000007
    return
  end
  for column = 1, n do
    local rising, falling = row + column, row - column + n
    if column_free[column] and rising_free[rising] and
       falling_free[falling] then
      column_free[column] = false
      rising_free[rising] = false
      falling_free[falling] = false
      placed[row] = column
      place(row + 1)
      column_free[column] = true
      rising_free[rising] = true
      falling_free[falling] = true
    end
  end
end

for _ = 1, repetitions do place(1) end
print(string.format("checksum %d %d", solutions, sum))
