-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 31
--
-- Fibonacci numbers by double recursion: only calls, comparisons and additions
-- of small integers.
-- Argument: which number.

local n = tonumber(arg and arg[1]) or 36

local function fib(k)
  if k < 2 then return k end
  return fib(k - 1) + fib(k - 2)
end

print(string.format("checksum %d", fib(n)))
