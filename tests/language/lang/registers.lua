-- SPDX-License-Identifier: MIT
--
-- registers.lua -- a debugger may store anything in any register
--
-- A hook writes values of all types into all slots before every instruction,
-- including temporaries, the state of loops, and slots without names.  lua5.4
-- does not check many of these values, so there is nothing to compare with: the
-- program must continue, or end with an error.
-- tests/language/differential/registers/registers.lua compares the other cases.

-- The variable of a loop is not the loop's index.
local seen = {}
for i = 1, 3 do
  seen[#seen + 1] = i
  debug.setlocal(1, 5, ("x"):rep(50))
end
print(table.concat(seen, " "))                          --> 1 2 3
do
  local function in_first_registers(value)
    local function loop()
      for i = 1, 3 do
        seen[#seen + 1] = i
        debug.setlocal(1, 4, value)
        seen[#seen + 1] = i
      end
    end
    seen = {}
    loop()
    print(table.concat(seen, " "))
  end
  in_first_registers(7)                                 --> 1 7 2 7 3 7
  in_first_registers("x")                               --> 1 x 2 x 3 x
end
seen = {}
for i = 1, 3 do
  seen[#seen + 1] = i
  i = i * 10
  seen[#seen + 1] = i
end
print(table.concat(seen, " "))                          --> 1 10 2 20 3 30
for i = 1, 0x7FE0000000000000 do
  if i == 4 then break end
  debug.setlocal(1, 5, ("x"):rep(50))
  print(#i)
end
--> 50
--> 50
--> 50
do
  local fs = {}
  for i = 1, 3 do
    fs[i] = function() return i end
    debug.setupvalue(fs[i], 1, "set")
  end
  print(#fs, fs[1](), fs[3]())                          --> 3 set set
  local other = {}
  for i = 1, 2 do
    local function f() return i end
    debug.upvaluejoin(f, 1, fs[1], 1)
    other[i] = f()
  end
  print(other[1], other[2])                             --> set set
end

-- What a debugger sees of a loop: index, remaining iterations, step.
for i = 5, 9 do
  if i == 6 then
    print(select(2, debug.getlocal(1, 2)), select(2, debug.getlocal(1, 3)),
          select(2, debug.getlocal(1, 4)))
  end
end
--> 6 3 1

-- A debugger changes the state of a loop.
local function changed(slot, value, first, last)
  local r = {}
  for i = first, last do
    r[#r + 1] = i
    if i == first + 1 then debug.setlocal(1, 5 + slot, value) end
    if #r == 9 then break end
  end
  return table.concat(r, " ")
end
print(changed(1, 20, 1, 4))                             --> 1 2 21 22
print(changed(2, 4, 1, 4))                              --> 1 2 3 4 5 6
print(changed(3, 10, 1, 4))                             --> 1 2 12 22
print(changed(3, -1, 1, 4))                             --> 1 2 1 0
print(changed(1, 20.0, 1.0, 22.0))                      --> 1.0 2.0 21.0 22.0
print(changed(2, 3.0, 1.0, 22.0))                       --> 1.0 2.0 3.0
print(changed(3, 10.0, 1.0, 22.0))                      --> 1.0 2.0 12.0 22.0

-- A constructor whose table was overwritten.
local function constructor()
  local function item()
    for slot = 1, 9 do
      local name, value = debug.getlocal(2, slot)
      if name == "(temporary)" and type(value) == "table" then
        debug.setlocal(2, slot, 42)
        return
      end
    end
  end
  return {1, item()}
end
print(pcall(constructor))               -->~ ^false .*attempt to index a number value

local programs = {
  "local r = ... for i = 1, 4 do r(i) end",
  "local r = ... for i = 9, 1, -2 do r(i) end",
  "local r = ... for i = 1.5, 4 do r(i) end",
  "local r = ... local t = {} for i = 1, 4 do t[i] = i end for i = 4, 1, -1 do t[i] = 0 end",
  "local r = ... local s = 0 for i = 1, 4 do s = s + i end return s",
  "local r = ... for i = 1, 2 do for j = i, 3 do r(i, j) end end",
  "local r = ... for k, v in pairs({1, 2, x = 3}) do r(k, v) end",
  "local r = ... for k, v in ipairs({1, 2, 3}) do r(k, v) end",
  "local r = ... for a, b, c in coroutine.wrap(function() coroutine.yield(1) end) do r(a) end",
  "local r, c = ... for k in next, {1, 2}, nil, c do r(k) end",
  "local r, c = ... local a <close> = c; r() do local b <close> = c r() end",
  "local r = ... local t = {1, r(2), 3, x = r(4), r(5, 6)} return #t",
  "local r = ... return {r(1), r(2), r(3)}, {x = 1, y = r(2)}, {...}",
  "local r, c = ... local a = 'a' return a .. 1 .. r('b') .. 2.5 .. a, a .. c .. a",
  "local r, c = ... local s = 'x' r(s:rep(3), c:name()) return s:upper()",
  "local r = ... local f = function(a, ...) local b, c = ... r(a, ...) return ... end return f(1, 2, 3), f()",
  "local r = ... local n = 1 local f = function() n = n + 1 return n end r(f()) return r(f())",
  "local r = ... local t = {} t.x = 1 t[1] = t.x t[#t + 1] = 2 t.y = t.x + t[1] * 2.5 return -t[1] // 3",
  "local r = ... local a, b = 1, 2 if a < b and a ~= 3 or r(a) then a, b = b, a end while a > 0 do a = a - 1 end",
  "local r = ... local function f(n) if n == 0 then return r(n) end return f(n - 1) end return f(3)",
}

local closable = setmetatable({}, {
  __close = function() end, __index = function(_, k) return k end,
  __concat = function() return "c" end, __call = function() return 1 end,
})
local values = {
  function() return nil end, function() return true end,
  function() return 3 end, function() return -2.5 end,
  function() return ("x"):rep(50) end, function() return {1, 2} end,
  function() return closable end, function() return select end,
  function() return function() end end, function() return coroutine.create(select) end,
}

-- Runs f and writes at the nth event.  False if there are fewer events.
local function disturb(f, nth, slot, make)
  local events, all = 0, 0
  local function hook()
    all = all + 1
    if all > 400 then error("enough") end
    if debug.getinfo(2, "f").func ~= f then return end
    events = events + 1
    if events == nth then debug.setlocal(2, slot, make()) end
  end
  local co = coroutine.create(function()
    debug.sethook(hook, "", 1)
    return f(function(...) return ... end, closable)
  end)
  coroutine.resume(co)
  return events >= nth
end

-- A build that checks everything at every allocation runs until a time limit.
local SECONDS = 15
local function time_is_over(start) return os.clock() - start > SECONDS end

local runs, start = 0, os.clock()
for _, program in ipairs(programs) do
  for _, strip in ipairs({false, true}) do
    local f = load(string.dump(load(program), strip))
    local nth = 1
    while disturb(f, nth, 100, values[1]) and nth < 60 and
          not time_is_over(start) do
      for slot = -2, 14 do
        runs = runs + 1
        disturb(f, nth, slot, values[(runs * 7 + runs // 10) % #values + 1])
      end
      nth = nth + 1
    end
  end
end
collectgarbage()
print(runs > 5000 or time_is_over(start))               --> true

-- Finalizers write as well, at any step of the collector.
local function finalizers(slot, make)
  local f
  local rounds = 0
  local function set(o)
    for level = 2, 4 do
      local info = debug.getinfo(level, "f")
      if not info then break end
      if info.func == f then debug.setlocal(level, slot, make()) end
    end
    setmetatable(o, getmetatable(o))
  end
  local object = setmetatable({}, {__gc = set})
  f = function()
    local keep = {}
    for i = 1, 300 do
      rounds = rounds + 1
      if rounds > 400 then error("enough") end
      local t = {i, {x = i, y = {}}, "a" .. i, function() return i end}
      t[#t + 1] = t[3] .. i
      keep[i % 10] = setmetatable({t = t}, {__gc = set})
    end
  end
  return pcall(f)
end
start = os.clock()
for slot = 1, 16 do
  for _, make in ipairs(values) do
    if not time_is_over(start) then finalizers(slot, make) end
  end
end
print("done")                                           --> done
