-- SPDX-License-Identifier: MIT
--
-- Two hundred megabytes in pieces of 2 to 60 KB, some replaced all the time,
-- and all of them dropped together now and then.  An allocator that puts free
-- pieces together, and gives them back to the system, may do so in one go.

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
