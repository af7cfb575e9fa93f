-- SPDX-License-Identifier: MIT
--
-- Long strings and buffers: 200 strings of 256 KB and 200 arrays of 8,000
-- numbers are alive.  Slices replace arrays piece by piece and, rarely, a
-- string.  That allocation fills 256 KB and is timed separately.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local count = meter.scaled(200)
local string_size, buffer_size = 262144, 8000

local function make_string(i)
  return string.rep(string.char(97 + i % 26), string_size - i % 100)
end

local strings, buffers = {}, {}
for i = 1, count do
  strings[i] = make_string(i)
  local buffer = {}
  for k = 1, buffer_size do buffer[k] = k + 0.5 end
  buffers[i] = buffer
end

-- The next buffer grows by 200 numbers in every slice.
local growing, filled = {}, 0
meter.run(function(n)
  for i = filled + 1, filled + 200 do growing[i] = i + 0.25 end
  filled = filled + 200
  if filled == buffer_size then
    buffers[meter.random(count)] = growing
    growing, filled = {}, 0
  end
  if n % 50 == 0 then
    strings[meter.random(count)] = meter.apart(make_string, n)
  end
  meter.litter(60)
end)
