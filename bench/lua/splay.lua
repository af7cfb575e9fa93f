-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 1000
--
-- A splay tree (Sleator and Tarjan 1985, top-down) whose nodes carry a payload
-- of small tables and strings.  Every step inserts one node and removes
-- another, so old nodes are constantly relinked and refer to new ones.
-- Argument: number of nodes in the tree; four times as many are replaced.

local size = tonumber(arg and arg[1]) or 8000
local replacements = size * 4
local payload_depth = 3

local seed = 49734321
local function random()
  seed = (seed * 16807) % 2147483647
  return seed
end

local function payload(depth, tag)
  if depth == 0 then
    return { array = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, text = "leaf " .. tag }
  end
  return { left = payload(depth - 1, tag), right = payload(depth - 1, tag) }
end

-- Moves the node with this key, or its neighbor, to the root.
local function splay(tree, key)
  local root = tree.root
  if not root then return end
  local header = {}
  local left, right = header, header
  while true do
    if key < root.key then
      local child = root.left
      if not child then break end
      if key < child.key then
        root.left, child.right, root = child.right, root, child
        if not root.left then break end
      end
      right.left, right, root = root, root, root.left
    elseif key > root.key then
      local child = root.right
      if not child then break end
      if key > child.key then
        root.right, child.left, root = child.left, root, child
        if not root.right then break end
      end
      left.right, left, root = root, root, root.right
    else
      break
    end
  end
  left.right, right.left = root.left, root.right
  root.left, root.right = header.right, header.left
  tree.root = root
end

-- Returns whether the key was new.
local function insert(tree, key, value)
  local node = { key = key, value = value }
  if not tree.root then
    tree.root = node
    return true
  end
  splay(tree, key)
  local root = tree.root
  if root.key == key then return false end
  if key > root.key then
    node.left, node.right, root.right = root, root.right, nil
  else
    node.right, node.left, root.left = root, root.left, nil
  end
  tree.root = node
  return true
end

-- Removes the key, which must be present.
local function remove(tree, key)
  splay(tree, key)
  local root = tree.root
  assert(root.key == key)
  if not root.left then
    tree.root = root.right
  else
    local right = root.right
    tree.root = root.left
    splay(tree, key)
    tree.root.right = right
  end
end

-- The greatest key less than this one, or nil.
local function find_below(tree, key)
  splay(tree, key)
  local node = tree.root
  if node.key < key then return node.key end
  node = node.left
  if not node then return nil end
  while node.right do node = node.right end
  return node.key
end

local function insert_new(tree)
  local key
  repeat key = random() until insert(tree, key, false)
  tree.root.value = payload(payload_depth, key)
  return key
end

local function walk(node, visit)
  if not node then return end
  walk(node.left, visit)
  visit(node)
  walk(node.right, visit)
end

local tree = {}
for _ = 1, size do insert_new(tree) end
for _ = 1, replacements do
  local key = insert_new(tree)
  remove(tree, find_below(tree, key) or key)
end

local nodes, sum, last = 0, 0, -1
walk(tree.root, function(node)
  assert(node.key > last)
  last = node.key
  nodes = nodes + 1
  sum = (sum * 31 + node.key + #node.value.left.right.left.text) % 1000000007
end)
print(string.format("checksum %d %d", nodes, sum))
