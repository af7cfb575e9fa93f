-- SPDX-License-Identifier: MIT
--
-- Two hundred megabytes in pieces of 2 to 60 KB.  Some are constantly replaced,
-- and sometimes all of them are dropped together.  An allocator that merges
-- free pieces, and returns them to the system, may do so at once.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local count = meter.scaled(7000)
local pieces, size = {}, 0

local function piece(i) return string.rep("x", 2000 + i * 7919 % 58000) end

meter.run(function(slice)
  if size < count then
    size = size + 1
    pieces[size] = piece(size)
  else
    pieces[meter.random(count)] = piece(slice)
  end
  if slice % (8 * count) == 0 then pieces, size = {}, 0 end
  meter.litter(100)
end)
