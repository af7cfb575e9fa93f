-- SPDX-License-Identifier: MIT
--
-- A hash with string keys that grows to a million entries, is dropped, and
-- grows again.  When it is full, most implementations double it and reinsert
-- all entries at once.  The set of unique strings grows as well.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local limit = meter.scaled(1000000)
local hash, size = {}, 0

meter.run(function()
  for i = size + 1, size + 50 do hash["k" .. i] = i end
  size = size + 50
  if size >= limit then hash, size = {}, 0 end
end)
