-- SPDX-License-Identifier: MIT
--
-- Coroutines and stacks.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

local function down(depth)
  if depth > 0 then return 1 + down(depth - 1) end
  coroutine.yield()
  return 0
end

-- 60,000 coroutines, suspended five calls deep and gradually replaced.
case("suspended", "both", function()
  local list = {}
  for i = 1, 60000 do
    list[i] = coroutine.create(down)
    coroutine.resume(list[i], 5)
  end
  for i = 1, scaled(300000) do
    local co = coroutine.create(down)
    coroutine.resume(co, 5)
    list[i % 60000 + 1] = co
  end
end)

-- Coroutines a thousand calls deep, dropped while suspended.
case("deep_dropped", "both", function()
  for _ = 1, scaled(20000) do
    local co = coroutine.create(down)
    coroutine.resume(co, 1000)
  end
end)

-- Coroutines of all depths, a hundred alive.
case("depths", "both", function()
  local ring = {}
  for i = 1, scaled(20000) do
    local co = coroutine.create(down)
    coroutine.resume(co, memory.random(2000))
    ring[i % 100] = co
  end
end)

case("generators", "both", function()
  local function numbers(n)
    return coroutine.wrap(function()
      for i = 1, n do coroutine.yield({ i }) end
    end)
  end
  for _ = 1, scaled(500000) do
    for object in numbers(5) do assert(object[1]) end
  end
end)

-- The main program's stack, repeatedly deep.
case("deep_recursion", "both", function()
  local function recurse(n)
    if n == 0 then return 0 end
    return 1 + recurse(n - 1)
  end
  for _ = 1, scaled(200) do
    assert(recurse(150000) == 150000)
    for i = 1, 20000 do local garbage = { i } end
  end
end)

-- Coroutines that run to their end, each with some garbage of its own.
case("finished", "both", function()
  for i = 1, scaled(1500000) do
    local co = coroutine.create(function() return { i } end)
    coroutine.resume(co)
  end
end)

memory.run()
