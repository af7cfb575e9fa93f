-- SPDX-License-Identifier: MIT
--
-- A chain of ephemerons across 20,000 tables with weak keys: each has one
-- entry, whose value is the key in the next table.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")
if not meter.has_ephemerons() then meter.note("no ephemerons") end

local count = meter.scaled(20000)
local mode = { __mode = "k" }
local tables = {}
for i = 1, count do tables[i] = setmetatable({}, mode) end

-- Shuffles the order of the tables, so that no lucky order resolves at once.
local order = {}
for i = 1, count do order[i] = i end
for i = count, 2, -1 do
  local k = meter.random(i)
  order[i], order[k] = order[k], order[i]
end

local first = {}
local last = first
for i = 1, count do
  local following = { i }
  tables[order[i]][last] = following
  last = following
end

meter.run(function()
  meter.litter(200)
  assert(tables[order[1]][first])
end)
