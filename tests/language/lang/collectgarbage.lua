-- SPDX-License-Identifier: MIT
-- collectgarbage (manual, 6.1), and the visible effects of the collector (2.5)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- options and their results
print(collectgarbage())                           --> 0
print(collectgarbage("collect"))                  --> 0
print(math.type(collectgarbage("count")))         --> float
print(collectgarbage("count") > 1)                --> true
print(collectgarbage("isrunning"))                --> true
print(collectgarbage("stop"), collectgarbage("isrunning"))      --> 0 false
print(collectgarbage("restart"), collectgarbage("isrunning"))   --> 0 true
print(fails(collectgarbage, "bad"))
--> bad argument #1 to 'collectgarbage' (invalid option 'bad')
print(fails(collectgarbage, "step", "x"))
--> bad argument #2 to 'collectgarbage' (number expected, got string)
print(fails(collectgarbage, 1))
--> bad argument #1 to 'collectgarbage' (invalid option '1')

-- modes
collectgarbage("incremental")
print(collectgarbage("generational"))             --> incremental
print(collectgarbage("generational", 20, 100))    --> generational
print(collectgarbage("incremental", 200, 100, 13))--> generational
print(collectgarbage("incremental"))              --> incremental
local pause = collectgarbage("setpause", 160)
print(collectgarbage("setpause", pause))          --> 160
local stepmul = collectgarbage("setstepmul", 200)
print(collectgarbage("setstepmul", stepmul))      --> 200
print(pause, stepmul)                             --> 200 100

-- steps end a cycle sooner or later
collectgarbage("stop")
local function steps(size)
  for i = 1, 1e6 do
    if collectgarbage("step", size) then return true end
  end
end
print(steps(0), steps(10), steps(1e5))            --> true true true
collectgarbage("restart")

-- memory comes back
local function bytes() collectgarbage(); return collectgarbage("count") * 1024 end
local before = bytes()
local big = {}
for i = 1, 10000 do big[i] = {i} end
print(bytes() - before > 100000)                  --> true
big = nil
print(bytes() - before < 20000)                   --> true

-- weak tables
local weak = setmetatable({}, {__mode = "v"})
weak[1], weak[2], weak.s = {}, "string", {}
local keep = {}
weak[3] = keep
collectgarbage()
print(weak[1], weak[2], weak.s, weak[3] == keep)  --> nil string nil true
local ephemeron = setmetatable({}, {__mode = "k"})
do
  local k1, k2 = {}, {}
  ephemeron[k1], ephemeron[k2], ephemeron[keep] = k2, k1, "kept"
end
collectgarbage()
local n = 0
for _ in pairs(ephemeron) do n = n + 1 end
print(n, ephemeron[keep])                         --> 1 kept

-- finalizers run in reverse order of marking, and may bring objects back
local order, back = {}, nil
for i = 1, 3 do
  setmetatable({}, {__gc = function(o) order[#order + 1] = i; back = o end})
end
collectgarbage()
print(table.concat(order, " "), type(back))       --> 3 2 1 table
local meta = {__gc = true}
local unmarked = setmetatable({}, {})
getmetatable(unmarked).__gc = function() print("never") end
unmarked = nil
setmetatable({}, meta)
collectgarbage()

-- the collector accepts no requests inside a finalizer
local answers
setmetatable({}, {__gc = function()
  answers = table.pack(collectgarbage("count"), collectgarbage("step"),
                       collectgarbage(), collectgarbage("incremental"))
end})
collectgarbage()
print(table.unpack(answers, 1, answers.n))        --> nil nil nil nil

-- errors in finalizers become warnings, which are off
setmetatable({}, {__gc = function() error("lost") end})
print(collectgarbage())                           --> 0

-- a finalizer that is set again is called again
local calls = 0
local mt = {}
mt.__gc = function(o) calls = calls + 1; if calls < 3 then setmetatable(o, mt) end end
setmetatable({}, mt)
for i = 1, 5 do collectgarbage() end
print(calls)                                      --> 3

-- the result of a concatenation survives the step that it causes
local kept, lost = {}, 0
local function keep(from, to)
  for i = from, to do kept["key " .. i] = i end
end
for from = 1, 20001, 1000 do
  if not pcall(keep, from, from + 999) then lost = lost + 1 end
end
print(lost, kept["key 1"], kept["key 21000"])     --> 0 1 21000

-- A step with a size does the work that was asked for, and hardly more: the
-- smaller the steps are, the more of them a cycle takes.
local function steps_of_a_cycle(kilobytes)
  collectgarbage()
  local made = {}
  for i = 1, 200 do made[i] = {{i}} end
  local steps = 0
  repeat steps = steps + 1 until collectgarbage("step", kilobytes)
  return steps
end

local mode = collectgarbage("incremental")
collectgarbage("stop")
local small, middle, all =
  steps_of_a_cycle(1), steps_of_a_cycle(8), steps_of_a_cycle(20000)
print(small > middle, middle >= all, all)    --> true true 1
collectgarbage("restart")
collectgarbage(mode)

-- objects alive at the end are finalized then
atexit = setmetatable({}, {__gc = function() print("finalized at exit") end})
print("end")                                      --> end
--> finalized at exit
