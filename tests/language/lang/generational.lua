-- SPDX-License-Identifier: MIT
-- A step in generational mode frees all objects that were garbage before it,
-- although minor cycles may begin and end anywhere between these statements

collectgarbage("generational")

-- With so little alive, a step without a size is a whole collection.
local hold = {}
local function stir(n) for i = 1, n do hold[i % 20] = {n, i} end end

local function survivors(rounds, work)
  local count = 0
  for i = 1, rounds do
    stir(work * i % 97)
    local weak = setmetatable({{}}, {__mode = "v"})
    stir(work * i % 31)
    collectgarbage("step")
    if weak[1] then count = count + 1 end
  end
  return count
end
for work = 1, 4 do print(survivors(50, work)) end
--> 0
--> 0
--> 0
--> 0

-- finalizers have been called by then, too
local called = 0
local mt = {__gc = function() called = called + 1 end}
for i = 1, 50 do
  stir(i)
  setmetatable({}, mt)
  stir(i)
  collectgarbage("step", 0)
end
print(called)                                  --> 50

-- an object reached by a cycle that ends before the step is dropped after
local late = 0
for i = 1, 60 do
  local weak = setmetatable({}, {__mode = "k"})
  local key = {}
  weak[key] = i
  stir(i % 50)
  key = nil
  collectgarbage("step")
  if next(weak) then late = late + 1 end
end
print(late)                                    --> 0

-- a step says whether it ended a cycle
print(collectgarbage("step"))                  --> true

-- With much alive it is a piece of work, and a loop of them ends.  The size says
-- how much may be done.
do
  local big = {}
  for i = 1, 8000 do big[i] = {i} end
  collectgarbage()
  local steps = 0
  repeat steps = steps + 1 until collectgarbage("step")
  print(steps > 1, steps < 1000)               --> true true
  local weak = setmetatable({{}}, {__mode = "v"})
  print(collectgarbage("step", 2^20))          --> true
  print(weak[1])                               --> nil
  print(#big)                                  --> 8000
end
