-- SPDX-License-Identifier: MIT
--
-- simulated.lua -- under a simulator there is no machine code if it would not be
-- seen that code changes
--
-- usage: penumbra simulated.lua on|off

local function f(n)
  local s = 0
  for i = 1, n do s = s + i % 7 end
  return s
end
for _ = 1, 100 do assert(f(1000) == 3003) end

local status = require "penumbra.machine".status()
assert(status.on == (arg[1] == "on"), status.why)
assert(status.on and status.pieces > 0 or status.why:find "simulator")
