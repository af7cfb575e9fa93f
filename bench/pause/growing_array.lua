-- SPDX-License-Identifier: MIT
--
-- An array that grows to six million entries, is dropped, and grows again.
-- When it is full, most implementations double it and copy everything at once.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local limit = meter.scaled(6000000)
local array, size = {}, 0

meter.run(function()
  for i = size + 1, size + 400 do array[i] = i end
  size = size + 400
  if size >= limit then array, size = {}, 0 end
  meter.litter(50)
end)
