-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 70000
--
-- Coroutines are made, run briefly and dropped, some of them unfinished:
-- generators, a chain of filters, a walk over a tree, and a round-robin of
-- tasks that are constantly replaced by new ones.
-- Argument: number of tasks.

local tasks = tonumber(arg and arg[1]) or 700000
local create, resume = coroutine.create, coroutine.resume
local wrap, yield = coroutine.wrap, coroutine.yield

local function numbers(n)
  return wrap(function() for i = 1, n do yield(i) end end)
end

local function squares(source)
  return wrap(function() for i in source do yield(i * i) end end)
end

local function build(depth)
  if depth == 0 then return nil end
  return { left = build(depth - 1), value = depth, right = build(depth - 1) }
end

local function walk(tree)
  if not tree then return end
  walk(tree.left)
  yield(tree.value)
  walk(tree.right)
end

local tree = build(4)
local sum = 0

-- Pipelines and tree walks.
for i = 1, tasks / 10 do
  for value in squares(numbers(i % 4 + 1)) do sum = sum + value end
  for value in wrap(function() walk(tree) end) do sum = sum + value end
end

-- Round-robin: each task needs a few turns; every seventh is dropped early.
local function task(turns)
  local done = 0
  for _ = 1, turns do
    done = done + 1
    yield(done)
  end
  return done
end

local ring, made = {}, 0
while made < tasks do
  for slot = 1, 200 do
    local thread = ring[slot]
    if not thread or coroutine.status(thread) == "dead" then
      made = made + 1
      thread = create(task)
      ring[slot] = thread
      resume(thread, made % 3 + 1)
    elseif made % 7 == 0 then
      ring[slot] = nil
    end
    local _, value = resume(thread)
    sum = (sum + (value or 0)) % 1000000007
  end
end
print(string.format("checksum %d", sum))
