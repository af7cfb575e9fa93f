-- SPDX-License-Identifier: MIT
--
-- Loops of frames that all do the same work, beside a live heap.  Prints how much
-- longer frames take than with the collector stopped:
--
--     penumbra loops.lua NAME SECONDS           one loop
--     penumbra loops.lua NAME SECONDS shares    likewise, see below
--     penumbra loops.lua                        the names of all
--
-- Output: the time of a frame with the collector stopped in milliseconds; mean,
-- 99 %, 99.9 % and worst in multiples of it; the percentage of frames above twice
-- that time; the number of frames; the peak of resident memory in MB.  With
-- `shares`, on penumbra, also what the collector itself takes in a frame, in
-- multiples of the rest of that frame: 99 %, 99.9 % and worst.  A busy machine
-- changes both alike.
-- Plain Lua: runs on lua5.4 and luajit, too.

local clock = os.clock
local gc = arg[3] == "shares" and require "penumbra.gc"
local function collector_seconds()
  return gc and gc.pauses().total * 1e-6 or 0
end

local seed = 42
local function random(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed % n + 1
end

-- Each entry makes the live heap and returns the function of a frame.
local loops = {}

-- `made` small tables in a frame, one in `kept` of them replaces a live one.
local function records(live_count, made, kept, computation)
  return function()
    local live = {}
    for i = 1, live_count do live[i] = {x = i} end
    return function(frame)
      local sum = 0
      for i = 1, made do
        local e = {x = i, y = frame}
        if i % kept == 0 then
          live[(frame * 7919 + i * 31) % live_count + 1] = e
        end
        for j = 1, computation do sum = sum + e.x * j end
      end
      return sum
    end
  end
end

loops.records = records(500000, 2000, 100, 1)
loops.records_computing = records(500000, 2000, 100, 60)
loops.records_few = records(20000, 2000, 100, 1)
loops.records_many = records(2000000, 4000, 100, 1)
loops.records_kept = records(300000, 2000, 4, 5)

function loops.strings()
  local live = {}
  for i = 1, 200000 do live[i] = "name" .. i end
  return function(frame)
    for i = 1, 1500 do
      local s = "key" .. (frame * 1500 + i)
      if i % 50 == 0 then live[random(200000)] = s end
    end
  end
end

function loops.closures()
  local live = {}
  local function make(a)
    return function(b)
      a = a + b
      return a
    end
  end
  for i = 1, 300000 do live[i] = make(i) end
  return function(frame)
    for i = 1, 1500 do
      local f = make(i)
      f(frame)
      if i % 50 == 0 then live[random(300000)] = f end
    end
  end
end

function loops.tree()
  local function build(depth)
    if depth == 0 then return {false, false, false, false} end
    return {build(depth - 1), build(depth - 1), build(depth - 1),
            build(depth - 1)}
  end
  local live = build(8)
  return function()
    for _ = 1, 6 do
      local node = live
      for _ = 1, 4 do node = node[random(4)] end
      node[random(4)] = build(3)
      build(3)
    end
  end
end

function loops.coroutines()
  local live = {}
  local function body(a)
    while true do a = coroutine.yield({a}) end
  end
  local function make(i)
    local task = coroutine.wrap(body)
    task(i)
    return task
  end
  for i = 1, 50000 do live[i] = make(i) end
  return function()
    for i = 1, 200 do live[random(50000)](i) end
    for i = 1, 100 do live[random(50000)] = make(i) end
    for i = 1, 500 do local _ = {i} end
  end
end

function loops.weak_values()
  local cache, live, count = setmetatable({}, {__mode = "v"}), {}, 0
  for i = 1, 200000 do
    live[i] = {i}
    cache[i] = live[i]
  end
  return function()
    for i = 1, 1000 do
      count = count + 1
      local t = {count}
      cache[count % 400000 + 1] = t
      if i % 20 == 0 then live[random(200000)] = t end
    end
  end
end

function loops.array()
  local live = {}
  for i = 1, 3000000 do live[i] = i % 3 == 0 and {} or i end
  return function(frame)
    for i = 1, 1500 do
      local t = {i, frame}
      if i % 50 == 0 then live[random(3000000)] = t end
    end
  end
end

-- Everything survives for a while and dies old.
function loops.lifetimes()
  local live, count = {}, 100000
  local function make(i, y)
    return {id = i, name = "n" .. i, at = {x = i, y = y}}
  end
  for i = 1, count do live[i] = make(i, i) end
  return function(frame)
    for i = 1, 800 do
      local r = random(count)
      live[r * r % count + 1] = make(i, frame)
    end
  end
end

local function timed(frame, i)
  local before = clock()
  frame(i)
  return clock() - before
end

-- The median of a frame with the collector stopped.
local function own_time(frame)
  local times = {}
  collectgarbage()
  collectgarbage("stop")
  for i = 1, 60 do times[i] = timed(frame, i) end
  collectgarbage()
  collectgarbage("restart")
  table.sort(times)
  return times[30]
end

local function peak_megabytes()
  local file = io.open("/proc/self/status")
  if not file then return 0 end
  local peak = file:read("*a"):match("VmHWM:%s*(%d+)")
  file:close()
  return peak / 1024
end

local function run(frame, seconds)
  local own = own_time(frame)
  for i = 1, 200 do frame(i) end
  local times, total, over, stop = {}, 0, 0, clock() + seconds
  if gc then gc.pauses(true) end
  local shares, spent = {}, collector_seconds()
  repeat
    local time, before = timed(frame, #times), spent
    times[#times + 1] = time
    spent = collector_seconds()
    shares[#times] = (spent - before) / math.max(time - (spent - before), 1e-9)
    total = total + time
    if time > 2 * own then over = over + 1 end
  until clock() > stop
  local peak, n = peak_megabytes(), #times
  table.sort(times)
  table.sort(shares)
  local function at(share) return times[math.ceil(n * share)] / own end
  local line = ("%.4f %.3f %.3f %.3f %.3f %.3f %d %.1f"):format(own * 1e3,
    total / n / own, at(0.99), at(0.999), at(1), 100 * over / n, n, peak)
  if gc then
    line = line .. (" %.3f %.3f %.3f"):format(shares[math.ceil(n * 0.99)],
      shares[math.ceil(n * 0.999)], shares[n])
  end
  print(line)
end

local name = arg[1]
if name then
  run(assert(loops[name], "no such loop")(), tonumber(arg[2] or 2))
else
  local names = {}
  for key in pairs(loops) do names[#names + 1] = key end
  table.sort(names)
  print(table.concat(names, "\n"))
end
