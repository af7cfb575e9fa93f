-- SPDX-License-Identifier: MIT
--
-- waits.lua -- the longest time that a program waited, and its cause: gc.pauses,
-- gc.poll, gc.metrics, the report and the lines of --trace-gc agree
--
--    penumbra waits.lua <penumbra> <folder to write to>

local gc = require "penumbra.gc"
local penumbra, folder = arg[1], arg[2]
local file, script, errors = folder .. "/waits.json", folder .. "/waits_program.lua",
                             folder .. "/waits_errors"

local function read(name)
  local file <close> = assert(io.open(name))
  return file:read("a")
end

-- CPU time of a call in microseconds, measured from outside.
local function outside(f)
  local began = os.clock()
  f()
  return (os.clock() - began) * 1e6
end

local function near(inside, measured, what)
  assert(inside <= measured + 20 and inside >= measured * 0.7 - 200,
         ("%s: %.0f us inside, %.0f us outside"):format(what, inside, measured))
end

-- Each cause in turn is the longest: a program that waits long for it.
local keep = {}
for i = 1, 200000 do keep[i] = {i} end
local function busy()
  local x = 0
  for i = 1, 2000000 do x = x + i end
  return x
end
local CAUSES = {
  ["automatic step"] = function()
    for i = 1, 400000 do keep[i % 1000] = {i} end
  end,
  ["step by hand"] = function() gc.step(20000) end,
  ["whole collection"] = collectgarbage,
  ["emergency collection"] = function()
    gc.limit(gc.stats().footprint + 4096)
    pcall(string.rep, "x", 1 << 24)
    gc.limit(0)
  end,
  ["finalizer"] = function()
    collectgarbage("stop")
    setmetatable({}, {__gc = busy})
    collectgarbage("restart")
    for _ = 1, 1000000 do
      if gc.stats().finalizers_due > 0 then break end
      gc.step(10)
    end
    gc.finalize()
  end,
}

local function metric_of(text, cause)
  local pattern = 'penumbra_gc_longest_wait_seconds{cause="' .. cause .. '"} ([%d.]+)'
  return tonumber(text:match(pattern)) * 1e6
end

-- The rows of the report, in microseconds, and its card.
local function report_of()
  assert(gc.report(file))
  local text, rows = require "penumbra.page".html(read(file)), {}
  for longest, cause in text:gmatch("<tr data%-longest=(%d+)><td>([%a ]+)<td>") do
    rows[cause] = longest / 1000
  end
  local value, unit, cause = text:match(
    "<div class=tile><b>([%d.]+) ([^<]+)</b>longest wait %(([%a ]+)%)</div>")
  assert(value, "no card")
  local scale = {ns = 0.001, ["\u{b5}s"] = 1, ms = 1000, s = 1000000}
  return rows, tonumber(value) * scale[unit], cause
end

for cause, work in pairs(CAUSES) do
  for i = 1, 200000 do keep[i] = {i} end
  collectgarbage()
  collectgarbage("stop")
  for i = 1, 200000 do keep[i % 1000] = {i} end -- so that a cycle is due
  gc.pauses(true)
  gc.report(true)
  gc.events(1 << 16)
  if cause == "automatic step" then collectgarbage("restart") end
  local measured = outside(work)
  collectgarbage("stop")
  local p, text, events = gc.pauses(), gc.metrics(), gc.poll()
  local rows, card, card_cause = report_of()
  collectgarbage("restart")
  -- The one that took longest is the first number, and has its cause.
  local worst = 0
  for name, time in pairs(p.waits) do
    worst = math.max(worst, time)
    assert(math.abs((rows[name] or 0) - time) < 0.01, name)
    assert(math.abs(metric_of(text, name) - time) < 0.01, name)
  end
  assert(p.wait == worst and p.waits[p.cause] == worst)
  assert(p.cause == cause, ("%s instead of %s"):format(p.cause, cause))
  assert(card_cause == cause and math.abs(card - rows[cause]) <= card * 0.01)
  if cause ~= "automatic step" and cause ~= "finalizer" then
    near(p.wait, measured, cause)
  end
  if cause == "finalizer" then assert(p.wait > 2000 and p.wait < measured) end
  if cause == "whole collection" then
    assert(p.max < p.wait and p.collections.max == p.wait)
  end
  -- Events have their causes, too.
  if cause ~= "finalizer" then
    local longest, name = 0, nil
    for _, e in ipairs(events) do
      assert((e.cause ~= nil) == (e.time ~= nil))
      if e.time and e.time > longest then longest, name = e.time, e.cause end
    end
    assert(name == cause and math.abs(longest - p.wait) < 0.01)
  end
  gc.events(false)
  gc.report(false)
  gc.pauses(false)
end

-- The lines of a whole program: collections take time, and say so.
do
  local file <close> = assert(io.open(script, "w"))
  file:write [[
    local keep = {}
    for i = 1, 200000 do keep[i] = {i} end
    for _ = 1, 3 do
      local began = os.clock()
      collectgarbage()
      io.stdout:write((os.clock() - began) * 1e3, "\n")
    end
  ]]
end
local pipe = assert(io.popen(("'%s' --trace-gc '%s' 2>'%s'"):format(penumbra,
                                                                   script, errors)))
local outside_time = {}
for line in pipe:lines() do outside_time[#outside_time + 1] = tonumber(line) end
assert(pipe:close() and #outside_time == 3)
local collections = {}
for line in read(errors):gmatch("[^\n]+") do
  local all, steps, longest, cause = line:match(
    ": ([%d.]+) ms in (%d+) steps, longest ([%d.]+) ms %(([%a ]+)%), ")
  assert(all, line)
  all, steps, longest = tonumber(all), tonumber(steps), tonumber(longest)
  assert(steps > 0 and all > 0 and longest > 0, line)
  assert(longest <= all + 0.002 or cause == "whole collection", line)
  if cause == "whole collection" then collections[#collections + 1] = longest end
end
-- One or two cycles for each call; the last ones are those of the end.
local at = 1
for i, ms in ipairs(outside_time) do
  while collections[at] and collections[at] < ms * 0.7 - 0.2 do at = at + 1 end
  assert(collections[at] and collections[at] <= ms + 0.1,
         ("collection %d took %.3f ms, the lines say %s"):format(i, ms,
         table.concat(collections, " ")))
  at = at + 1
end
for _, name in ipairs {file, script, errors} do os.remove(name) end
print "ok"
