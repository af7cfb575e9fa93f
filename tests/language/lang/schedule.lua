-- SPDX-License-Identifier: MIT
--
-- Settings that are changed all the time, and changed back: a cycle is not put
-- off by that.  Each program makes garbage beside less than a megabyte of live
-- objects, and changes something every 1, 10 or 100 objects.
local gc = require "penumbra.gc"
local sandbox = require "penumbra.sandbox"

local box = sandbox.new {memory = 64e6, units = 1e6}
local alive = {}

local changes = {
  limit = function(i) gc.limit(1e9 + i % 2) end,
  limit_on_and_off = function(i) gc.limit(i % 2 == 0 and 1e9 or 0) end,
  limit_near = function(i) gc.limit(64e6 + i % 2) end,
  target = function(i) gc.target(5e8 + i % 2) end,
  target_on_and_off = function(i) gc.target(i % 2 == 0 and 5e8 or 0) end,
  sandbox = function() box:run("return 1") end,
  stop_and_restart = function()
    collectgarbage("stop")
    collectgarbage("restart")
  end,
  stopped_work = function()
    collectgarbage("stop")
    for i = 1, 20 do local _ = {i} end
    collectgarbage("restart")
  end,
  stopped_long = function()
    collectgarbage("stop")
    for i = 1, 300 do local _ = {i} end
    collectgarbage("restart")
  end,
  pause = function(i) collectgarbage("setpause", 200 + i % 2) end,
  multiplier = function(i) collectgarbage("setstepmul", 100 + i % 2) end,
  modes = function(i)
    collectgarbage(i % 2 == 0 and "generational" or "incremental")
  end,
  same_mode = function() collectgarbage(collectgarbage("generational")) end,
  frame = function(i) gc.frame(i % 2 == 0 and 100 or 0) end,
  finalizers = function(i) gc.finalizers(10 + i % 2) end,
  external = function()
    gc.external(1000)
    gc.external(-1000)
  end,
  freed = function() -- a table that grows frees its old parts
    local t = {}
    for i = 1, 40 do t[i] = i end
  end,
  asks = function()
    gc.stats()
    collectgarbage("isrunning")
  end,
}

local function bytes_now()
  local stats = gc.stats()
  return stats.bytes + stats.external
end

local function peak_of(change, every, mode)
  collectgarbage()
  collectgarbage(mode)
  local peak = 0
  for i = 1, 60000 do
    alive[i % 1000 + 1] = {i, {i}, "name " .. i}
    if i % every == 0 then change(i // every) end
    if i % 64 == 0 then peak = math.max(peak, bytes_now()) end
  end
  gc.limit(0)
  gc.target(0)
  gc.frame(0)
  collectgarbage("incremental", 200, 100)
  return peak
end

local function nothing() end

-- Twice the peak without changes, and a megabyte.
for _, mode in ipairs {"incremental", "generational"} do
  local usual = peak_of(nothing, 1, mode)
  for name, change in pairs(changes) do
    for _, every in ipairs {1, 10, 100} do
      local peak = peak_of(change, every, mode)
      if peak > 2 * usual + 1e6 then
        print(("%s, %s every %d: %.1f MB, usually %.1f"):format(
          mode, name, every, peak / 1e6, usual / 1e6))
      end
    end
  end
end
print "in time" --> in time
