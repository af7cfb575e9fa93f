-- SPDX-License-Identifier: MIT
-- A debugger writes into registers that the compiler filled, and instructions
-- use them: small functions for every such construct; on every line, in every
-- slot, values of several types, from a line hook, from a called function, and
-- from outside of a coroutine.
--
-- Omitted are writes that the reference itself does not check: values of other
-- types in the state of a numeric loop, and another value than the table in a
-- constructor.  tests/language/lang/registers.lua has these.

local LIMIT = 60            -- lines until the function is stopped

local closable = setmetatable({}, {
  __close = function(_, e) coroutine.running() end,
  __name = "closable", __index = function(_, k) return k end,
  __concat = function(a, b) return "joined" end,
  __call = function(_, ...) return nil end,
})

-- Each is a separate chunk, so that lines count from 1.  `r` collects the
-- values that the program sees.
local programs = {
  numeric = [[
local r = ...
for i = 1, 4 do
  r(i)
end
return "end"]],
  numeric_step = [[
local r = ...
for i = 10, 1, -3 do
  r(i)
end
return "end"]],
  numeric_float = [[
local r = ...
for i = 1.0, 3 do
  r(i)
end
return "end"]],
  numeric_assigned = [[
local r = ...
for i = 1, 3 do
  i = i .. "x"
  r(i)
end
return "end"]],
  numeric_captured = [[
local r = ...
local f = {}
for i = 1, 3 do
  f[i] = function() return i end
  r(i)
end
return f[1](), f[2](), f[3]()]],
  numeric_sum = [[
local r = ...
local s, t = 0, {}
for i = 1, 4 do
  t[i] = s
  s = s + i
end
r(s, t[4])
for i = 1, 4 do
  t[i] = i
end
return s, t[4] ]],
  numeric_nested = [[
local r = ...
for i = 1, 2 do
  for j = i, 3 do
    r(i, j)
  end
end
return "end"]],
  generic_pairs = [[
local r = ...
for k, v in pairs({7, 8, 9}) do
  r(k, v)
end
return "end"]],
  generic_ipairs = [[
local r = ...
for i, v in ipairs({7, 8, 9}) do
  r(i, v)
end
return "end"]],
  generic_function = [[
local r = ...
local n = 0
for a, b, c in function(s, c) n = n + 1 if n < 4 then return n, c end end, 5 do
  r(a, b, c)
end
return n]],
  generic_closing = [[
local r, closable = ...
for k, v in next, {10, 20}, nil, closable do
  r(k, v)
end
return "end"]],
  closing = [[
local r, closable = ...
do
  local a <close> = closable
  local b <close> = nil
  r(a)
end
local c <close> = closable
r(c)
return "end"]],
  constants = [[
local r = ...
local a <const> = 5
local b = a
r(b)
return b]],
  concat = [[
local r, closable = ...
local a = "a"
local s = a .. r("b") ..
  a .. 1 ..
  a .. 2.5
r(s)
local m = a .. closable ..
  a
return s, m]],
  self = [[
local r, closable = ...
local s = "text"
r(s:upper())
r(s:rep(
  2))
return closable:name()]],
  calls = [[
local r = ...
local a, b = 1, 2
r(a,
  b,
  a)
local x, y = r(
  a)
return r(
  y, x)]],
  varargs = [[
local r = ...
local function f(a, ...)
  local x, y, z = ...
  r(a, x, y, z)
  r(select("#", ...))
  local t = {...}
  return a, ...
end
r(f(1, 2, 3))
r(f())
return f(4, 5)]],
  tail = [[
local r = ...
local function f(n)
  if n == 0 then return "done" end
  return f(n - 1)
end
r(f(3))
return f(1)]],
  logic = [[
local r = ...
local a, b = nil, 3
local c = a and b or
  b
local d = a == nil
while c ~= 3 do
  c = 3
end
repeat
  local e = c
until e
r(a, b, c, d)
return not a]],
  tables = [[
local r = ...
local t = {}
t.x = 1
t.y = t.x
t[1] = t.x
t[t[1] + 1] = 5
r(t.x, t[1], t[2])
return #t > 0]],
  upvalues = [[
local r = ...
local n = 1
local function up()
  n = n + 1
  return n
end
r(up())
r(up())
return n]],
  arithmetic = [[
local r = ...
local a, b = 7, 2.5
local c = a + b
local d = a // 2 * 3 % 4
local e = a & 3 | 8
local f = -a
r(c, d, e, f)
return a < b, a ~= f, #"x" .. a]],
  gotos = [[
local r = ...
local i = 1
::top::
r(i)
i = i + 1
if i < 4 then goto top end
return i]],
}

-- The values by name; they are functions, so that each use has its own value.
local values = {
  {"nil", function() return nil end},
  {"integer", function() return 2 end},
  {"zero", function() return 0 end},
  {"float", function() return 2.5 end},
  {"long", function() return ("long"):rep(50) end},
  {"table", function() return {5, 6, 7, 8} end},
  {"closable", function() return closable end},
  {"function", function() return select end},
}

local function show(v)
  if type(v) == "function" or type(v) == "table" and v ~= closable then
    return type(v)
  end
  return v == closable and "closable" or tostring(v):sub(1, 20)
end

local function show_all(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = show(t[i]) end
  return table.concat(t, ",")
end

-- The places of temporaries depend on the compiler.
local function is_variable(name)
  return name and name ~= "(temporary)" and name ~= "(C temporary)"
end

-- The state of numeric loops gets only numbers of its own type.
local function may_write(name, old, new, numeric)
  if name ~= "(for state)" or not numeric then return true end
  return math.type(old) == "integer" and math.type(new) == "integer" and
         new >= 0               -- as a count, -1 is a very large number
end

-- Runs the program and writes the slot at the nth event.  Returns whether there
-- was such an event, whether there is such a variable, the name of the
-- variable, and the outcome.
local function run(name, how, nth, slot, make)
  local numeric = name:find("^numeric") ~= nil
  local log, count, exists, wrote = {}, 0, false, nil
  local f = assert(load(programs[name], "=" .. name))
  local function write(level, ...)
    count = count + 1
    if count ~= nth then return end
    local value = make()
    local variable, old = debug.getlocal(level + 1, slot)
    exists = is_variable(variable)
    if exists and may_write(variable, old, value, numeric) then
      wrote = debug.setlocal(level + 1, slot, value)
    end
  end
  local function r(...)
    log[#log + 1] = show_all(...)
    if #log > LIMIT then error("too long", 0) end
    if how == "call" then write(2) end
    if how == "yield" then coroutine.yield() end
    return ...
  end
  local lines, text = 0, {}
  for line in programs[name]:gmatch("[^\n]+") do text[#text + 1] = line end
  local function hook(_, line)
    lines = lines + 1
    if lines > 4 * LIMIT then
      debug.sethook()
      error("too many lines", 0)
    end
    -- At the end of a loop 5.4.4 still has its variables, 5.4.8 does not.
    if debug.getinfo(2, "S").source == "=" .. name and
       not text[line]:find("^end") then
      write(2)
    end
  end
  local co = coroutine.create(function()
    if how == "line" then debug.sethook(hook, "l") end
    return show_all(f(r, closable))
  end)
  local result
  repeat
    result = table.pack(coroutine.resume(co))
    if how == "yield" and coroutine.status(co) == "suspended" then
      -- Level 2 of the coroutine is the program, or a function in it.
      count = count + 1
      if count == nth then
        local value = make()
        local variable, old = debug.getlocal(co, 2, slot)
        exists = is_variable(variable)
        if exists and may_write(variable, old, value, numeric) then
          wrote = debug.setlocal(co, 2, slot, value)
        end
      end
    end
  until coroutine.status(co) == "dead"
  return count >= nth, exists, wrote, table.concat(log, " ") .. " => " ..
         show(result[2] == nil and "nil" or result[2])
end

local function longer(v)          -- messages need more than show gives
  return (tostring(v):gsub("0x%x+", "ADDRESS"))
end
show = (function(old) return function(v)
  return type(v) == "string" and longer(v):sub(1, 90) or old(v) end end)(show)

-- Names and number of the variables that exist, and all outcomes.
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)
local tried = 0
for _, name in ipairs(names) do
  for _, how in ipairs({"line", "call", "yield"}) do
    local nth, events = 0, true
    repeat
      nth, events = nth + 1, false
      for slot = -3, 9 do
        for _, v in ipairs(values) do
          local event, exists, wrote, outcome = run(name, how, nth, slot, v[2])
          events = events or event
          if not exists then break end
          if wrote then
            tried = tried + 1
            print(name, how, nth, slot, wrote, v[1], outcome)
          end
        end
      end
    until not events or nth > 30
  end
end
print(tried)
