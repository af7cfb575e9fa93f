-- SPDX-License-Identifier: MIT
-- late_hook.lua -- a hook set in a running function does not report its call,
-- even if the function jumps back to its first instruction
local function show(event, line) print(event, line or debug.getinfo(2, "l").currentline) end

local function loop(n)
  while true do
    n = n - 1
    if n == 5 then debug.sethook(show, "c") end
    if n == 0 then break end
  end
  debug.sethook()
end
loop(10)

local function variable(...)
  while true do
    if select("#", ...) == 2 then debug.sethook(show, "cr") end
    if select("#", ...) == 1 then break end
    variable(1)
    break
  end
  debug.sethook()
end
variable(1, 2)

local function counted(n)
  local seen = 0
  debug.sethook(function(event) seen = seen + 1 end, "", 7)
  for i = 1, n do local x = i end
  debug.sethook()
  return seen > 0
end
print(counted(100), counted(1000))
