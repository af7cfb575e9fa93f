-- SPDX-License-Identifier: MIT
-- The coroutine library (manual, 2.6 and 6.2)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- passing values both ways
local co = coroutine.create(function(a, b)
  print("start", a, b)
  local c = coroutine.yield(a + b)
  print("again", c)
  local d, e = coroutine.yield()
  print("last", d, e)
  return "done", 1
end)
print(coroutine.status(co))                       --> suspended
print(coroutine.resume(co, 1, 2))
--> start 1 2
--> true 3
print(coroutine.resume(co, "x"))
--> again x
--> true
print(coroutine.resume(co, 3, 4))
--> last 3 4
--> true done 1
print(coroutine.status(co), coroutine.resume(co))
--> dead false cannot resume dead coroutine

-- errors
local bad = coroutine.create(function() error("oops", 0) end)
print(coroutine.resume(bad))                      --> false oops
print(coroutine.status(bad))                      --> dead
print(coroutine.resume(coroutine.create(function() error({}) end)))
-->~ ^false table: 
print(fails(coroutine.create, 1))
--> bad argument #1 to 'coroutine.create' (function expected, got number)
print(fails(coroutine.resume, 1))
--> bad argument #1 to 'coroutine.resume' (thread expected, got number)
print(fails(coroutine.status))
--> bad argument #1 to 'coroutine.status' (thread expected, got no value)
print(fails(coroutine.yield))
--> attempt to yield from outside a coroutine

-- status and running
local main, is_main = coroutine.running()
print(type(main), is_main, coroutine.status(main))--> thread true running
print(coroutine.isyieldable(), coroutine.isyieldable(main))  --> false false
local outer
outer = coroutine.create(function()
  print(coroutine.isyieldable(), select(2, coroutine.running()))  --> true false
  local inner = coroutine.create(function() return coroutine.status(outer) end)
  print(coroutine.resume(inner))                  --> true normal
  print(coroutine.resume(outer))
  --> false cannot resume non-suspended coroutine
end)
coroutine.resume(outer)

-- wrap
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
print(gen(), gen(), gen(), gen())                 --> 1 2 3
print(fails(gen))
--> cannot resume dead coroutine
print(fails(coroutine.wrap(function() error("inside", 0) end)))  -->~ inside$
for k, v in coroutine.wrap(function() coroutine.yield("k", "v") end) do print(k, v) end
--> k v

-- yields through pcall, metamethods and iterators
local function yielding(f)
  local c, out = coroutine.wrap(f), {}
  for v in c do out[#out + 1] = tostring(v) end
  return table.concat(out, " ")
end
print(yielding(function()
  print(pcall(function() coroutine.yield(1); error("after", 0) end))
  coroutine.yield(2)
end))
--> false after
--> 1 2
local lazy = setmetatable({}, {
  __index = function(_, k) return coroutine.yield(k) end,
  __add = function(a, b) coroutine.yield("add"); return 1 end,
  __eq = function() coroutine.yield("eq"); return true end,
  __lt = function() coroutine.yield("lt"); return true end,
  __concat = function() coroutine.yield("concat"); return "c" end,
  __call = function() coroutine.yield("call") end,
  __len = function() coroutine.yield("len"); return 0 end,
  __close = function() coroutine.yield("close") end})
print(yielding(function()
  local x = lazy.field
  x = lazy + 1
  x = lazy == setmetatable({}, getmetatable(lazy))
  x = lazy < 1
  x = lazy .. "s"
  lazy()
  x = #lazy
  local c <close> = lazy
end))                             --> field add eq lt concat call len close
print(yielding(function()
  for i in (function() return coroutine.yield("iter") end) do end
end))                                             --> iter
print(pcall(yielding, function() table.sort({3, 2, 1}, coroutine.yield) end))
-->~ ^false .*attempt to yield across a C%-call boundary$

-- close
local function closing()
  local a <close> = setmetatable({}, {__close = function(_, e) print("close a", e) end})
  local b <close> = setmetatable({}, {__close = function(_, e) print("close b", e) end})
  coroutine.yield()
end
local c = coroutine.create(closing)
coroutine.resume(c)
print(coroutine.close(c), coroutine.status(c))
--> close b nil
--> close a nil
--> true dead
print(coroutine.close(c), coroutine.close(coroutine.create(print)))
--> true true
c = coroutine.create(function()
  local x <close> = setmetatable({}, {__close = function() error("in close", 0) end})
  coroutine.yield()
end)
coroutine.resume(c)
print(coroutine.close(c))                         --> false in close
c = coroutine.create(function() error("failed", 0) end)
coroutine.resume(c)
print(coroutine.close(c))                         --> false failed
print(coroutine.close(c))                         --> true
print(fails(coroutine.close, coroutine.running()))
--> cannot close a running coroutine
c = coroutine.create(function(main) return pcall(coroutine.close, main) end)
print(coroutine.resume(c, coroutine.running()))
--> true false cannot close a normal coroutine

-- a wrapped coroutine that fails closes its variables
print(fails(coroutine.wrap(function()
  local x <close> = setmetatable({}, {__close = function(_, e) print("closed by", e) end})
  error("failure", 0)
end)))
--> closed by failure
-->~ failure$

-- many coroutines, and deep recursion inside one
local live = {}
for i = 1, 1000 do
  live[i] = coroutine.wrap(function() local n = i; while true do n = n + coroutine.yield(n) end end)
  live[i]()
end
local sum = 0
for i = 1, 1000 do sum = sum + live[i](1) end
print(sum)                                        --> 501500
local function depth(n) if n == 0 then return coroutine.yield("bottom") end return 1 + depth(n - 1) end
local deep = coroutine.wrap(depth)
print(deep(10000), deep(0))                       --> bottom 10000
print(select("#", coroutine.resume(coroutine.create(function() return table.unpack({}, 1, 200) end))))
--> 201

-- coroutines that start and are dropped while the collector marks: variables
-- shared with closures survive, and so do the values of a kept coroutine
local wrong, kept = 0, {}
for i = 1, 300 do
  local get
  local co = coroutine.create(function(n)
    local shared, own = {n}, {}
    get = function() return shared end
    for k = 1, 3 do
      own = {own, k}
      n = coroutine.yield(own)
      shared = {n}
    end
  end)
  for k = 1, 3 do
    coroutine.resume(co, i + k)
    kept[i % 7] = co
    if get()[1] ~= i + k then wrong = wrong + 1 end
  end
  co = coroutine.wrap(function(n)
    local own = {n}
    for k = 1, 3 do own = {own, coroutine.yield(own)} end
  end)
  for k = 1, 3 do
    local own = co(k)
    for _ = 2, k do own = own[1] end
    if own[1] ~= 1 then wrong = wrong + 1 end
  end
  kept[i % 7], co = nil, nil
  kept[i % 5] = {get(), get}
  if kept[i % 5][1][1] ~= i + 3 then wrong = wrong + 1 end
end
print(wrong)                                      --> 0
