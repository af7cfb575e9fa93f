-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 6
--
-- Finds the nest of loops, reducible or not, in large control flow graphs
-- (Havlak 1997, almost linear with union-find).  Graphs of small objects,
-- worklists, sets, deep recursion.
-- Argument: number of graphs.

local graphs = tonumber(arg and arg[1]) or 60

local seed = 271828
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

-- Graphs ---------------------------------------------------------------------

local function new_block(graph)
  local block = { name = #graph + 1, inward = {}, outward = {} }
  graph[#graph + 1] = block
  return block
end

local function edge(from, to)
  from.outward[#from.outward + 1] = to
  to.inward[#to.inward + 1] = from
end

-- Code with one entry and one exit: a line, a branch, a sequence or a loop.
local function region(graph, depth)
  local entry = new_block(graph)
  if depth == 0 then return entry, entry end
  local kind = random(4)
  if kind == 1 then                                 -- if ... else ...
    local exit = new_block(graph)
    for _ = 1, 2 do
      local first, last = region(graph, depth - 1)
      edge(entry, first)
      edge(last, exit)
    end
    return entry, exit
  end
  local first, last = region(graph, depth - 1)
  edge(entry, first)
  if kind == 2 then                                 -- one after the other
    local second, exit = region(graph, depth - 1)
    edge(last, second)
    return entry, exit
  end
  edge(last, entry)                                 -- a loop
  local exit = new_block(graph)
  edge(kind == 3 and entry or last, exit)
  if random(20) == 1 then edge(entry, last) end
  return entry, exit
end

-- A procedure: consecutive regions, and some jumps into the middle of others.
local function procedure(regions, depth)
  local graph = {}
  local start = new_block(graph)
  local at = start
  for i = 1, regions do
    local first, last = region(graph, depth)
    edge(at, first)
    if i % 3 == 0 then edge(start, graph[first.name + 1] or first) end
    if i % 5 == 0 then edge(last, graph[random(#graph)]) end
    at = last
  end
  return graph, start
end

-- Union and find over loop bodies --------------------------------------------

local function find(node)
  local root = node
  while root.parent ~= root do root = root.parent end
  while node.parent ~= root do
    node.parent, node = root, node.parent
  end
  return root
end

-- Loops ----------------------------------------------------------------------

-- Numbers the blocks in preorder; `last` is the highest number below a node.
local function number_blocks(block, nodes, by_block)
  local node = { block = block, number = #nodes + 1, back = {}, other = {} }
  node.parent = node
  nodes[node.number], by_block[block] = node, node
  for _, target in ipairs(block.outward) do
    if not by_block[target] then number_blocks(target, nodes, by_block) end
  end
  node.last = #nodes
end

local function is_ancestor(a, b)
  return a.number <= b.number and b.number <= a.last
end

-- Separates edges that come from below in the tree from all others.
local function sort_edges(nodes, by_block)
  for _, node in ipairs(nodes) do
    for _, source in ipairs(node.block.inward) do
      local from = by_block[source]
      if from then
        local list = is_ancestor(node, from) and node.back or node.other
        list[#list + 1] = from
      end
    end
  end
end

-- The body of the loop headed by this node, as a list of roots.
local function collect_body(header)
  local body, known = {}, {}
  for _, from in ipairs(header.back) do
    local root = find(from)
    if from == header then
      header.kind = header.kind or "self"
    elseif not known[root] then
      known[root] = true
      body[#body + 1] = root
      header.kind = "reducible"
    end
  end
  local at = 1
  while at <= #body do
    for _, from in ipairs(body[at].other) do
      local root = find(from)
      if not is_ancestor(header, root) then
        header.kind = "irreducible"
        header.other[#header.other + 1] = root
      elseif root ~= header and not known[root] then
        known[root] = true
        body[#body + 1] = root
      end
    end
    at = at + 1
  end
  return body
end

-- Gives every header its loop and links the loops to a tree.
local function find_loops(start)
  local nodes, by_block, loops = {}, {}, {}
  number_blocks(start, nodes, by_block)
  sort_edges(nodes, by_block)
  for i = #nodes, 1, -1 do
    local header = nodes[i]
    local body = collect_body(header)
    if header.kind then
      local loop = { kind = header.kind, children = {}, size = 1 }
      header.loop = loop
      loops[#loops + 1] = loop
      for _, node in ipairs(body) do
        node.parent = header
        if node.loop then
          node.loop.outer = loop
          loop.children[#loop.children + 1] = node.loop
        else
          loop.size = loop.size + 1
        end
      end
    end
  end
  return loops, #nodes
end

local function depth_of(loop)
  local deepest = 0
  for _, child in ipairs(loop.children) do
    deepest = math.max(deepest, depth_of(child))
  end
  return deepest + 1
end

local blocks, count, irreducible, deepest, sum = 0, 0, 0, 0, 0
for _ = 1, graphs do
  local _, start = procedure(60, 6)
  local loops, reached = find_loops(start)
  blocks, count = blocks + reached, count + #loops
  for _, loop in ipairs(loops) do
    if loop.kind == "irreducible" then irreducible = irreducible + 1 end
    if not loop.outer then deepest = math.max(deepest, depth_of(loop)) end
    sum = (sum * 31 + loop.size) % 1000000007
  end
end
print(string.format("checksum %d %d %d %d %d", blocks, count, irreducible,
                    deepest, sum))
