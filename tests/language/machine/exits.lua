-- SPDX-License-Identifier: MIT
--
-- exits.lua -- hot loops stay in machine code
--
-- Each function runs n iterations of a loop for which there is machine code.  In
-- some of them an instruction needs a value that another one of the same piece
-- has just made, so what its slot held when the piece was compiled says nothing.

local machine = require "penumbra.machine"
collectgarbage("stop") -- a step of the collector is an exit

local loops = {
  ["a new field"] = function(n)
    local s = 0
    for i = 1, n do
      local e = {x = i, y = s}
      for j = 1, 5 do s = s + e.x * j end
    end
    return s
  end,
  ["a field of another type than before"] = function(n)
    local e, s = {x = nil}, 0
    for i = 1, n do
      e.x = i
      s = s + e.x * 2
      e.x = nil
    end
    return s
  end,
  ["a new element"] = function(n)
    local s = 0
    for i = 1, n do
      local t = {i, 0.5}
      t[3] = i
      s = s + t[3] * t[2]
    end
    return s
  end,
  ["an upvalue"] = function(n)
    local v, s = nil, 0
    local function set(x) v = x end
    for i = 1, n do
      set(i)
      s = s + v * 2
      v = nil
    end
    return s
  end,
  ["an open call after another"] = function(n)
    local function pair(x) return x, 1 end
    local function add(x, y) return x + y end
    local s = 0
    for i = 1, n do
      local x = i + s % 7
      s = add(pair(x))
    end
    return s
  end,
}

local failed = {}
for name, loop in pairs(loops) do
  loop(5000)
  local before = machine.status().exits
  local n = 20000
  loop(n)
  local exits = machine.status().exits - before
  if exits > n / 20 then failed[#failed + 1] = ("%s: %d exits in %d iterations"):format(name, exits, n) end
end
assert(#failed == 0, table.concat(failed, "\n"))
