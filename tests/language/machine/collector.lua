-- SPDX-License-Identifier: MIT
--
-- collector.lua -- the collector steps, and finalizers run, in hot loops
--
-- Machine code must be left for a step of the collector, because finalizers run
-- Lua code, which moves the stack.  run.lua compares what the interpreter and
-- machine code print.

-- Finalizers go deep into the stack of whatever they interrupt.  They also look
-- at the line where they interrupt it.
local function deep(n)
  if n == 0 then return 0 end
  return 1 + deep(n - 1)
end
local finalized, first, last = 0, math.maxinteger, 0
local meta = {}
local function watch() return setmetatable({}, meta) end
meta.__gc = function()
  finalized = finalized + 1
  deep(20 + finalized % 200)
  local info = debug.getinfo(2, "Sl")
  if info and info.source == "=loop" then
    first, last = math.min(first, info.currentline), math.max(last, info.currentline)
  end
end

-- Each expression is executed in a hot loop, in a coroutine whose stack is small,
-- while there is much garbage. The code is in lines 1 to 12.
local function try(expression)
  local loop = assert(load(([[
local watch, t, s, o = ...
local function f(a, ...) return a, ... end
local g
local function h() local v = 0 return function() v = v + 1 return v end end
local a, b, c = 1, 2.5, 'x'
local sum = 0
g = h()
for i = 1, 4000 do
  local p, q = %s
  sum = sum + (p == nil and 1 or 2) + (p == q and 4 or 8)
  if i %% 10 == 0 then local w = watch() end local u = {i, {p}, q}
end
return sum, a, b, c, g()]]):format(expression), "=loop"))
  finalized, first, last = 0, math.maxinteger, 0
  local co = coroutine.wrap(loop)
  local t = {5, 2.5, "x", x = 1}
  print(expression, co(watch, t, ("some text "):rep(8), setmetatable({x = 2}, {__index = t})))
  if first < 1 or last > 12 then print("a wrong line", expression, first, last) end
end

for _, e in ipairs {
  "math.abs(-i)", "math.ceil(i / 3)", "math.cos(i)", "math.deg(i)", "math.exp(1 / i)", "math.floor(i / 3)",
  "math.fmod(i, 7)", "math.log(i)", "math.max(i, 7, 2.5)", "math.min(i, 7)", "math.rad(i)", "math.sin(i)",
  "math.sqrt(i)", "math.tan(i)", "math.tointeger(i / 2)", "math.type(i)", "math.type(i / 2)", "math.type('x')",
  "math.ult(i, -1)", "next(t)", "rawequal(t, o)", "rawget(o, 'x')", "rawlen(t)", "select('#', i, i)",
  "select(2, i, 'x', i)", "tonumber('12')", "tonumber('1.5')", "tonumber('ff', 16)", "s:byte(2, 3)", "s:len()",
  "getmetatable(o)", "getmetatable(s)", "type(i)", "rawset(t, 1, i)", "rawset(t, i, i)", "setmetatable({}, t)",
  "setmetatable({}, {__gc = print and nil})", "string.char(65 + i % 26)", "string.char(i % 256, 66, i % 7)",
  "s:lower()", "s:upper()", "s:rep(i % 5)", "s:rep(2, c)", "s:reverse()", "s:sub(2, i % 70)", "s:sub(i % 80)",
  "table.concat(t, ',', 1, 3)", "table.insert(t, i)", "table.insert(t, 1, i) or table.remove(t)",
  "table.remove(t) or table.insert(t, i)", "table.unpack(t, 1, 2)", "tostring(i)", "tostring(i / 2)", "tostring(nil)",
  "tostring(true)", "utf8.char(1000 + i % 1000)",
  "{}", "{i, b}", "{x = i}", "{x = i, f = f}", "function() return i end", "c .. i", "c .. 'y' .. i .. b", "f(i, b)",
  "f(f(i, b))", "(f(i, c, c))", "g()", "s .. i", "#s", "t[i]", "t[c]", "o.x", "o.y", "i * b", "i // 7", "i ~ 3", "b ^ 2",
  "a < i", "c < s", "i == b", "not i",
} do
  try(e)
end

-- Tables that grow, in loops that make nothing else.
local function grow(n)
  local t, names = {}, {}
  for i = 1, n do t[i] = i names["k" .. i % 1000] = i end
  for i = 1, n, 3 do t[i] = nil end
  local count = 0
  for _ in pairs(t) do count = count + 1 end
  return count, #names, names.k7
end
for n = 1, 40 do grow(n) end
print(grow(100000))

-- Weak tables that are cleared while they are read and written.
for _, mode in ipairs {"k", "v", "kv"} do
  local w, kept, found, wrong = setmetatable({}, {__mode = mode}), {}, 0, 0
  for round = 1, 30 do
    for i = 1, 400 do
      local o = {i}
      w[i], w[o] = o, i
      if i % 4 == 0 then kept[i] = o end
      local r = w[i * 4]
      if r then found = found + 1 if r[1] ~= i * 4 then wrong = wrong + 1 end end
      if kept[i] and w[kept[i]] ~= i then wrong = wrong + 1 end
    end
    collectgarbage("step", 2)
  end
  print("weak", mode, found > 0, wrong)
end

-- Keys and values of entries that were removed, and come again as other objects.
local objects, sum = {}, 0
for round = 1, 30 do
  local keys = {}
  for i = 1, 200 do
    keys[i] = {i}
    objects[keys[i]] = i
    objects["name" .. i % 50 + round] = keys[i]
  end
  for i = 1, 200 do
    sum = sum + objects[keys[i]]
    objects[keys[i]] = nil
  end
  collectgarbage("step", 1)
  for i = 1, 200, 2 do objects[keys[i]] = -i sum = sum + objects[keys[i]] end
  if round % 10 == 0 then collectgarbage(round == 20 and "generational" or "incremental") end
end
collectgarbage()
local all = 0
for k, v in pairs(objects) do all = all + (type(v) == "table" and v[1] or v) end
print("entries", sum, all)
