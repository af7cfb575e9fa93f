-- SPDX-License-Identifier: MIT
--
-- Finalizers are called in proportion to what the program allocates, also when
-- many wait and the next cycle is overdue.  A step calls up to 64, and there is
-- a step for each kilobyte.

local called = 0
local class = { __gc = function() called = called + 1 end }

-- The most calls while about 9 KB are allocated.  Some of the objects die and
-- are replaced.
local function most_calls(objects)
  local live, most = {}, 0
  for i = 1, objects do live[i] = setmetatable({ i }, class) end
  for round = 1, 20000 do
    local before = called
    for i = 1, 5 do
      live[(round * 5 + i) * 7919 % objects + 1] = setmetatable({ i }, class)
    end
    for _ = 1, 100 do local t = { round } end
    most = math.max(most, called - before)
  end
  return most
end

for _, mode in ipairs{"incremental", "generational"} do
  collectgarbage(mode)
  for _, objects in ipairs{20000, 100000} do
    local most = most_calls(objects)
    print(most <= 64 * 12 or most)
  end
end
--> true
--> true
--> true
--> true
