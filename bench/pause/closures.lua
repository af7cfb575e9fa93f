-- SPDX-License-Identifier: MIT
--
-- 1.5 million closures, each with one upvalue of its own and one shared with
-- others.  The program constantly calls some and replaces some.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(1500000)

local function make(value, shared)
  return function(add)
    value = value + add
    return value + #shared
  end
end

local closures, shared = {}, {}
for i = 1, size do
  if i % 100 == 1 then shared = { i } end
  closures[i] = make(i, shared)
end

meter.run(function(n)
  for _ = 1, 20 do closures[meter.random(size)](1) end
  for _ = 1, 10 do closures[meter.random(size)] = make(n, shared) end
  meter.litter(120)
end)
