-- SPDX-License-Identifier: MIT
--
-- many.lua -- what a function does with many values, or variables, is paid for
--
--    penumbra many.lua [milliseconds late]
--
-- A stack has room for a million values. Each call that passes them on moves
-- them once more, so a hundred calls within each other move a hundred million.
-- Every function of a sandbox, and what the language has beside functions, is
-- put into such recursions: as what passes the results on, as what calls, and as
-- a list of arguments that is full of it. Each script runs with 20 ms.
--
-- The second part has as many variables to be closed as the stack has room for
-- when the time is over, with every function as their __close.
local sandbox = require "penumbra.sandbox"

local late = tonumber(arg and arg[1]) or 10
local TIME <const>, MEMORY <const> = 0.02, 64e6

local worst, worst_name, count, failures = 0, "", 0, 0

local function run(name, code)
  local box = sandbox.new {time = TIME, memory = MEMORY}
  local start = os.clock()
  local ok, _, why = box:run(code, "=" .. name)
  local over = (os.clock() - start - TIME) * 1000
  count = count + 1
  if over > worst then worst, worst_name = over, name end
  if over > late or ok and why then
    failures = failures + 1
    print(("%s: %.1f ms too long (%s)"):format(name, over, why))
  end
  return why
end

-- -- Functions ---------------------------------------------------------------

local functions = {}
local function list(t, prefix)
  for name, f in pairs(t) do
    if type(f) == "function" then functions[#functions + 1] = prefix .. name end
    if type(f) == "table" and f ~= t then list(f, prefix .. name .. ".") end
  end
end
list(sandbox.new({}):globals(), "")
table.sort(functions)
assert(#functions > 60)

-- -- Values ------------------------------------------------------------------

local VALUES = [[
local T = {}
for i = 1, 200000 do T[i] = VALUE end
local function s(n) if n == 0 then return table.unpack(T) end return LEVEL end
while true do pcall(DO) end]]

local function values(name, value, level, action)
  local parts = {VALUE = value, LEVEL = level, DO = action or "s, 190"}
  run(name .. " of " .. value, (VALUES:gsub("%u%u+", parts)))
end

for _, f in ipairs(functions) do
  if f ~= "print" and f ~= "warn" then
    values(f .. "(s(n - 1))", "i", f .. "(s(n - 1))")
    values(f .. "(s(n - 1))", "f", f .. "(s(n - 1))")
    values(f .. "(s, n - 1)", "i", f .. "(s, n - 1)")
    values(f .. "(f, f, ...)", f, "0", f .. ", table.unpack(T)")
    values(f .. "(f, type, f, type, ...)", "i % 2 == 0 and type or " .. f, "0",
           f .. ", table.unpack(T)")
  end
end

for _, level in ipairs {
  "1, s(n - 1)", "(function(...) return ... end)(s(n - 1))", "s(n - 1)",
  "(function() local c <close> = nil return s(n - 1) end)()",
  "(function() local c <close> = setmetatable({}, {__close = type}) return s(n - 1) end)()",
  "(function() local c local _ = function() return c end return s(n - 1) end)()",
  "select(2, pcall(s, n - 1))", "select(2, xpcall(s, type, n - 1))",
  "coroutine.wrap(s)(n - 1)", "coroutine.resume(coroutine.create(s), n - 1)",
  "coroutine.wrap(function() coroutine.yield(s(n - 1)) end)()",
  "setmetatable({}, {__call = function(_, ...) return ... end})(s(n - 1))",
  "load 'return ...'(s(n - 1))", "table.unpack {s(n - 1)}",
  "(function() for a in s, n - 1 do return a, s(n - 1) end end)()",
} do
  values("return " .. level, "i", level)
end

-- -- Variables to be closed --------------------------------------------------

local CLOSERS = [[
local made, method = METHOD
local object = setmetatable({}, {__close = made})
local declared = ("local a <close> = object "):rep(190)
local f = load("local object = ... local function f(n) " .. declared ..
  "if n == 0 then while true do end end f(n - 1) return n end f(2000)")
f(object)]]

for _, f in ipairs(functions) do
  if f ~= "print" and f ~= "warn" then
    run("__close = " .. f, (CLOSERS:gsub("METHOD", f)))
  end
end
for _, method in ipairs {
  "function() end", "function() while true do end end", "coroutine.wrap(type)",
  "coroutine.wrap(function() end)", "string.gmatch('', '')", "setmetatable({}, {__call = pcall})",
} do
  run("__close = " .. method, (CLOSERS:gsub("METHOD", method)))
end

print(("%d scripts, %d failures; the worst was %.1f ms over its %d ms: %s"):format(
  count, failures, worst, TIME * 1000, worst_name))
os.exit(failures == 0)
