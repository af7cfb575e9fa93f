-- SPDX-License-Identifier: MIT
--
-- 150,000 suspended coroutines, a few of which are constantly resumed.  Each
-- one has a stack to scan, and those that ran must be scanned again.  Sometimes
-- one is dropped and replaced.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(150000)
local yield, wrap = coroutine.yield, coroutine.wrap

local function body()
  local state = { 0 }
  while true do
    state = { state[1] + 1 }
    yield(state)
  end
end

local tasks = {}
for i = 1, size do
  tasks[i] = wrap(body)
  tasks[i]()
end

meter.run(function()
  for _ = 1, 20 do tasks[meter.random(size)]() end
  local new = wrap(body)
  new()
  tasks[meter.random(size)] = new
  meter.litter(80)
end)
