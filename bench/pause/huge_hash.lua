-- SPDX-License-Identifier: MIT
--
-- One hash of 1.5 million string keys, constantly written: old entries get new
-- values, and entries are removed and others added, so that the number of keys
-- stays the same.  (When a table without free room must be refilled after
-- deletions, Lua counts and reinserts all entries.  That is a pause, too.)

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(1500000)
local hash = {}
for i = 1, size do hash["key" .. i] = { i } end
local oldest, newest = 1, size

meter.run(function(n)
  for _ = 1, 20 do
    local number = oldest + meter.random(size) - 1
    local key = "key" .. number
    if hash[key] then hash[key] = { number } end
  end
  hash["key" .. oldest] = nil
  oldest, newest = oldest + 1, newest + 1
  hash["key" .. newest] = { newest }
  meter.litter(80)
end)
