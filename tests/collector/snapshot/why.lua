-- SPDX-License-Identifier: MIT
--
-- why.lua -- gc.why reports the shortest path, the dominator and retained sizes

local gc = require "penumbra.gc"

local function expect(object, path, dominator)
  local found, info = gc.why(object)
  assert(found == path, ("%s instead of %s"):format(found, path))
  assert(info.dominator == dominator, info.dominator)
  assert(info.size > 0 and info.retained >= info.size)
  return info
end

cache = {}
for i = 1, 100 do cache["user:" .. i] = {name = {}, tags = {{}, {}}} end
expect(cache, "_G.cache", "_G")
expect(cache["user:17"], '_G.cache["user:17"]', "cache")
for _, key in ipairs {"1a", "a-b", "9", "@a", "a`", "A[", "z{"} do
  cache[key] = {}
  expect(cache[key], ('_G.cache["%s"]'):format(key), "cache")
  cache[key] = nil
end
for key, shown in pairs {[""] = '[""]', ["\0"] = '["\\000"]', ["a\0b"] = '["a\\000b"]',
                         ["a\nb"] = '["a\\010b"]', ['a"b'] = '["a\\"b"]',
                         ["a\\"] = '["a\\\\"]', ["\200"] = '["\200"]', ["["] = '["["]',
                         [true] = "[true]", [false] = "[false]", [0.5] = "[0.5]",
                         [-1] = "[-1]", [1 << 40] = "[1099511627776]",
                         [debug.upvalueid(expect, 1)] = "[pointer]"} do
  cache[key] = {}
  expect(cache[key], "_G.cache" .. shown, "cache")
  cache[key] = nil
end
for _, key in ipairs {"a1", "_", "Z_9", "az", "A0"} do
  cache[key] = {}
  expect(cache[key], "_G.cache." .. key, "cache")
  cache[key] = nil
end
expect(cache["user:17"].name, '_G.cache["user:17"].name', "Object")
expect(cache["user:17"].tags[2], '_G.cache["user:17"].tags[2]', "Array")

-- Retained size: without objects that something else keeps, too.
do
  shared = ("s"):rep(10000)
  owner = {alone = ("a"):rep(20000), shared = shared}
  local info = expect(owner, "_G.owner", "_G")
  assert(info.retained > 20000 and info.retained < 30000, info.retained)
  shared = nil
  info = expect(owner, "_G.owner", "_G")
  assert(info.retained > 30000 and info.retained < 40000, info.retained)
end

-- Two paths: the shorter one is reported, and neither dominates.
do
  local object = {}
  one, two = {a = {object}}, {object}
  expect(object, "_G.two[1]", "_G")
  two = {a = object}
  one.a = {}
  expect(object, "_G.two.a", "two")
  one, two = nil, nil
end

-- An object is named by its class, which only __index may lead to.
Class = {}
objects = {setmetatable({child = {}}, {__index = Class})}
expect(objects[1].child, "_G.objects[1].child", "Class")

-- Upvalues, coroutines, weak tables, metatables.
do
  local function make()
    local listeners = {{}}
    return function() return listeners end
  end
  handler = make()
  local path = gc.why(handler()[1])
  assert(path:find("^_G%.handler %-> upvalue 'listeners' of .*why%.lua:%d+ %-> %[1%]$"),
         path)
end
weak = setmetatable({}, {__mode = "v"})
thread = coroutine.create(function()
  local here = {}
  weak[1] = here
  coroutine.yield()
  return here
end)
coroutine.resume(thread)
do
  local path = gc.why(weak[1])
  assert(path:find("^_G%.thread %-> local 'here' of .*why%.lua:%d+$"), path)
end
ephemerons = setmetatable({}, {__mode = "k"})
do
  local key = {}
  keys = {key}
  ephemerons[key] = {"value"}
  local path = gc.why(ephemerons[key])
  assert(path == "_G.ephemerons[Object]", path)
end
meta = setmetatable({}, {__index = {}})
expect(getmetatable(meta), "_G.meta -> metatable", "meta")
expect(getmetatable(meta).__index, "_G.meta -> metatable.__index", "Object")

-- A variable that the running function shares with another one.
do
  local pages = {}
  function page_of(name)
    pages[name] = pages[name] or {}
    return pages[name]
  end
  local path = gc.why(page_of("a b"))
  assert(path:find("^_G%.page_of %-> upvalue 'pages' of .*why%.lua:%d+ " ..
                   '%-> %["a b"%]$'), path)
end

-- A variable is reported only if nothing else keeps the object.
do
  local mine = {}
  local path = gc.why(mine)
  assert(path:find("local 'mine' of .*why%.lua$"), path)
end

-- A long path.
do
  list = {}
  local last = list
  for _ = 1, 1000 do
    last.next = {}
    last = last.next
  end
  for _ = 1, 10 do -- the memory of one answer may serve for the next one
    local path = gc.why(last)
    assert(path:find("^%.%.%. %-> %.next%.next") and path:find("%.next%.next$"),
           path)
  end
  list = nil
end

-- The size is what the heap has more with the object. A count is no more exact
-- than the size classes are.
do
  local function size_of(make)
    collectgarbage()
    collectgarbage("stop")
    local before = collectgarbage("count")
    sized = make()
    local bytes = (collectgarbage("count") - before) * 1024
    collectgarbage("restart")
    local _, info = gc.why(sized)
    sized = nil
    return info.size, bytes, info
  end
  local function near(size, bytes, least, most)
    assert(size >= least and size <= most, size)
    assert(math.abs(size - bytes) <= bytes / 8 + 16, size .. " of " .. bytes)
  end
  local size, bytes, info = size_of(function() return ("x"):rep(1 << 20) end)
  near(size, bytes, 1 << 20, (1 << 20) * 5 // 4)
  assert(info.retained == size)
  size, bytes = size_of(function() return {} end)
  near(size, bytes, 32, 128)
  size, bytes = size_of(function()
    local t = table.pack(("x"):byte(1, -1))
    for i = 1, 1 << 16 do t[i] = i end
    return t
  end)
  assert(size >= 9 << 16 and size <= 32 << 16, size)
  local a, b, c = 1, 2, 3
  size, bytes = size_of(function()
    return function() return size, a, b, c end
  end)
  near(size, bytes, 32, 256)
  size = size_of(function() return coroutine.create(print) end)
  assert(size > 200 and size < 8192, size)
end

assert(not gc.why(1) and not gc.why(nil) and not gc.why(print))
assert(not pcall(gc.why))
print "ok"
