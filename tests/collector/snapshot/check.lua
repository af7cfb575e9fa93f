-- SPDX-License-Identifier: MIT
--
-- check.lua -- checks that a file is a consistent heap snapshot
--
--    local check = dofile "check.lua"
--    local graph = check(path)        raises an error that says what is wrong
--
-- Reads and checks the whole file: counts, types, names within the list of
-- strings, edges that lead to nodes, ids that are odd and unique.  Every node
-- must be reachable from the first one without weak edges.  Returns the nodes:
-- {type =, name =, id =, size =, edges = {{type =, name =, to = node}, ...}}.

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

-- The text between the brackets behind `"name":[`, and where it ends.
local function section(text, name, from, ending)
  local _, start = text:find('"' .. name .. '":[', from, true)
  assert(start, "no section " .. name)
  local stop = text:find(ending, start, true)
  assert(stop, "no end of section " .. name)
  return text:sub(start + 1, stop - 1), stop
end

local function numbers(text, what)
  assert(not text:find("[^%d,\n]"), what .. " are not all numbers")
  assert(not text:find(",%s*,") and not text:find(",%s*$"),
         what .. " have gaps")
  local list, n = {}, 0
  for digits in text:gmatch("%d+") do
    n = n + 1
    list[n] = math.tointeger(tonumber(digits))
    assert(list[n] < 2 ^ 32, what .. " beyond 32 bits")
  end
  return list
end

local ESCAPES = {n = "\n", t = "\t", r = "\r", b = "\b", f = "\f"}

-- A list of JSON strings.
local function strings(text, from)
  local list, at = {}, from
  while true do
    at = text:find("%S", at)
    if text:byte(at) == 93 then return list, at end        -- ]
    assert(text:byte(at) == 34, "a string must begin here")
    local pieces, start = {}, at + 1
    while true do
      local stop = text:find('["\\%c]', start)
      assert(stop, "a string has no end")
      pieces[#pieces + 1] = text:sub(start, stop - 1)
      local c = text:byte(stop)
      if c == 34 then at = stop + 1 break end
      assert(c == 92, "a control character in a string")
      local letter = text:sub(stop + 1, stop + 1)
      if letter == "u" then
        local code = assert(text:match("^%x%x%x%x", stop + 2), "bad escape")
        pieces[#pieces + 1] = utf8.char(tonumber(code, 16))
        start = stop + 6
      else
        assert(ESCAPES[letter] or letter:find('["\\/]'), "bad escape")
        pieces[#pieces + 1] = ESCAPES[letter] or letter
        start = stop + 2
      end
    end
    local s = table.concat(pieces)
    assert(utf8.len(s), "a string is not UTF-8")
    list[#list + 1] = s
    at = text:find("%S", at)
    if text:byte(at) == 44 then at = at + 1 end            -- ,
  end
end

local NODE_TYPES = {[0] = "hidden", "array", "string", "object", "code",
                    "closure", "regexp", "number", "native", "synthetic"}
local EDGE_TYPES = {[0] = "context", "element", "property", "internal",
                    "hidden", "shortcut", "weak"}

local function reach(nodes)
  local queue, seen = {nodes[1]}, {[nodes[1]] = true}
  nodes[1].distance = 0
  local at = 1
  while queue[at] do
    for _, edge in ipairs(queue[at].edges) do
      if edge.type ~= "weak" and not seen[edge.to] then
        seen[edge.to] = true
        edge.to.distance = queue[at].distance + 1
        edge.to.parent, edge.to.through = queue[at], edge
        queue[#queue + 1] = edge.to
      end
    end
    at = at + 1
  end
  for i, node in ipairs(nodes) do
    assert(seen[node], ("node %d (%s %s) cannot be reached"):format(
      i, node.type, node.name))
  end
end

return function(path)
  local text = read(path)
  local node_count = tonumber(text:match('"node_count":(%d+)'))
  local edge_count = tonumber(text:match('"edge_count":(%d+)'))
  assert(node_count and edge_count, "no counts")
  assert(text:find('"node_fields":["type","name","id","self_size","edge_count"]',
                   1, true), "other fields of nodes")
  assert(text:find('"edge_fields":["type","name_or_index","to_node"]', 1, true),
         "other fields of edges")
  local node_text, at = section(text, "nodes", 1, "]")
  local n = numbers(node_text, "nodes")
  assert(#n == 5 * node_count, "number of nodes is not as announced")
  local edge_text
  edge_text, at = section(text, "edges", at, "]")
  local e = numbers(edge_text, "edges")
  assert(#e == 3 * edge_count, "number of edges is not as announced")
  local _, start = text:find('"strings":[', at, true)
  assert(start, "no strings")
  local names, stop = strings(text, start + 1)
  assert(text:sub(stop):find("^]}%s*$"), "something behind the end")

  local nodes, ids, place, bytes = {}, {}, 1, 0
  for i = 1, node_count do
    local f = 5 * i - 4
    local node = {type = NODE_TYPES[n[f]], name = names[n[f + 1] + 1],
                  id = n[f + 2], size = n[f + 3], edges = {}}
    assert(node.type, "unknown type of node")
    assert(node.name, "a node without a name")
    assert(node.id % 2 == 1, "an even id")
    assert(not ids[node.id], "an id twice")
    ids[node.id] = node
    bytes = bytes + node.size
    nodes[i] = node
  end
  for i = 1, node_count do
    for _ = 1, n[5 * i] do
      local f = 3 * place - 2
      assert(e[f], "fewer edges than nodes say")
      local kind, to = EDGE_TYPES[e[f]], e[f + 2]
      assert(kind, "unknown type of edge")
      assert(to % 5 == 0 and to // 5 < node_count, "an edge to nowhere")
      local name = e[f + 1]
      if kind ~= "element" and kind ~= "hidden" then
        name = assert(names[name + 1], "an edge without a name")
      end
      local list = nodes[i].edges
      list[#list + 1] = {type = kind, name = name, to = nodes[to // 5 + 1]}
      place = place + 1
    end
  end
  assert(place == edge_count + 1, "more edges than nodes say")
  reach(nodes)
  return {nodes = nodes, ids = ids, bytes = bytes, edge_count = edge_count}
end
