-- SPDX-License-Identifier: MIT
--
-- Count hooks that come seldom: the loop counts whole runs of instructions
-- instead of single ones.  The number of events is about that of a hook that
-- sees every instruction, no program escapes the hook, and what the hook
-- changes holds at once.

local OFTEN, SELDOM = 1, 1000

-- Events of a hook with that count while the function runs.
local function events(count, f)
  local n = 0
  debug.sethook(function() n = n + 1 end, "", count)
  f()
  debug.sethook()
  return n
end

local counter = setmetatable({v = 0}, {__index = {add = function(o, x)
  o.v = o.v + x
  return o
end}})
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local function tail(n) if n > 0 then return tail(n - 1) end end
local function each(t) local n = 0 return function()
  n = n + 1
  return t[n] and n, t[n]
end end
local list = {}
for i = 1, 100 do list[i] = i end

-- Jumps that skip much, calls, returns of every kind, loops of every kind.
local programs = {
  loop = function() for i = 1, 30000 do end end,
  step = function() for i = 1, 60000, 2 do end end,
  floats = function() for i = 1.0, 30000.0 do end end,
  rare = function()
    local s = 0
    for i = 1, 10000 do
      if i % 1000 == 0 then
        s = s + 1 s = s + 1 s = s + 1 s = s + 1 s = s + 1 s = s + 1 s = s + 1
        s = s + 1 s = s + 1 s = s + 1 s = s + 1 s = s + 1 s = s + 1 s = s + 1
      elseif i % 1001 == 0 then
        s = s * 2 s = s * 2 s = s * 2 s = s * 2 s = s * 2 s = s * 2 s = s * 2
      end
    end
  end,
  calls = function() fib(18) end,
  tails = function() for i = 1, 100 do tail(100) end end,
  methods = function() for i = 1, 10000 do counter:add(i) end end,
  tables = function() for i = 1, 10000 do local t = {x = i, y = 2} t.x = t.y end end,
  pairs = function() for i = 1, 200 do for _ in pairs(list) do end end end,
  ipairs = function() for i = 1, 200 do for _ in ipairs(list) do end end end,
  each = function() for i = 1, 200 do for _ in each(list) do end end end,
  library = function() for i = 1, 10000 do math.floor(("x"):byte() / 2) end end,
  pcalls = function() for i = 1, 3000 do pcall(fib, 1) pcall(error) end end,
  varargs = function()
    local function last(...) return select(-1, ...) end
    for i = 1, 5000 do last(i, i, i) end
  end,
  whiles = function() local i = 0 while i < 20000 do i = i + 1 end end,
  gotos = function() local i = 0 ::a:: i = i + 1 if i < 20000 then goto a end end,
  sorts = function()
    local t = {}
    for i = 1, 1000 do t[i] = i * 7919 % 1009 end
    table.sort(t, function(a, b) return a > b end)
  end,
}

local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local all = events(OFTEN, programs[name])
  local seldom = events(SELDOM, programs[name]) * SELDOM
  if all < 20 * SELDOM then print(name, "is too short", all) end
  if seldom < 0.95 * all - SELDOM or seldom > 1.1 * all + SELDOM then
    print(name, all, seldom)
  end
end
print "counted" --> counted

-- Programs that never end.
local function stop() error("stopped", 0) end
local function stopped(f)
  debug.sethook(stop, "", SELDOM)
  local ok, message = pcall(f)
  debug.sethook()
  return message
end

local function deep() return deep() end
local endless = {
  function() while true do end end,
  function() repeat until false end,
  function() ::a:: goto a end,
  function() for i = 1, math.huge do end end,
  function() for i = 1, math.maxinteger do end end,
  function() for _ in next, list do for _ in function() return 1 end do end end end,
  function() return deep() end,
  function() local t = setmetatable({}, {__index = function() return 1 end})
    while true do local _ = t.x end end,
  function() while true do local _ = ("x"):rep(10) end end,
  function() while true do counter:add(1) end end,
}
for n, f in ipairs(endless) do
  if stopped(f) ~= "stopped" then print("goes on", n) end
end
print "stopped" --> stopped

-- In a coroutine.  A hook belongs to one thread.
local co = coroutine.create(function() while true do end end)
debug.sethook(co, stop, "", SELDOM)
print(coroutine.resume(co)) --> false	stopped
local n = 0
co = coroutine.wrap(function() while true do coroutine.yield(1) end end)
debug.sethook(function() n = n + 1 end, "", SELDOM)
for i = 1, 10000 do co() end
debug.sethook()
print(n >= 10 and n <= 200) --> true
n = 0
co = coroutine.create(function() for i = 1, 100 do
  for j = 1, 1000 do end
  coroutine.yield()
end end)
debug.sethook(co, function() n = n + 1 end, "", SELDOM)
while coroutine.resume(co) do end
print(n >= 95 and n <= 110) --> true

-- The hook changes itself.
n = 0
debug.sethook(function()
  n = n + 1
  if n == 3 then debug.sethook() end
end, "", SELDOM)
for i = 1, 20000 do end
print(n, debug.gethook()) --> 3	nil
n = 0
debug.sethook(function()
  debug.sethook(function() n = n + 1 end, "", OFTEN)
end, "", SELDOM)
for i = 1, 2000 do end
debug.sethook()
print(n > 900 and n < 1100) --> true
local lines = 0
debug.sethook(function()
  debug.sethook(function() lines = lines + 1 end, "l")
end, "", SELDOM)
for i = 1, 2000 do
  n = i
end
debug.sethook()
print(lines > 1000) --> true
n = 0
for i = 1, 100 do
  debug.sethook(function() n = n + 1 end, "", SELDOM)
  for j = 1, 500 do end
end
debug.sethook()
print(n) --> 0

-- Where the program is, and what it can do meanwhile.
local places = {}
debug.sethook(function()
  places[debug.getinfo(2, "l").currentline] = true
end, "", SELDOM)
for i = 1, 20000 do
  n = n + 1
end
debug.sethook()
local first = debug.getinfo(1, "l").currentline - 4
for line in pairs(places) do
  if line < first or line > first + 3 then print("line", line - first) end
end
n = 0
debug.sethook(function() n = n + #table.concat({"a", "b"}) collectgarbage("step") end,
              "", SELDOM)
for i = 1, 20000 do local t = {i, tostring(i)} end
debug.sethook()
print(n > 100 and n % 2 == 0) --> true
