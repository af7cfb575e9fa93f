-- SPDX-License-Identifier: MIT
--
-- A cache of 1.5 million entries with weak values.  The program holds most of
-- them.  Some constantly lose their last reference, and their entries must be
-- cleared.  The program constantly reads the cache.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(1500000)
local cache = setmetatable({}, { __mode = "v" })
local held = {}
for i = 1, size do
  local object = { i }
  cache[i], held[i] = object, object
end

meter.run(function()
  for _ = 1, 20 do
    local i = meter.random(size)
    local object = { i }
    cache[i], held[i] = object, object
    local other = cache[meter.random(size)]
    assert(other)
  end
  meter.litter(80)
end)
