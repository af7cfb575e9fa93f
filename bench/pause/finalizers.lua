-- SPDX-License-Identifier: MIT
--
-- 400,000 tables with a finalizer.  Some of them constantly die and others are
-- born.  The finalizer itself does almost nothing.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
if not meter.has_table_finalizers() then meter.skip("no __gc on tables") end

local size = meter.scaled(400000)
local finalized = 0
local class = { __gc = function() finalized = finalized + 1 end }

local objects = {}
for i = 1, size do objects[i] = setmetatable({ i }, class) end

meter.run(function()
  for _ = 1, 5 do
    objects[meter.random(size)] = setmetatable({ 0 }, class)
  end
  meter.litter(120)
end)
