-- SPDX-License-Identifier: MIT
-- package: lua-event lua-socket
-- module: luaevent.core
-- module: socket
-- luaevent: callbacks kept by C until they are collected.
local event, socket = require "luaevent.core", require "socket"
local base = event.new()
local s = assert(socket.bind("127.0.0.1", 0, 64))
local _, port = s:getsockname()
s:settimeout(0)
local served, events = 0, {}

events.accept = base:addevent(s, event.EV_READ, function()
  local c = s:accept()
  c:settimeout(0)
  local e
  e = base:addevent(c, event.EV_READ, function()
    local line, err = c:receive()
    if not line then events[c] = nil c:close() return event.LEAVE end
    c:send(line:reverse() .. "\n")
    served = served + 1
    return event.EV_READ
  end)
  events[c] = e
  return event.EV_READ
end)

local clients, answers = {}, 0
for i = 1, 20 do
  local c = assert(socket.connect("127.0.0.1", port))
  clients[i] = c
  c:settimeout(0)
  c:send("abc" .. i .. "\n")
  events[i] = base:addevent(c, event.EV_READ, function()
    local line = c:receive()
    if line == ("abc" .. i):reverse() then answers = answers + 1 end
    c:close()
    if answers == 20 then events.accept:close() base:loopexit() end
    return event.LEAVE
  end)
end
local ticks = 0
events.timer = base:addevent(nil, event.EV_TIMEOUT, function()
  ticks = ticks + 1
  collectgarbage()
  if ticks >= 2000 then base:loopexit() return event.LEAVE end
  return event.EV_TIMEOUT, 0.002
end, 0.002)
base:loop()
print("served", served, "answers", answers)
for i = 1, 200 do base:addevent(nil, event.EV_TIMEOUT, function() end, 100) end
events = nil
collectgarbage() collectgarbage()
print(base:method() ~= nil)
base = nil
collectgarbage()
