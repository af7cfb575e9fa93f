-- SPDX-License-Identifier: MIT
--
-- The memory of stacks: no more than they need.  After a few ordinary cycles, a
-- stack that was deep once takes no more than one that never was.

local gc = require "penumbra.gc"
collectgarbage("incremental")

local function cycles(count)
  local goal = gc.stats().cycles + count
  while gc.stats().cycles < goal do local t = {{}, {}} end
end

local function deep(n)
  if n > 0 then deep(n - 1) return n end
end

-- Bytes for each of `count` suspended coroutines.
local function bytes_each(count, body, ...)
  local threads = {}
  for i = 1, count do threads[i] = false end
  collectgarbage()
  collectgarbage()
  local before = collectgarbage("count")
  for i = 1, count do
    threads[i] = coroutine.create(body)
    coroutine.resume(threads[i], ...)
  end
  collectgarbage()
  return (collectgarbage("count") - before) * 1024 / #threads
end

local function below(bytes, limit) return bytes < limit or bytes end

-- One cell, and a second one for stacks that do not fit into it.
local function at_depth(n)
  if n > 0 then at_depth(n - 1) return n end
  coroutine.yield()
end
print(below(bytes_each(2000, at_depth, 0), 1000))       --> true
print(below(bytes_each(2000, at_depth, 1), 1000))       --> true
print(below(bytes_each(2000, at_depth, 5), 1400))       --> true
print(below(bytes_each(2000, at_depth, 8), 1650))       --> true
print(below(bytes_each(2000, at_depth, 12), 1850))      --> true

local function ten_locals()
  local a, b, c, d, e, f, g, h, i, j = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  coroutine.yield(a, b)
  return c, d, e, f, g, h, i, j
end
print(below(bytes_each(2000, ten_locals), 1000))        --> true

-- Over, or deep once.
print(below(bytes_each(200, function() deep(1000) end), 1000)) --> true
print(below(bytes_each(1000, function()
  deep(5000)
  coroutine.yield()
end), 1000))                                            --> true

-- Bytes in use after some cycles, without a full collection.
local function left_by(run)
  collectgarbage()
  collectgarbage()
  cycles(3)
  local before = gc.stats().bytes
  local keep = run()
  cycles(4)
  collectgarbage("stop")
  local bytes = gc.stats().bytes - before
  collectgarbage("restart")
  return bytes, keep
end

print(below(left_by(function()
  local threads = {}
  for i = 1, 1000 do
    threads[i] = coroutine.create(function() deep(5000) coroutine.yield() end)
    coroutine.resume(threads[i])
  end
  return threads
end), 2000000))                                         --> true

-- The main thread's, after returns and after an error.
print(below(left_by(function() deep(150000) end), 400000)) --> true
local function fall(n)
  if n > 0 then fall(n - 1) return n end
  error("down")
end
print(below(left_by(function()
  print((pcall(fall, 150000)))                          --> false
end), 400000))                                          --> true

-- Earlier values are intact.
local held = {}
for i = 1, 50 do
  held[i] = coroutine.wrap(function(a, ...)
    local sum = select("#", ...)
    local function get() return a, sum end
    deep(3000)
    local more = coroutine.yield(get)
    local x, y = get()
    return x, y, more, ...
  end)
  local get = held[i](i, i + 1, i + 2)
  held[-i] = get
end
cycles(4)
local good = 0
for i = 1, 50 do
  local x, y = held[-i]()
  local p, q, r, s, t = held[i](i * 10)
  if x == i and y == 2 and p == i and q == 2 and r == i * 10 and
     s == i + 1 and t == i + 2 then
    good = good + 1
  end
end
print(good)                                             --> 50

-- All of that in pieces.
print(gc.stats().largest_unit <= 3100)                  --> true

-- A cycle ends in steps by hand, also on a deep stack and without allocation.
local function steps_at(depth)
  if depth > 0 then
    local steps = steps_at(depth - 1)
    return steps
  end
  local steps = 0
  repeat steps = steps + 1 until collectgarbage("step", 1) or steps > 1e5
  return steps
end
collectgarbage()
collectgarbage("stop")
for _, depth in ipairs {1, 100, 1000, 30000} do
  print(below(steps_at(depth), 5000))                   --> true
end
--> true
--> true
--> true
collectgarbage("restart")

-- An object dies in a loop that makes others, although a register that the loop
-- does not use still has it. Whatever the loop calls or does to make them.
collectgarbage("incremental")
for _, operation in ipairs {
  '"x" .. i', 'i .. ""', 'text .. i', 'i .. text .. number',
  'text:byte(1, 2) .. i', '(...) .. i', '{}', '{i}', '{a = i}',
  'function() return i end', 'tostring(i)', 'table.pack(i)', 'table.unpack({i})',
  'coroutine.create(print)', 'coroutine.wrap(print)', 'select("#", {})',
  'setmetatable({}, nil)', 'pcall(error, {})', 'text:sub(1, -1 - i % 20) .. i',
  'string.rep("x", i % 1000 + 50)', 'string.rep("x", 40 + i % 9, ",") .. i',
  'string.upper(text .. i)', 'string.format("%d", i)', 'string.pack("i4", i)',
  'string.gmatch("ab", "a")', 'string.gsub(text, "%d", {}) .. i', '#{...}',
  'table.concat({i, i}, ",")', 'utf8.char(200 + i)', 'load("return 1")',
  'debug.getinfo(1)', 'object()', 'object:method()',
} do
  local source = [[
    local finish, text, number, i = false, ("0123456789"):rep(3), 12345, 0
    local function new() return {} end
    local object = setmetatable({method = new}, {__call = new})
    FREE
    repeat
      i = i + 1
      local made = OPERATION
    until finish or i == 300000
    return finish
  ]]
  local free = [[do
      local a, b, c, d, e, f, g, h, j, k, l
      l = setmetatable({}, {__gc = function() finish = true end})
    end]]
  source = source:gsub("FREE", free):gsub("OPERATION", (operation:gsub("%%", "%%%%")))
  if not assert(load(source))("argument") then print("kept", operation) end
end
