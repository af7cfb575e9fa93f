-- SPDX-License-Identifier: MIT
--
-- snapshot.lua -- heap snapshots contain the heap and nothing else
--
--    penumbra snapshot.lua <folder of this test> <folder to write to>

local gc = require "penumbra.gc"
local check = dofile(arg[1] .. "/check.lua")
local folder = arg[2]

local count = 0
local function path()
  count = count + 1
  return ("%s/snapshot-%d.heapsnapshot"):format(folder, count)
end

local function whole()
  local name = path()
  local result = assert(gc.snapshot(name))
  local live = gc.stats().live
  local graph = check(name)
  os.remove(name)
  assert(graph.bytes == result.bytes and #graph.nodes == result.nodes and
         graph.edge_count == result.edges)
  return graph, result, live
end

-- The node at the end of these edges, starting at the table of globals.
local function follow(graph, ...)
  local node = graph.globals
  if not node then
    for _, edge in ipairs(graph.nodes[2].edges) do
      if edge.name == "registry" then
        for _, e in ipairs(edge.to.edges) do
          if e.name == "_G" then node = e.to end
        end
      end
    end
    assert(node, "no globals")
    graph.globals = node
  end
  for _, name in ipairs {...} do
    local found
    for _, edge in ipairs(node.edges) do
      if edge.name == name and edge.type ~= "hidden" then found = edge end
    end
    assert(found, "no edge " .. name)
    node = found.to
    graph.last = found
  end
  return node
end

-- Sizes, names, edges ------------------------------------------------------

Account = {}
Account.__index = Account
Named = {__name = "Blob"}
things = {}
for i = 1, 300 do things[i] = setmetatable({name = "thing " .. i}, Account) end
blob = setmetatable({}, Named)
text = "a\0b\27 \xFF \u{E4} \"quoted\" \\"
long = ("x"):rep(100000)
keys = {[1.5] = {}, [true] = {}, [-7] = {}, [1 << 40] = {}, [things[1]] = {}}
do
  local counter = {}
  function handler() return counter end
end
thread = coroutine.create(function(argument)
  local waiting = {argument}
  coroutine.yield(waiting)
  return waiting
end)
coroutine.resume(thread, {})

do
  local graph, result, live = whole()
  assert(result.bytes == live, ("sizes are %d, the heap %d"):format(
    result.bytes, live))
  assert(result.moved == 0)
  assert(follow(graph, "things", 17).name == "Account")
  assert(follow(graph, "things", 17, "name").name == "thing 17")
  assert(follow(graph, "blob").name == "Blob")
  local shown = follow(graph, "text").name
  assert(shown == "a\0b\27 \\xFF \u{E4} \"quoted\" \\", ("%q"):format(shown))
  local l = follow(graph, "long")
  assert(l.name == ("x"):rep(120) .. "..." and l.size > 100000)
  assert(follow(graph, "handler").type == "closure")
  assert(follow(graph, "handler").name:find("^handler %(.*snapshot.lua:%d+%)$"))
  follow(graph, "handler", "counter", "value")
  assert(graph.last.to.type == "object")
  for _, name in ipairs {"[1.5]", "[true]", "[-7]", "[1099511627776]",
                         "[Account]"} do
    follow(graph, "keys", name)
  end
  local found
  for _, edge in ipairs(follow(graph, "thread").edges) do
    if edge.name:find("^local 'waiting' of ") then found = edge end
  end
  assert(found and found.to.name == "Array", "no local variable")
end

-- Bytes that are not UTF-8 -------------------------------------------------

-- What a text becomes in the file: bytes that do not belong to a character of
-- Unicode are escaped.  The library's strict decoder says which ones do.
local function escaped(s)
  local out, i = {}, 1
  while i <= #s do
    local good = utf8.len(s, i, i)
    local last = good and i + #utf8.char(utf8.codepoint(s, i)) - 1 or i
    local part = s:sub(i, last)
    out[#out + 1] = good and part or ("\\x%02X"):format(part:byte())
    i = last + 1
  end
  return table.concat(out)
end

-- The first and the last character of each length, their neighbors, overlong
-- forms, halves of pairs, and texts that end too early.
odd = {"\x80", "\xC1\xBF", "\xC2\x80", "\xDF\xBF", "\xE0\x9F\xBF", "\xE0\xA0\x80",
  "\xED\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
  "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC2", "\xE0\xA0", "\xF0\x90\x80",
  "\xC2x", "\xE0\xA0x", "\xF0\x90\x80x", "\xE1\x80\xC0", "\xF1\x80\x80\xC0"}
for i, s in ipairs(odd) do odd[i] = ("%d %s ."):format(i, s) end
do
  local graph = whole()
  for i, s in ipairs(odd) do
    local shown = follow(graph, "odd", i).name
    assert(shown == escaped(s), ("%d: %q is %q"):format(i, s, shown))
  end
  odd = nil
end

-- Weak tables --------------------------------------------------------------

values = setmetatable({things[5], name = things[6], "text"}, {__mode = "v"})
pairs_ = setmetatable({[things[7]] = {}, [things[8]] = "string"},
                      {__mode = "k"})
do
  local graph = whole()
  follow(graph, "values", "1")
  assert(graph.last.type == "weak")
  follow(graph, "values", "name")
  assert(graph.last.type == "weak")
  assert(follow(graph, "values", 2).name == "text")  -- strings are not weak
  local from_key, from_table = 0, 0
  local function ephemerons(node)
    local n = 0
    for _, edge in ipairs(node.edges) do
      if edge.type == "internal" and
         edge.name:find("^%d+ / part of key %(.* @%d+%) %-> value %(") then
        n = n + 1
      end
    end
    return n
  end
  assert(ephemerons(follow(graph, "pairs_")) == 2)
  assert(ephemerons(follow(graph, "things", 7)) == 1)
  assert(ephemerons(follow(graph, "things", 8)) == 1)
end

-- Two snapshots: ids -------------------------------------------------------

do
  local first = whole()
  local old = {}
  for i = 1, 300 do old[i] = follow(first, "things", i).id end
  local last = 0
  for id in pairs(first.ids) do if id > last then last = id end end
  for i = 101, 200 do things[i] = nil end
  collectgarbage()
  for i = 101, 200 do things[i] = setmetatable({name = "again"}, Account) end
  local second = whole()
  for i = 1, 300 do
    local id = follow(second, "things", i).id
    if i > 100 and i <= 200 then
      assert(id > last and not first.ids[id], "an id was used again")
    else
      assert(id == old[i], "an id has changed")
    end
  end
end

-- While the program runs ---------------------------------------------------

local function stepped(work)
  local name = path()
  assert(gc.snapshot(name, "steps"))
  assert(select(2, gc.snapshot(name, "steps")) == "a snapshot is under way")
  local rounds = 0
  while gc.snapshot() == false do
    work(rounds)
    rounds = rounds + 1
  end
  local result = assert(gc.snapshot())
  local graph = check(name)
  os.remove(name)
  assert(graph.bytes == result.bytes and #graph.nodes == result.nodes)
  return graph, result, rounds
end

do
  local graph, _, rounds = stepped(function()
    for _ = 1, 10 do local _ = {{}} end
  end)
  assert(rounds > 1, "in one go")
  for i = 1, 300 do assert(follow(graph, "things", i).name == "Account") end
end

-- A program that moves everything all the time. All objects that are reachable
-- both at the beginning and at the end must be in the snapshot.
do
  local n, Mover = 2000, {__name = "Mover"}
  local a, b, kept = {}, {}, {}
  for i = 1, n do
    a[i] = setmetatable({}, Mover)
    kept[i] = {"stays", {i}}
  end
  board = {a = a, b = b, kept = kept}
  local function shuffle(round)
    for _ = 1, 50 do
      local i = math.random(n)
      a[i], b[i] = b[i], a[i]
      kept[i].extra = {round}
    end
    if round % 10 == 0 then board.a, board.b = board.b, board.a end
  end
  for _ = 1, 3 do
    local graph = stepped(shuffle)
    local moves = 0
    for _, node in ipairs(graph.nodes) do
      if node.type == "object" and node.name == "Mover" then
        moves = moves + 1
      end
    end
    assert(moves == n, ("%d of %d objects"):format(moves, n))
    for i = 1, n do follow(graph, "board", "kept", i, 2) end
  end
  board = nil
end

-- By hand, with the collector stopped. A full collection ends the snapshot.
do
  collectgarbage("stop")
  local name = path()
  assert(gc.snapshot(name, "steps"))
  while gc.snapshot() == false do gc.step(100) end
  check(name)
  assert(gc.snapshot(name, "steps"))
  collectgarbage()
  collectgarbage()
  check(name)
  assert(gc.snapshot())
  collectgarbage("restart")
  os.remove(name)
end

-- A program that replaces all its objects at full speed while a snapshot is
-- written takes at most 0.3 times as much memory more, although it makes
-- as much garbage as it has objects. The garbage of the cycle goes before the
-- objects are written. If another program has the processor, the thread that
-- writes the file comes late and the snapshot waits for it: the best of a few.
do
  local objects, place = {}, 0
  for i = 1, 100000 do objects[i] = {i, name = "n" .. i % 100} end
  local function peak(ended)
    local most, rounds = 0, 0
    repeat
      for _ = 1, 100 do
        place = place % #objects + 1
        objects[place] = {place, name = "new"}
      end
      most = math.max(most, gc.stats().footprint)
      rounds = rounds + 1
    until ended(rounds)
    return most, rounds
  end
  local name = path()
  local before = peak(function(rounds) return rounds == 10000 end)
  local least = math.huge
  for _ = 1, 5 do
    assert(gc.snapshot(name, "steps"))
    local during = peak(function() return gc.snapshot() ~= false end)
    check(name)
    least = math.min(least, during / before)
    if least < 1.3 then break end
    collectgarbage()
  end
  assert(least < 1.3, ("%.2f times the memory"):format(least))
  os.remove(name)
end

-- Objects to be finalized ---------------------------------------------------

do
  local dead = {}
  local meta = {__gc = function() end, __name = "Dying"}
  local function waiting(graph)
    local n = 0
    for _, edge in ipairs(graph.nodes[3].edges) do
      if edge.to.name == "Dying" then n = n + 1 end
    end
    return n
  end
  for i = 1, 50 do dead[i] = setmetatable({"last words"}, meta) end
  dead = nil
  gc.finalizers(0)
  local graph = whole()
  assert(waiting(graph) == 50, waiting(graph))
  gc.finalizers(64)
  gc.finalize()
  collectgarbage()
  graph = whole()
  assert(waiting(graph) == 0)
end

-- What goes wrong ----------------------------------------------------------

assert(not gc.snapshot(folder .. "/no/such/folder"))
assert(not gc.snapshot(folder .. "/no/such/folder", "steps"))
assert(not pcall(gc.snapshot, path(), "sometimes"))
if io.open("/dev/full") then
  local ok, message = gc.snapshot("/dev/full")
  assert(not ok and message == "No space left on device", message)
end

-- An older file is replaced, not shortened: ext4 would write all of the new one
-- to the disk in the collector's last step. Links keep their meaning.
do
  local name = path()
  local link, hard = name .. ".link", name .. ".hard"
  local function write(text, to)
    local file <close> = assert(io.open(to, "w"))
    file:write(text)
  end
  local function size(of)
    local file <close> = assert(io.open(of))
    return file:seek("end")
  end
  write("old", name)
  if os.execute(("ln '%s' '%s' && ln -s '%s' '%s'"):format(name, hard, name,
                                                         link)) then
    assert(gc.snapshot(hard))
    assert(size(name) == size(hard) and size(name) > 1000)
    os.remove(hard)
    assert(gc.snapshot(link))
    assert(size(name) > 1000)
    local held = assert(io.open(name))
    write("older", name)
    assert(gc.snapshot(name))
    assert(held:read("a") == "older" and size(name) > 1000)
    held:close()
  end
  os.remove(link)
  os.remove(name)
end

-- Memory runs out during a snapshot: it fails, and the program continues.
do
  local name = path()
  assert(gc.snapshot(name, "steps"))
  gc.limit(gc.stats().footprint + 65536)
  local ok, message = pcall(function()
    local list = {}
    while gc.snapshot() == false do list[#list + 1] = {} end
  end)
  gc.limit(0)
  collectgarbage()
  assert(ok or message == "not enough memory")
  assert(gc.snapshot() ~= false)
  os.remove(name)
  whole()
end

-- The state is closed during a snapshot.
assert(gc.snapshot(folder .. "/unfinished.heapsnapshot", "steps"))
os.remove(folder .. "/unfinished.heapsnapshot")
print "ok"
