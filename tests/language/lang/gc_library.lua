-- SPDX-License-Identifier: MIT
-- The library penumbra.gc: arguments, results and cases that its manual omits

local gc = require "penumbra.gc"
print(package.loaded["penumbra.gc"] == gc, package.loaded.gc, _G.gc)   --> true nil nil
local names = {}
for name in pairs(gc) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, " "))
--> census diff events external finalize finalizers frame leaks limit listen mark metrics mode pauses poll report snapshot stats step target trace why

local function fails(f, ...) print((select(2, pcall(f, ...)))) end
fails(gc.step, -1)             --> bad argument #1 to 'penumbra.gc.step' (time out of range)
fails(gc.step, 0 / 0)          --> bad argument #1 to 'penumbra.gc.step' (time out of range)
fails(gc.step, "x")            --> bad argument #1 to 'penumbra.gc.step' (number expected, got string)
fails(gc.finalize, -1)         --> bad argument #1 to 'penumbra.gc.finalize' (not negative expected)
fails(gc.finalizers, -1)       --> bad argument #1 to 'penumbra.gc.finalizers' (not negative expected)
fails(gc.limit, -1)            --> bad argument #1 to 'penumbra.gc.limit' (not negative expected)
fails(gc.limit, 1.5)           --> bad argument #1 to 'penumbra.gc.limit' (number has no integer representation)
fails(gc.mode, "manual")       --> bad argument #1 to 'penumbra.gc.mode' (invalid option 'manual')
fails(gc.pauses, 1)            --> bad argument #1 to 'penumbra.gc.pauses' (boolean expected, got number)
fails(gc.events, 0)            --> bad argument #1 to 'penumbra.gc.events' (size out of range)
fails(gc.events, 1 << 40)      --> bad argument #1 to 'penumbra.gc.events' (size out of range)
fails(gc.poll)                 --> events are not noted
fails(gc.listen, 1)            --> bad argument #1 to 'penumbra.gc.listen' (function expected, got number)

-- Settings return the value before.
print(gc.limit(), gc.limit(1 << 30), gc.limit(0), gc.limit())     --> 0 0 1073741824 0
-- A size beyond the address space does not become a small number.
print(gc.limit((1 << 40) + 1), gc.limit() > 1 << 30, gc.limit(0) > 1 << 30)  --> 0 true true
print(gc.finalizers(), gc.finalizers(3), gc.finalizers(64))       --> 64 64 3

-- External bytes and the limit; never below zero.
local base = gc.external()
print(base, gc.external(500), gc.external(-9999))                 --> 0 500 0
gc.limit(gc.stats().footprint + 1000000)
print(pcall(gc.external, 100000000))                              --> false not enough memory
print(gc.external())                                              --> 0
gc.limit(0)

-- A ring that is too small loses the oldest events and says how many.
gc.events(3)
collectgarbage()
local events, lost = gc.poll()
print(#events, lost > 3, events[3].type)                          --> 3 true collect
print(#(gc.poll()), (select(2, gc.poll())))                       --> 0 0
gc.events(false)
print(pcall(gc.poll))                                             --> false events are not noted

-- A listener is called after a cycle, never within one, and may do anything.
local calls, kinds = 0, {}
gc.listen(function(list, missed)
  calls = calls + 1
  for _, event in ipairs(list) do kinds[event.type] = true end
  for i = 1, 100 do local t = {i} end
  assert(math.type(missed) == "integer")
  collectgarbage()
end)
while calls < 5 do local t = {} end
print(kinds["cycle begin"], kinds["cycle end"], kinds.step)       --> true true true

-- Another listener replaces it; nil removes it.
local others = 0
gc.listen(function() others = others + 1 end)
local before = calls
while others < 3 do local t = {} end
print(calls == before)                                            --> true
gc.listen(nil)
others = 0
collectgarbage() collectgarbage()
print(others)                                                     --> 0
gc.events(false)

-- An error in a listener is a warning, and the next cycle calls it again.
local errors = 0
gc.listen(function() errors = errors + 1; error("in a listener") end)
while errors < 2 do local t = {} end
gc.listen()
print(errors >= 2)                                                --> true

-- In a finalizer the collector does not work.
local inside
setmetatable({}, {__gc = function() inside = {gc.step(10), gc.finalize()} end})
collectgarbage()
print(inside[1], inside[2])                                       --> false 0

-- Finalizers within a step of time; a cycle is over when they have run.
local called = 0
collectgarbage("stop")
for i = 1, 100 do setmetatable({}, {__gc = function() called = called + 1 end}) end
collectgarbage("step")                  -- begins a cycle
repeat until gc.step(100000)
print(called, gc.stats().finalizers_due)                          --> 100 0

-- The report of a step.  Between cycles a step does nothing.
local told = {}
print(gc.step(100000, told), told.work, told.left, told.ended, told.keeps_up)
--> true 0 0 false true
while gc.stats().bytes < gc.stats().goal do end    -- makes garbage
while not told.ended do gc.step(100, told) end
print(told.time > 0, told.work > 0, told.room > 0, told.finalizers)   --> true true true 0
fails(gc.step, 1, 2)      --> bad argument #2 to 'penumbra.gc.step' (table expected, got number)
collectgarbage("restart")

-- A bound for frames, and a target: they return the value before.
print(gc.frame(500), gc.frame(), gc.frame(0), gc.frame())         --> 0 500 500 0
fails(gc.frame, -1)       --> bad argument #1 to 'penumbra.gc.frame' (time out of range)
print(gc.target(500), gc.target(), gc.target(0), gc.target())     --> 0 500 500 0
fails(gc.target, -1)      --> bad argument #1 to 'penumbra.gc.target' (not negative expected)
fails(gc.target, 1, 2)    --> bad argument #2 to 'penumbra.gc.target' (function expected, got number)
local live
gc.target(1000, function(n) live = n; error("in a target") end)
collectgarbage()                        -- the error is a warning
print(live > 1000, gc.stats().target, gc.stats().goal > live)     --> true 1000 true
gc.target(0)

-- States end with listeners in place.
gc.events(10)
gc.listen(print)
gc.pauses(true)
gc.listen(nil)
