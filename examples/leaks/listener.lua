-- SPDX-License-Identifier: MIT
--
-- A leak: listeners that are never removed.
--
--     penumbra listener.lua
--
-- Every request registers a listener for the end of the world and forgets to
-- remove it. See docs/find-a-leak.md.

local gc = require "penumbra.gc"

Request = {}
Request.__index = Request

local bus = {}
do
  local listeners = {}
  function bus.on(f) listeners[#listeners + 1] = f end
end
events = bus

local function serve(n)
  local request = setmetatable({path = "/item/" .. n, body = ("x"):rep(100)},
                               Request)
  events.on(function() return request end)      -- the leak
  return #request.path
end

for n = 1, 100 do serve(n) end                  -- warm up
local before = gc.census()
for n = 1, 1000 do serve(n) end
local after = gc.census()

-- What has grown?
local grown = gc.diff(before, after)
for i = 1, math.min(4, #grown) do
  print(("%-40s %6d objects %8d bytes"):format(grown[i].name, grown[i].count,
                                               grown[i].bytes))
end

-- What keeps one of them? Any will do: the next one.
local path
do
  local last = setmetatable({}, Request)
  events.on(function() return last end)
  path = gc.why(last)
end
print(path)
