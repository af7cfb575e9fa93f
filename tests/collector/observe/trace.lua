-- SPDX-License-Identifier: MIT
--
-- trace.lua -- the contents of a trace agree with gc.pauses, and its spans nest
--
--    penumbra trace.lua <penumbra> <folder to write to>

local gc = require "penumbra.gc"
local penumbra, folder = arg[1], arg[2]
local path = folder .. "/trace.json"

local function read(name)
  local file <close> = assert(io.open(name))
  return file:read("a")
end

-- Every event is on a separate line.
local function events(name)
  local text = read(name)
  assert(text:find('^{"displayTimeUnit":"ms","traceEvents":%[\n'), "begin")
  assert(text:find("}\n%]}\n$"), "end")
  local list, last = {}, false
  for line in text:gmatch("\n({[^\n]*)") do
    assert(not last, "an event behind one without a comma")
    last = line:sub(-1) ~= ","
    local event = {line = line}
    for key, value in line:gmatch('"(%w+)":("?[^",{}]*)') do
      event[key] = value:sub(1, 1) == '"' and value:sub(2) or tonumber(value)
    end
    assert(event.ph and event.name and event.pid == 1, line)
    list[#list + 1] = event
  end
  return list
end

-- Spans of a track follow each other, or lie within each other.
local function check_nesting(list)
  local tracks = {}
  for _, e in ipairs(list) do
    if e.ph == "X" then
      assert(e.ts >= 0 and e.dur >= 0, e.line)
      tracks[e.tid] = tracks[e.tid] or {}
      table.insert(tracks[e.tid], e)
    end
  end
  for _, spans in pairs(tracks) do
    table.sort(spans, function(a, b)
      if a.ts ~= b.ts then return a.ts < b.ts end
      return a.dur > b.dur
    end)
    local open = {}
    for _, e in ipairs(spans) do
      while #open > 0 and open[#open].ts + open[#open].dur <= e.ts + 0.002 do
        table.remove(open)
      end
      local outer = open[#open]
      assert(not outer or e.ts + e.dur <= outer.ts + outer.dur + 0.002,
             "overlap: " .. e.line)
      open[#open + 1] = e
    end
  end
end

local function sum(list, name)
  local time, count = 0, 0
  for _, e in ipairs(list) do
    if e.name == name and e.ph == "X" then
      time, count = time + e.dur, count + 1
    end
  end
  return time, count
end

-- A program with frames.
do
  gc.pauses(true)
  assert(gc.trace(path))
  local keep, cycles = {}, gc.stats().cycles
  for frame = 1, 40 do
    gc.mark("frame")
    for i = 1, 3000 do keep[(frame * 3000 + i) % 20000] = {i, {}} end
    gc.mark('odd "name"')
    if frame % 10 == 0 then keep.big = ("x"):rep(100000) end
  end
  collectgarbage()
  local pauses = gc.pauses()
  cycles = gc.stats().cycles - cycles
  assert(gc.trace())
  gc.pauses(false)
  local list = events(path)
  check_nesting(list)
  local time, count = sum(list, "step")
  assert(count == pauses.count and count > 0, count)
  assert(math.abs(time - pauses.total) < 0.001 * count + 0.001,
         ("%g and %g us"):format(time, pauses.total))
  time, count = sum(list, "collection")
  assert(count == 1 and math.abs(time - pauses.collections.total) < 0.01)
  local _, major = sum(list, "major cycle")
  local _, minor = sum(list, "minor cycle")
  assert(major + minor == cycles, major + minor)
  assert(select(2, sum(list, "frame")) == 39)
  assert(select(2, sum(list, "odd _name_")) == 39)
  local heap, goal, large, tracks = 0, 0, 0, {}
  for _, e in ipairs(list) do
    if e.ph == "M" and e.line:find('"thread_name"', 1, true) then
      tracks[e.line:match('"args":{"name":"([^"]*)"')] = e.tid
    end
    if e.ph == "C" and e.name == "heap" then heap = heap + 1 end
    if e.ph == "C" and e.name == "goal" then goal = goal + 1 end
    if e.ph == "i" and e.name == "large object" then large = large + 1 end
  end
  assert(heap > 10 and goal == heap and large >= 4, large)
  -- Each sort of mark has a track with its name.
  for _, name in ipairs {"frame", "odd _name_"} do
    for _, e in ipairs(list) do
      if e.name == name and e.ph == "X" then
        assert(e.tid == tracks[name], e.line)
      end
    end
  end
end

-- Names of marks of any length are cut to 47 bytes, and are tracks of their own.
do
  assert(gc.trace(path))
  for length = 44, 52 do
    gc.mark(("n"):rep(length))
    gc.mark(("n"):rep(length))
  end
  gc.mark("")
  gc.mark("")
  assert(gc.trace())
  local list, found = events(path), {}
  for _, e in ipairs(list) do
    if e.ph == "X" and e.name:find("^n*$") then
      found[#e.name] = (found[#e.name] or 0) + 1
    end
  end
  for length = 44, 46 do assert(found[length] == 1, length) end
  assert(found[47] == 11 and found[48] == nil and found[0] == 1, found[47])
end

-- Switched off: no trace and no error.
gc.mark("frame")
assert(gc.trace())
assert(not gc.trace(folder .. "/no/such/folder"))
if io.open("/dev/full") then
  assert(gc.trace("/dev/full"))
  collectgarbage()
  assert(not gc.trace())
end

-- Events have times.
do
  gc.events(1000)
  collectgarbage()
  local list = gc.poll()
  gc.events(false)
  local last = 0
  for _, e in ipairs(list) do
    assert(e.at >= last and e.cpu > 0)
    last = e.at
  end
end

-- The command line.
local script = folder .. "/trace_program.lua"
do
  local file <close> = assert(io.open(script, "w"))
  file:write [[
    local keep = {}
    for i = 1, 200000 do keep[i % 1000] = {i} end
  ]]
end
local function run(options, errors)
  return os.execute(("'%s' %s '%s' 2>'%s'"):format(penumbra, options, script,
                                                   errors))
end
local errors = folder .. "/trace_errors"
assert(run("--trace-gc --trace '" .. path .. "'", errors))
check_nesting(events(path))
local lines, cycles = 0, 0
for line in read(errors):gmatch("[^\n]+") do
  lines = lines + 1
  assert(line:find("^gc %d+ @[%d.]+s m%a+: [%d.]+ ms in %d+ steps, longest " ..
                   "[%d.]+ ms %([%a ]+%), [%d.]+ ms wall, [%d.]+%->[%d.]+ MB, goal [%d.]+ MB$"),
         line)
end
for _, e in ipairs(events(path)) do
  if e.name:find("cycle$") then cycles = cycles + 1 end
end
assert(lines == cycles and lines > 2, lines)

-- The trace is complete if the program calls os.exit, and a failure is told.
for _, exit in ipairs {"os.exit(true)", "os.exit(true, true)"} do
  local file <close> = assert(io.open(script, "w"))
  file:write("for i = 1, 200000 do local t = {} end ", exit)
  file:close()
  assert(run("--trace '" .. path .. "'", errors))
  check_nesting(events(path))
end
if io.open("/dev/full") then
  local ok, message = gc.trace("/dev/full")
  assert(ok, message)
  collectgarbage()
  ok, message = gc.trace()
  assert(not ok and message == "cannot write the trace")
  run("--trace /dev/full", errors)
  assert(read(errors) == penumbra .. ": /dev/full: cannot write the trace\n")
end
assert(not run("--trace=", errors) and not run("--snapshot-on NO", errors))
for _, name in ipairs {path, script, errors} do os.remove(name) end
print "ok"
