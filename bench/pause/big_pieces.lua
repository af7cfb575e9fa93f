-- SPDX-License-Identifier: MIT
--
-- Allocation in big pieces: beside a heap of 500,000 small objects the program
-- sometimes makes a string of 100 MB and drops the one before.  Making it is
-- the program's own long operation and is timed separately.  The slices show
-- whether the program must pay the debt at once afterwards.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(500000)
local piece = meter.scaled(100 * 1024 * 1024)
local live = {}
for i = 1, size do live[i] = { i } end

local big
meter.run(function(n)
  if n % 10000 == 5000 then
    big = nil
    big = meter.apart(string.rep, "0123456789abcdef", piece / 16)
  end
  live[meter.random(size)] = { n }
  meter.litter(150)
end)
