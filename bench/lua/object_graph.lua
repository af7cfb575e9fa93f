-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 10000
--
-- A live graph of objects that changes constantly: nodes are replaced by new
-- ones, edges are redirected, and walks leave marks on the nodes they pass.
-- Old objects come to refer to young ones, the worst case for generations.
-- Argument: number of nodes.

local size = tonumber(arg and arg[1]) or 80000
local degree = 4
local rounds = 8

local seed = 1234567
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

local serial = 0
local function new_node(value)
  serial = serial + 1
  return { id = serial, value = value, edges = {}, visits = { count = 0 } }
end

local nodes = {}
for i = 1, size do nodes[i] = new_node(i) end
for i = 1, size do
  local edges = nodes[i].edges
  for k = 1, degree do edges[k] = nodes[random(size)] end
end

-- A new node takes the place and the edges of an old one.  References to the
-- old one keep it alive until they are redirected.
local function replace(i)
  local old = nodes[i]
  local new = new_node(old.value + 1)
  for k = 1, degree do new.edges[k] = old.edges[k] end
  nodes[i] = new
end

local function redirect(i)
  local node = nodes[i]
  node.edges[random(degree)] = nodes[random(size)]
  node.visits = { count = node.visits.count }
end

local function walk(node, steps)
  local sum = 0
  for _ = 1, steps do
    node.visits.count = node.visits.count + 1
    sum = sum + node.value
    node = node.edges[random(degree)]
  end
  return sum
end

local sum = 0
for _ = 1, rounds do
  for _ = 1, size / 5 do
    replace(random(size))
    redirect(random(size))
    redirect(random(size))
    sum = (sum + walk(nodes[random(size)], 5)) % 1000000007
  end
end

local visits = 0
for i = 1, size do visits = visits + nodes[i].visits.count end
print(string.format("checksum %d %d %d", serial, sum, visits))
