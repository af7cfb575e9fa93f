-- SPDX-License-Identifier: MIT
--
-- setmetatable with __gc on old objects: of a million plain tables, some get a
-- finalizer long after their birth.  The time to find such a table in a list of
-- all objects grows with the length of the list.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
if not meter.has_table_finalizers() then meter.skip("no __gc on tables") end

local size = meter.scaled(1000000)
local finalized = 0
local class = { __gc = function() finalized = finalized + 1 end }

local objects = {}
for i = 1, size do objects[i] = { i } end

meter.run(function()
  setmetatable(objects[meter.random(size)], class)
  objects[meter.random(size)] = { 0 }
  meter.litter(150)
end)
