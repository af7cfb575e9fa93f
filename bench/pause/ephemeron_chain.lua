-- SPDX-License-Identifier: MIT
--
-- A chain of 50,000 ephemerons in one table: the value of an entry is the key
-- of the next, and the program holds only the first key.  A collector that
-- repeats passes over the table until nothing changes takes time that grows
-- with the square of the length.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
if not meter.has_ephemerons() then meter.note("no ephemerons") end

local length = meter.scaled(50000)
local map = setmetatable({}, { __mode = "k" })
local first = {}
local last = first
for i = 1, length do
  local following = { i }
  map[last] = following
  last = following
end

meter.run(function()
  meter.litter(200)
  assert(map[first])
end)
