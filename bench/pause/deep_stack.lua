-- SPDX-License-Identifier: MIT
--
-- A stack 60,000 calls deep, each with a few local objects.  The program works
-- at its end: it goes some calls up and down again, and makes garbage.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local depth = meter.scaled(60000)

local function work(levels)
  local here = { levels }
  if levels == 0 then return meter.litter(100) end
  local result = work(levels - 1)
  return result + #here
end

local function descend(levels)
  local here, also = { levels }, { levels }
  if levels == 0 then
    meter.run(function() work(30) end)
  else
    descend(levels - 1)
  end
  return here, also
end

local function try(levels)
  local here, also = { levels }, { levels }
  if levels > 0 then try(levels - 1) end
  return here, also
end
if not pcall(try, depth) then
  meter.skip("stack overflow at " .. depth .. " calls")
end

descend(depth)
