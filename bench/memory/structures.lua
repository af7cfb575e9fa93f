-- SPDX-License-Identifier: MIT
--
-- Data structures of typical programs.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled, random = memory.case, memory.scaled, memory.random

-- A cache that drops the least recently used entry: a list and a hash.
case("lru", "both", function()
  local capacity, count = 30000, 0
  local index, head = {}, {}
  head.next, head.previous = head, head
  local function unlink(node)
    node.previous.next, node.next.previous = node.next, node.previous
  end
  local function link(node)
    node.next, node.previous = head.next, head
    head.next.previous = node
    head.next = node
  end
  for _ = 1, scaled(1200000) do
    local key = "key" .. random(100000)
    local node = index[key]
    if node then
      unlink(node)
    else
      node = { key = key, value = { key } }
      index[key] = node
      count = count + 1
      if count > capacity then
        local oldest = head.previous
        unlink(oldest)
        index[oldest.key] = nil
        count = count - 1
      end
    end
    link(node)
  end
end)

-- Documents as a JSON decoder makes them, a few alive at a time.
local function document(depth, width)
  if depth == 0 then
    return { name = "leaf" .. random(1000), value = random(1000), flag = true }
  end
  local children = {}
  for i = 1, width do children[i] = document(depth - 1, width) end
  return { name = "node", children = children, size = width }
end

case("json_trees", "both", function()
  local ring = {}
  for i = 1, scaled(120) do ring[i % 3] = document(5, 6) end
end)

-- One large document, replaced as a whole.
case("json_tree_replaced", "both", function()
  local tree
  for _ = 1, scaled(8, 3) do tree = document(6, 7) end
  assert(tree)
end)

case("priority_queue", "both", function()
  local heap, size = {}, 0
  local function push(item)
    size = size + 1
    local at = size
    while at > 1 and heap[at // 2][1] > item[1] do
      heap[at] = heap[at // 2]
      at = at // 2
    end
    heap[at] = item
  end
  local function pop()
    local top, item = heap[1], heap[size]
    heap[size] = nil
    size = size - 1
    local at = 1
    while at * 2 <= size do
      local child = at * 2
      if child < size and heap[child + 1][1] < heap[child][1] then
        child = child + 1
      end
      if heap[child][1] >= item[1] then break end
      heap[at] = heap[child]
      at = child
    end
    if size > 0 then heap[at] = item end
    return top
  end
  for i = 1, 50000 do push({ random(1000000), i }) end
  for i = 1, scaled(1000000) do
    local item = pop()
    push({ item[1] + random(1000000), i })
  end
end)

case("binary_trees", "both", function()
  local function tree(depth)
    if depth == 0 then return {} end
    return { tree(depth - 1), tree(depth - 1) }
  end
  local long = tree(16)
  for _ = 1, scaled(1500) do tree(11) end
  assert(long[1])
end)

case("linked_lists", "both", function()
  for _ = 1, scaled(80) do
    local list
    for i = 1, 100000 do list = { next = list, value = i } end
  end
end)

-- Objects with a class: 10,000 particles, some of which die in each frame.
case("particles", "both", function()
  local Particle = {}
  Particle.__index = Particle
  local function new(x) return setmetatable({ x = x, y = 0.0, age = 0,
    position = { x, 0.0 } }, Particle) end
  local all = {}
  for i = 1, 10000 do all[i] = new(i) end
  for _ = 1, scaled(400) do
    for i = 1, #all do
      local p = all[i]
      p.position = { p.x + 1.0, p.y }
      p.age = p.age + 1
      if p.age > i % 50 then all[i] = new(i) end
    end
  end
end)

memory.run()
