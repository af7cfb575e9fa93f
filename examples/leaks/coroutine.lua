-- SPDX-License-Identifier: MIT
--
-- A leak: coroutines that never end.
--
--     penumbra coroutine.lua
--
-- A session waits for a message that does not come, and the scheduler keeps the
-- session. See docs/find-a-leak.md.

local gc = require "penumbra.gc"

scheduler = {waiting = {}}

local function session(name)
  local buffer = {name, ("b"):rep(200)}
  while true do
    local message = coroutine.yield()           -- "bye" never comes
    if message == "bye" then return buffer end
  end
end

local function open(name)
  local thread = coroutine.create(session)
  coroutine.resume(thread, name)
  scheduler.waiting[#scheduler.waiting + 1] = thread
  return thread
end

for n = 1, 10 do open("session " .. n) end
local before = gc.census()
for n = 1, 200 do open("session " .. n) end
local after = gc.census()

local grown = gc.diff(before, after)
for i = 1, math.min(3, #grown) do
  print(("%-40s %6d objects %8d bytes"):format(grown[i].name, grown[i].count,
                                               grown[i].bytes))
end
print((gc.why(scheduler.waiting[3])))
