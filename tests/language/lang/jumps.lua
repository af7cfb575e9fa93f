-- SPDX-License-Identifier: MIT
--
-- Jumps in code that runs on a budget.  Each loop consists of one comparison,
-- so the budget is spent there.  It is large enough for a step of the
-- collector, which counts too.  Results are the same as without a budget;
-- differential/statements compares those with lua5.4.

local sandbox = require "penumbra.sandbox"
local nan = 0 / 0
local long = ("x"):rep(100)
local big = (1 << 53) + 1
local meta = {
  __eq = function() return true end,
  __lt = function(a, b) return a.n < b.n end,
  __le = function(a, b) return a.n <= b.n end,
}
local one, two = setmetatable({n = 1}, meta), setmetatable({n = 2}, meta)
local operands = {
  {1, 2}, {2, 1}, {2, 2}, {1.5, 2.5}, {2.5, 1.5}, {2.5, 2.5}, {1, 2.0}, {2.0, 1},
  {1, 1.0}, {nan, 1}, {1, nan}, {big, 2.0^53}, {2.0^53, big}, {"a", "b"}, {"b", "a"},
  {"a", "a"}, {long .. "a", long .. "b"}, {long .. "a", long .. "a"}, {one, two},
  {two, one}, {one, one}, {nil, nil}, {nil, false}, {true, 1}, {"1", 1}, {{}, {}},
}
local constants = {"0", "7", "0.5", "'x'", "nil", "true"}
local values = {0, 7, -7, 7.0, 7.5, 0.5, nan, "x", long, true, false, {}}

-- The result of code, or why it was stopped.
local function boxed(code, a, b)
  local box = sandbox.new {units = 100000}
  local ok, result, why = box:run("local a, b = ... " .. code, "=f", a, b)
  return ok and tostring(result) or why
end

local stopped, wrong = 0, 0
local function check(condition, a, b)
  local code = "return " .. condition
  local ok, holds = pcall(load("local a, b = ... " .. code), a, b)
  if not ok then
    if boxed(code, a, b) ~= "error" then wrong = wrong + 1 end
    return
  end
  local expected = {
    [code] = tostring(holds),
    ["repeat until " .. condition] = holds and "nil" or "budget",
    ["repeat until not (" .. condition .. ")"] = holds and "budget" or "nil",
    ["while " .. condition .. " do end"] = holds and "budget" or "nil",
    ["while not (" .. condition .. ") do end"] = holds and "nil" or "budget",
    ["::again:: if " .. condition .. " then goto again end"] =
      holds and "budget" or "nil",
  }
  for code, result in pairs(expected) do
    local got = boxed(code, a, b)
    if got == "budget" then stopped = stopped + 1 end
    if got ~= result then
      wrong = wrong + 1
      print(code, a, b, got)
    end
  end
end

for _, operator in ipairs {" == ", " ~= ", " < ", " <= ", " > ", " >= "} do
  for _, p in ipairs(operands) do check("a" .. operator .. "b", p[1], p[2]) end
  for _, constant in ipairs(constants) do
    for _, value in ipairs(values) do
      check("a" .. operator .. constant, value)
    end
    check("a" .. operator .. constant, nil)
  end
end
for _, value in ipairs {true, false, 0, "", 0.5} do
  check("a", value)
  check("(a or b)", value, false)
  check("(a and b)", value, true)
end
check("a", nil)
print(stopped > 900, wrong)                       --> true 0

-- Loops of other instructions.
local loops = {
  "for i = 1, math.maxinteger do end", "for i = 1, 1e300 do end",
  "for i = 1, -math.maxinteger, -1 do end", "for i = 1.0, -1e300, -1 do end",
  "for i in function() return 1 end do end", "for k in next, setmetatable({}, {}) do end while true do end",
  "local t = {} for i = 1, 1e9 do t[1] = i end", "local t = {} while true do t.x = 1 end",
  "local t = {} while true do t[#t + 1] = 1 end", "local t = {1} while t[1] do end",
  "local t = {x = 1} while t.x do end", "local s = 'x' while #s == 1 do end",
  "local s = '' while true do s = s .. 'x' end", "local x = 1 while true do x = x + 1 end",
  "local x = 1 while true do x = x // 1 | 0 end", "local x = 1.5 while true do x = -x end",
  "local f = function() end while true do f() end", "local function f() return f() end f()",
  "local function f(...) return f(...) end f(1, 2)", "local t = setmetatable({}, {__index = {x = 1}}) while t.x do end",
  "local t = setmetatable({}, {__call = function() end}) while true do t() end",
  "while true do local f = function() return f end end", "while true do local t = {1, 2, 3} end",
  "local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end",
  "while true do pcall(error) end", "while true do local a, b, c = (function(...) return ... end)(1, 2) end",
  "local s = ('x'):rep(100) while true do s:find('y') end", "while true do tostring(1.5) end",
  "local t = setmetatable({}, {__newindex = function() end}) while true do t.x = 1 end",
  "local t = setmetatable({}, {__eq = function() return true end}) repeat until t ~= t or t ~= setmetatable({}, getmetatable(t))",
  "while true do for i = 1, 0 do end end", "local a, b = 1, 2 while true do a, b = b, a end",
  "while true do do local c <close> = nil end end", "local x <const> = 5 while x == 5 do end",
}
for _, code in ipairs(loops) do
  if boxed(code) ~= "budget" then print(code, boxed(code)) end
end
