-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 30000
--
-- Closures made and dropped: composed and curried functions, counters that
-- share an upvalue, and streams whose tails are functions.
-- Argument: number of rounds.

local rounds = tonumber(arg and arg[1]) or 300000

local function compose(f, g) return function(x) return f(g(x)) end end
local function add(a) return function(b) return a + b end end
local function scale(a) return function(b) return a * b end end

local function counter(start)
  local value = start
  local function up() value = value + 1; return value end
  local function down() value = value - 1; return value end
  local function get() return value end
  return up, down, get
end

-- A stream is a head and a function that makes the rest.
local function from(n)
  return n, function() return from(n + 1) end
end

local function map(f, head, rest)
  return f(head), function() return map(f, rest()) end
end

local function filter(keep, head, rest)
  while not keep(head) do head, rest = rest() end
  return head, function() return filter(keep, rest()) end
end

local function sum_of(count, head, rest)
  local sum = 0
  for _ = 1, count do
    sum = sum + head
    head, rest = rest()
  end
  return sum
end

local function is_even(n) return n % 2 == 0 end

local kept = {}          -- a few closures stay alive for a while
local sum = 0
for i = 1, rounds do
  local f = compose(add(i), compose(scale(2), add(1)))
  sum = sum + f(i % 10)
  local up, down, get = counter(i)
  up(); up(); down()
  sum = (sum + get()) % 1000000007
  kept[i % 1000 + 1] = f
  if i % 64 == 0 then
    sum = (sum + sum_of(20, filter(is_even, map(scale(3), from(i))))) %
          1000000007
  end
end

for i = 1, #kept do sum = (sum + kept[i](i)) % 1000000007 end
print(string.format("checksum %d", sum))
