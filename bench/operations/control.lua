-- SPDX-License-Identifier: MIT
-- Loops, assignments, closures and scopes.

local op = ...

op("an empty body", "", "")
op("a loop of 100", "local n = 0", "for j = 1, 100 do n = n + j end")
op("a loop of 3", "local n = 0", "for j = 1, 3 do n = n + j end")
op("a loop that does not run", "local n = 0", "for j = 1, 0 do n = n + j end")
op("a loop downwards", "local n = 0", "for j = 100, 1, -1 do n = n + j end")
op("a loop with a step", "local n = 0", "for j = 1, 1000, 10 do n = n + j end")
op("a loop over floats", "local n = 0", "for j = 0.0, 10.0, 0.1 do n = n + j end")
op("a loop to a float", "local n, h = 0, 100.5", "for j = 1, h do n = n + j end")
op("while", "local n = 0", "local j = 0; while j < 100 do j = j + 1 end")
op("repeat", "local n = 0", "local j = 0; repeat j = j + 1 until j >= 100")
op("goto", "local n = 0", "local j = 0; ::a:: j = j + 1; if j < 100 then goto a end")
op("break", "local n = 0", "for j = 1, 100 do if j == 50 then break end end")
op("nested loops", "local n = 0",
   "for j = 1, 10 do for k = 1, 10 do n = n + k end end")
op("ipairs, 100", "local t, n = {}, 0; for j = 1, 100 do t[j] = j end",
   "for _, v in ipairs(t) do n = n + v end")
op("ipairs, 3", "local t, n = { 1, 2, 3 }, 0",
   "for _, v in ipairs(t) do n = n + v end")
op("ipairs, empty", "local t, n = {}, 0", "for _, v in ipairs(t) do n = n + v end")
op("pairs, an array of 100", "local t, n = {}, 0; for j = 1, 100 do t[j] = j end",
   "for _, v in pairs(t) do n = n + v end")
op("pairs, 100 names", "local t, n = {}, 0; for j = 1, 100 do t['k' .. j] = j end",
   "for _, v in pairs(t) do n = n + v end")
op("pairs, 3 names", "local t, n = { a = 1, b = 2, c = 3 }, 0",
   "for _, v in pairs(t) do n = n + v end")
op("pairs, empty", "local t, n = {}, 0", "for _, v in pairs(t) do n = n + v end")
op("next by name", "local t, n = { a = 1, b = 2, c = 3 }, 0",
   "local k, v = next(t); while k do n = n + v; k, v = next(t, k) end")
op("for over next", "local t, n = { a = 1, b = 2, c = 3 }, 0",
   "for k, v in next, t do n = n + v end")
op("for over a closure", "local function range(m) local j = 0 return function() " ..
   "j = j + 1 if j <= m then return j end end end local n = 0",
   "for v in range(20) do n = n + v end")
op("for over a stateless function", "local function step(m, j) if j < m then " ..
   "return j + 1 end end local n = 0", "for v in step, 20, 0 do n = n + v end")
op("swap", "local a, b = 1, 2", "a, b = b, a")
op("assign three", "local a, b, c", "a, b, c = i, i, i")
op("ten locals", "", "local a, b, c, d, e, f, g, h, j, k = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10")
op("read a global", "glob = 5 local x", "x = glob")
op("write a global", "glob = 5", "glob = i")
op("read an upvalue", "local u = 5 local x local function f(m) for j = 1, m do x = u end end",
   "f(10)")
op("a closure", "local x", "x = function() return i end")
op("a closure without upvalues", "local x", "x = function() return 1 end")
op("a closure of five upvalues", "local a, b, c, d, e, x = 1, 2, 3, 4, 5",
   "x = function() return a + b + c + d + e end")
op("a closure in a loop", "local x", "for j = 1, 10 do x = function() return j end end")
op("closures that share a variable", "local f, g",
   "local n = 0; f = function() n = n + 1 end; g = function() return n end; f(); g()")
op("a scope with a captured variable", "local f",
   "do local v = i; f = function() return v end end")
op("a counter", "local function make() local n = 0 return function() n = n + 1 " ..
   "return n end end local f = make()", "f()")
op("a constant", "local c <const> = 5 local x", "x = c + i")
op("an attribute close that is nil", "", "local c <close> = nil")
