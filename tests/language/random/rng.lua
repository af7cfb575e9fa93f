-- SPDX-License-Identifier: MIT
--
-- rng.lua -- random numbers that are the same on every interpreter
--
-- A program must depend only on its seed, so math.random is not suitable.

local Rng = {}
Rng.__index = Rng

function Rng.new(seed)
  local rng = setmetatable({state = seed * 2 + 1}, Rng)
  for _ = 1, 8 do rng:bits() end
  return rng
end

-- Marsaglia's xorshift with a final multiplication.
function Rng:bits()
  local x = self.state
  x = x ~ (x >> 12)
  x = x ~ (x << 25)
  x = x ~ (x >> 27)
  self.state = x
  return (x * 0x2545F4914F6CDD1D) >> 8
end

-- An integer from low to high, both included.
function Rng:int(low, high) return low + self:bits() % (high - low + 1) end

-- True once in n times, on average.
function Rng:once_in(n) return self:bits() % n == 0 end

function Rng:pick(list) return list[self:int(1, #list)] end

-- An entry of {weight, value, weight, value, ...}.
function Rng:weighted(list)
  local total = 0
  for i = 1, #list, 2 do total = total + list[i] end
  local n = self:int(1, total)
  for i = 1, #list, 2 do
    n = n - list[i]
    if n <= 0 then return list[i + 1] end
  end
end

return Rng
