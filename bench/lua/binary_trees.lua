-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 12
--
-- Binary trees: many short-lived trees of small tables beside one that lives
-- through the whole run.  Allocation and collection of two-field objects.
-- Argument: depth of the deepest tree.

local max_depth = tonumber(arg and arg[1]) or 15
local min_depth = 4

local function build(depth)
  if depth == 0 then return {} end
  return { left = build(depth - 1), right = build(depth - 1) }
end

local function count(tree)
  local left = tree.left
  if not left then return 1 end
  return 1 + count(left) + count(tree.right)
end

local long_lived = build(max_depth)
local sum = count(build(max_depth + 1))

for depth = min_depth, max_depth, 2 do
  for _ = 1, 2 ^ (max_depth - depth + min_depth) do
    sum = sum + count(build(depth))
  end
end

print(string.format("checksum %d %d", sum, count(long_lived)))
