-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 4
--
-- The sieve of Eratosthenes: one array of booleans, written with growing
-- strides, several times.
-- Argument: number of repetitions.

local repetitions = tonumber(arg and arg[1]) or 40
local limit = 500000

local function sieve(composite)
  for i = 2, limit do composite[i] = false end
  local count, last = 0, 0
  for i = 2, limit do
    if not composite[i] then
      count, last = count + 1, i
      for k = i * i, limit, i do composite[k] = true end
    end
  end
  return count, last
end

local composite = { true }
local count, last
for _ = 1, repetitions do count, last = sieve(composite) end
print(string.format("checksum %d %d", count, last))
