-- SPDX-License-Identifier: MIT
--
-- Finalizable objects that die together: groups of 50,000 of them are dropped
-- at once, ten times in the run.  Finding them, keeping them for their
-- finalizers and calling those is much work that becomes due at one moment.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
if not meter.has_table_finalizers() then meter.skip("no __gc on tables") end

local size, groups = meter.scaled(50000), 10
local finalized = 0
local class = { __gc = function() finalized = finalized + 1 end }

local live = {}
for g = 1, groups do
  local group = {}
  for i = 1, size do group[i] = setmetatable({ i }, class) end
  live[g] = group
end

meter.run(function(n)
  if n % 4000 == 0 then live[n / 4000] = nil end
  meter.litter(150)
end)
