-- SPDX-License-Identifier: MIT
-- Coroutines.

local op = ...

op("create", "local f = function() end", "coroutine.create(f)")
op("create and run", "local f = function() end", "coroutine.resume(coroutine.create(f))")
op("wrap and run", "local f = function() end", "coroutine.wrap(f)()")
op("resume and yield", "local co = coroutine.create(function() while true do coroutine.yield() end end)",
   "coroutine.resume(co)")
op("resume and yield with values", "local co = coroutine.create(function(a) while true do a = coroutine.yield(a, 1) end end)",
   "coroutine.resume(co, i)")
op("wrap and yield", "local f = coroutine.wrap(function() while true do coroutine.yield(1) end end)", "f()")
op("wrap and yield, ten values", "local y = coroutine.yield local f = coroutine.wrap(function() while true do y(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) end end)",
   "local a, b, c = f()")
op("a generator of 100", "local function gen(n) return coroutine.wrap(function() for j = 1, n do coroutine.yield(j) end end) end local s = 0",
   "for v in gen(100) do s = s + v end")
op("a recursive generator", [[local function walk(t) if t then walk(t.l) coroutine.yield(t.v) walk(t.r) end end
   local function tree(d) if d > 0 then return { l = tree(d - 1), v = d, r = tree(d - 1) } end end
   local t, s = tree(5), 0]], "for v in coroutine.wrap(function() walk(t) end) do s = s + v end")
op("a pipeline of three", [[local function stage(src) return coroutine.wrap(function() while true do coroutine.yield(src() + 1) end end) end
   local f = stage(stage(stage(function() return 0 end)))]], "f()")
for _, n in ipairs { 20, 60, 150 } do
  local names = {}
  for j = 1, n do names[j] = "v" .. j end
  local list = table.concat(names, ", ")
  op("create and run, " .. n .. " locals", ("local f = function() local %s = 1 end"):format(list),
     "coroutine.wrap(f)()")
  op("create, run and yield, " .. n .. " locals",
     ("local f = function() local %s = 1 coroutine.yield() return v1 end"):format(list),
     "local g = coroutine.wrap(f); g(); g()")
  op("resume, " .. n .. " locals",
     ("local co = coroutine.wrap(function() local %s = 1 while true do coroutine.yield(v1) end end)"):format(list), "co()")
end
op("create and run, 20 calls deep", "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end", "coroutine.wrap(f)(20)")
op("create and run, 200 calls deep", "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end", "coroutine.wrap(f)(200)")
op("yield 20 calls deep", "local function f(n) if n > 0 then f(n - 1) else while true do coroutine.yield() end end end local co = coroutine.wrap(f) co(20)", "co()")
op("yield across pcall", "local co = coroutine.wrap(function() pcall(function() while true do coroutine.yield() end end) end)", "co()")
op("yield in a metamethod", "local o = setmetatable({}, { __index = function(t, k) return coroutine.yield(k) end }) local co = coroutine.wrap(function() local x while true do x = o.v end end)", "co()")
op("yield in an iterator", "local co = coroutine.wrap(function() for v in coroutine.yield do end end) co()", "co(1)")
op("yield in table.sort's place", "local co = coroutine.wrap(function() while true do local t = { 3, 1, 2 } table.sort(t) coroutine.yield() end end)", "co()")
op("an error in a coroutine", "local f = function() error('x') end", "coroutine.resume(coroutine.create(f))")
op("an error value in a coroutine", "local e = {} local f = function() error(e) end", "coroutine.resume(coroutine.create(f))")
op("status", "local co, x = coroutine.create(print)", "x = coroutine.status(co)")
op("running", "local x", "x = coroutine.running()")
op("isyieldable", "local x", "x = coroutine.isyieldable()")
op("close, not started", "", "coroutine.close(coroutine.create(print))")
op("close, suspended", "local y = coroutine.yield", "local co = coroutine.create(y); coroutine.resume(co); coroutine.close(co)")
op("close with a variable to close", "local o = setmetatable({}, { __close = function() end }) local f = function() local c <close> = o coroutine.yield() end",
   "local co = coroutine.create(f); coroutine.resume(co); coroutine.close(co)")
op("resume a dead one", "local co = coroutine.create(function() end) coroutine.resume(co)", "coroutine.resume(co)")
op("a scheduler of 100", [[local q = {} for j = 1, 100 do q[j] = coroutine.create(function() while true do coroutine.yield() end end) end]],
   "for j = 1, 100 do coroutine.resume(q[j]) end")
op("producer and consumer", [[local box
   local p = coroutine.create(function() local n = 0 while true do n = n + 1 box = n coroutine.yield() end end)
   local c = coroutine.create(function() local s = 0 while true do s = s + box coroutine.yield() end end)]],
   "coroutine.resume(p); coroutine.resume(c)")
op("100 coroutines made and left", "local f = function() coroutine.yield() end", "for j = 1, 100 do coroutine.wrap(f)() end")
op("symmetric, ping and pong", [[local a, b
   a = coroutine.wrap(function() while true do coroutine.yield(b) end end)
   b = coroutine.wrap(function() while true do coroutine.yield(a) end end)
   local f = a]], "f = f()")
