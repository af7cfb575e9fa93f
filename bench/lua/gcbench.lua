-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 12
--
-- The collector benchmark of Ellis, Kovac and Boehm, ported to Lua: trees
-- filled from the root down (old objects refer to young ones) and from the
-- leaves up, with a long-lived tree and a long-lived array of floats.
-- Argument: depth of the long-lived tree.

local long_lived_depth = tonumber(arg and arg[1]) or 15
local stretch_depth = long_lived_depth + 1
local array_size = 2 ^ (long_lived_depth + 1)
local min_depth, max_depth = 4, long_lived_depth - 1

local function tree_size(depth) return 2 ^ (depth + 1) - 1 end

-- The number of trees of this depth that have the size of two stretch trees.
local function tree_count(depth)
  return math.floor(2 * tree_size(stretch_depth) / tree_size(depth))
end

local function new_node(left, right)
  return { left = left, right = right, i = 0, j = 0 }
end

local function populate(depth, node)
  if depth <= 0 then return end
  node.left = new_node()
  node.right = new_node()
  populate(depth - 1, node.left)
  populate(depth - 1, node.right)
end

local function make_tree(depth)
  if depth <= 0 then return new_node() end
  return new_node(make_tree(depth - 1), make_tree(depth - 1))
end

local function count(node)
  if not node then return 0 end
  return 1 + count(node.left) + count(node.right)
end

local sum = count(make_tree(stretch_depth))

local long_lived = new_node()
populate(long_lived_depth, long_lived)

local array = {}
for i = 1, array_size do array[i] = 1.0 / i end

for depth = min_depth, max_depth, 2 do
  local root
  for _ = 1, tree_count(depth) do
    root = new_node()
    populate(depth, root)
  end
  sum = sum + count(root)
  for _ = 1, tree_count(depth) do root = make_tree(depth) end
  sum = sum + count(root)
end

print(string.format("checksum %d %d %.6f", sum, count(long_lived),
                    array[1000] or array[#array]))
