-- SPDX-License-Identifier: MIT
--
-- Many open upvalues: 200 coroutines are suspended 100 calls deep.  Closures
-- refer to eight variables in each call, so 160,000 variables are still on a
-- stack.  Closures constantly write into them, and some coroutines continue to
-- run.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local threads = meter.scaled(200)
local depth = 100
local writers = {}
local yield = coroutine.yield

local function nest(level)
  local a, b, c, d = { 1 }, { 2 }, { 3 }, { 4 }
  local e, f, g, h = { 5 }, { 6 }, { 7 }, { 8 }
  writers[#writers + 1] = function(value)
    a, b, c, d, e, f, g, h = h, a, b, c, d, e, f, value
    return a
  end
  if level > 1 then
    nest(level - 1)
  else
    while true do yield() end
  end
  return a, b, c, d, e, f, g, h
end

local tasks = {}
for i = 1, threads do
  tasks[i] = coroutine.wrap(nest)
  tasks[i](depth)
end

meter.run(function()
  for _ = 1, 30 do writers[meter.random(#writers)]({ 0 }) end
  tasks[meter.random(threads)]()
  meter.litter(120)
end)
