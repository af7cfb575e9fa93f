-- SPDX-License-Identifier: MIT
-- Memory that a program drops is reused or returned: the process holds at most
-- 5/4 of the most memory that was in use, plus 4 MB.  (Memory in use is the sum
-- of objects and buffers.  It is only sampled, so the memory of one round is
-- added.)

local gc = require "penumbra.gc"

local function follows(name, rounds, round, work)
  collectgarbage()
  local used, held = 0, 0
  local function look()
    local stats = gc.stats()
    used = math.max(used, stats.bytes + stats.external)
    held = math.max(held, stats.footprint)
  end
  for i = 1, rounds do
    work(i, look)
    look()
  end
  local bound = (used + round) * 5 // 4 + (4 << 20)
  if held > bound then print(name, held, "held", used, "used") end
  return held <= bound
end

-- arrays that grow, element by element
print(follows("arrays", 40, 2 << 20, function()
  local t = {}
  for j = 1, 100000 do t[j] = j end
end))                                                           --> true

-- arrays that are made by one call
local source = {}
for j = 1, 100000 do source[j] = j end
print(follows("copies", 40, 2 << 20, function()
  table.move(source, 1, #source, 1, {})
end))                                                           --> true

-- hash parts
print(follows("hashes", 10, 0, function(_, look)
  local t = {}
  for j = 1, 200000 do
    t[j * 2.5] = j
    if j % 5000 == 0 then look() end
  end
end))                                                           --> true

-- strings of many sizes, and the buffers that they are made in
print(follows("strings", 60, 6 << 20, function(i)
  local s = ("x"):rep(100000 + i % 13 * 150000)
  local t = {}
  for j = 1, 2000 do t[j] = s:sub(j, j + 100) end
  table.concat(t)
end))                                                           --> true

-- a program that was large once
do
  local all = {}
  for i = 1, 200000 do all[i] = {i} end
  local large = gc.stats().footprint
  all = nil
  local ring = {}
  local i = 0
  -- The current cycle may have reached all of it.  The next one drops it, and
  -- after two more the heap forgets its peak.
  while i < 3000000 do
    i = i + 1
    ring[i % 100] = {i}
    if i % 10000 == 0 and gc.stats().footprint < large / 4 then break end
  end
  print(gc.stats().footprint < large / 4)                       --> true
end
