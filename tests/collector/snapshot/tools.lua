-- SPDX-License-Identifier: MIT
--
-- tools.lua -- two snapshots for other tools, and what these should find
--
--    penumbra tools.lua <folder of this test> <folder to write to>
--
-- Between the two, 40 objects of the class Fresh are made, 30 of the class Gone
-- die, and new objects of the class Reborn take their places. Prints the total
-- size of the second one, and the id and retained size of an object.

local gc = require "penumbra.gc"
local check = dofile(arg[1] .. "/check.lua")
local folder = arg[2]

Gone, Fresh, Reborn, Kept = {}, {}, {}, {}
store = {gone = {}, fresh = {}, kept = {}, reborn = {}}
for i = 1, 30 do store.gone[i] = setmetatable({number = i}, Gone) end
for i = 1, 50 do store.kept[i] = setmetatable({number = i}, Kept) end
do
  local function make()
    local listeners = {setmetatable({payload = ("p"):rep(5000)}, Kept)}
    return function() return listeners end
  end
  handler = make()
end
weak = setmetatable({store.kept[1]}, {__mode = "v"})
owner = {}
pairs_of = setmetatable({[owner] = {long = ("v"):rep(3000)}}, {__mode = "k"})
text = "raw \0 \xFF bytes"

assert(gc.snapshot(folder .. "/first.heapsnapshot"))
for i = 1, 30 do store.gone[i] = nil end
collectgarbage()
for i = 1, 30 do store.reborn[i] = setmetatable({number = i}, Reborn) end
for i = 1, 40 do store.fresh[i] = setmetatable({number = i}, Fresh) end
assert(gc.snapshot(folder .. "/second.heapsnapshot"))

local graph = check(folder .. "/second.heapsnapshot")
local function find(node, name)
  for _, edge in ipairs(node.edges) do
    if edge.name == name and edge.type ~= "hidden" then return edge.to end
  end
  error("no " .. name)
end
local globals = find(find(graph.nodes[2], "registry"), "_G")
local object = find(find(find(find(globals, "handler"), "listeners"), "value"), 1)
local retained = object.size + find(object, "payload").size
print(graph.bytes, #graph.nodes, object.id, retained,
      find(globals, "owner").id)
