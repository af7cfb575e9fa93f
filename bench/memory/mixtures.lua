-- SPDX-License-Identifier: MIT
--
-- Programs made at random, which nobody has tuned for.
--
-- A mixture is a few actors that work in turn.  An actor makes objects of one
-- shape and keeps them for one kind of life.  Now and then another actor takes
-- its place.  mixture_any is the mixture of the number in MIXTURE_SEED.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

-- -- Chance -------------------------------------------------------------------

local state

-- Numbers from 1 to n, the same on every interpreter.
local function random(n)
  state = (state ~ state << 13) & 0xffffffff
  state = state ~ state >> 17
  state = (state ~ state << 5) & 0xffffffff
  return state % n + 1
end

local function pick(list) return list[random(#list)] end

-- A function that returns sizes around one of the list.
local function sizes(list)
  local least, spread = pick(list), pick { 1, 1, 2, 10 }
  return function() return least + random(least * spread) - 1 end
end

local counter = 0
local function fresh()
  counter = counter + 1
  return counter
end

-- -- Shapes: functions that make an object and estimate its bytes ---------------

local shapes = {}

function shapes.pair()
  return function() return { fresh() }, 80 end
end

function shapes.record()
  local size = sizes { 2, 4, 10 }
  return function()
    local n, t = size(), {}
    for i = 1, n do t["field" .. i] = i end
    return t, 60 + 40 * n
  end
end

function shapes.array()
  local size = sizes { 3, 20, 200, 3000, 50000 }
  return function()
    local n, t = size(), {}
    for i = 1, n do t[i] = i end
    return t, 60 + 16 * n
  end
end

function shapes.hash()
  local size = sizes { 3, 20, 200, 3000, 30000 }
  local key = pick {
    function(i) return -i end,
    function(i) return i * 7 end,
    function(i) return i + 0.5 end,
    function(i) return "k" .. i end,
    function(i) return { i } end,
  }
  return function()
    local n, t = size(), {}
    for i = 1, n do t[key(i)] = i end
    return t, 60 + 60 * n
  end
end

function shapes.text()
  local size = sizes { 5, 20, 100, 1000, 20000, 300000 }
  return function()
    local n = size()
    return fresh() .. ("x"):rep(n), 30 + n * 2
  end
end

function shapes.joined()
  local size = sizes { 10, 100, 3000 }
  return function()
    local n, t = size(), {}
    for i = 1, n do t[i] = "piece" .. i end
    return table.concat(t, fresh()), 60 * n
  end
end

function shapes.built()
  local size = sizes { 10, 100, 1000 }
  return function()
    local s, n = "", size()
    for _ = 1, n do s = s .. "ab" end
    return s, n * n
  end
end

function shapes.closure()
  return function()
    local a, b = fresh(), {}
    return function() a = a + 1 return a, b end, 160
  end
end

function shapes.thread()
  local depth = sizes { 1, 10, 60 }
  local function down(i)
    if i == 0 then return coroutine.yield() end
    return (down(i - 1))
  end
  return function()
    local n = depth()
    local thread = coroutine.create(down)
    coroutine.resume(thread, n)
    return thread, 1000 + n * 100
  end
end

function shapes.tree()
  local depth = random(8)
  local function make(d)
    if d == 0 then return { fresh() } end
    return { make(d - 1), make(d - 1) }
  end
  return function() return make(depth), 100 << depth end
end

function shapes.finalized()
  local class = { __gc = function() end }
  local size = sizes { 1, 10, 1000, 10000 }
  return function()
    local n = size()
    return setmetatable({ ("y"):rep(n) .. fresh() }, class), 150 + n
  end
end

function shapes.code()
  local text = "local a = %d return function(x) return a + x end"
  return function() return load(text:format(fresh())), 1500 end
end

-- -- Lives: functions that keep about `count` objects ---------------------------

local lives = {}

function lives.none()
  return function() end
end

function lives.ring(count)
  local ring, i = {}, 0
  return function(object)
    i = i % count + 1
    ring[i] = object
  end
end

function lives.scattered(count)
  local kept = {}
  return function(object) kept[random(count)] = object end
end

function lives.queue(count)
  local queue, first, last = {}, 1, 0
  return function(object)
    last = last + 1
    queue[last] = object
    if last - first < count then return end
    queue[first] = nil
    first = first + 1
  end
end

function lives.list(count)
  local head = {}
  local tail, n = head, 0
  return function(object)
    tail.next = { object }
    tail, n = tail.next, n + 1
    if n > count then head = head.next end
  end
end

function lives.stack(count)
  local stack, n = {}, 0
  return function(object)
    if random(2) == 1 and n < count then
      n = n + 1
      stack[n] = object
    elseif n > 0 then
      stack[n] = nil
      n = n - 1
    end
  end
end

function lives.batch(count)
  local batch, n = {}, 0
  return function(object)
    n = n + 1
    batch[n] = object
    if n >= count then batch, n = {}, 0 end
  end
end

function lives.one_in_many(count)
  local ring, i, every = {}, 0, pick { 10, 100 }
  return function(object)
    i = i + 1
    if i % every == 0 then ring[i // every % count + 1] = object end
  end
end

-- A table with weak references to objects, of which a ring keeps the newest.
local function weak(mode, count, store)
  local cache, ring, i = setmetatable({}, { __mode = mode }), {}, 0
  return function(object)
    if type(object) == "string" then object = { object } end
    i = i + 1
    store(cache, object, i)
    ring[i % count + 1] = object
  end
end

function lives.weak_value(count)
  return weak("v", count, function(cache, object, i)
    cache[i % (count * 10)] = object
  end)
end

function lives.weak_key(count)
  return weak("k", count, function(cache, object) cache[object] = { object } end)
end

function lives.named(count)
  local names, i = {}, 0
  return function(object)
    i = i + 1
    names["name" .. i] = object
    names["name" .. i - count] = nil
  end
end

-- -- Mixtures -----------------------------------------------------------------

local function names_of(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local shape_names, life_names = names_of(shapes), names_of(lives)

-- A function that makes about 20 KB of objects, or some times as much.
local function actor()
  local make = shapes[pick(shape_names)]()
  local _, bytes = make()
  local live = pick { 50000, 500000, 2000000, 8000000, 20000000 }
  local keep = lives[pick(life_names)](math.max(2, live // bytes))
  local share = 20000 * pick { 1, 1, 3, 10 }
  return function()
    local made = 0
    while made < share do
      local object, size = make()
      keep(object)
      made = made + size
    end
    return made
  end
end

local function mixture(seed)
  state = seed * 2654435761 & 0xffffffff | 1
  for _ = 1, 10 do random(2) end
  local actors, made, round = {}, 0, 0
  for i = 1, random(4) do actors[i] = actor() end
  while made < scaled(400000000, 150000000) do
    for _, turn in ipairs(actors) do made = made + turn() end
    round = round + 1
    if round % 500 == 0 then actors[random(#actors)] = actor() end
  end
end

case("mixture_1", "both", function() mixture(1) end)
case("mixture_2", "both", function() mixture(2) end)
case("mixture_3", "both", function() mixture(3) end)
case("mixture_4", "both", function() mixture(4) end)
case("mixture_5", "both", function() mixture(5) end)
case("mixture_6", "both", function() mixture(6) end)
case("mixture_7", "both", function() mixture(7) end)
case("mixture_8", "both", function() mixture(8) end)
case("mixture_9", "both", function() mixture(9) end)
case("mixture_any", "both", function()
  local seed = tonumber(os.getenv("MIXTURE_SEED"))
  if not seed then memory.skip("MIXTURE_SEED is not set") end
  mixture(seed)
end)

memory.run()
