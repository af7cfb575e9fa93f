-- SPDX-License-Identifier: MIT
--
-- hot.lua -- loops that run some hundred times, while types change under them
--
-- For machine code, which is made for what runs often, and for the types that
-- are seen then. So the variables of such a loop change their types in the
-- middle, tables get metatables, closures assign to variables, errors leave the
-- loop and it goes on behind them.

local Hot = {}

local VARIABLES = {"a", "b", "c", "d", "u"}  -- u is captured
local FIELDS = {"x", "y", "z", "m"}
local NUMBERS = {"0", "1", "5", "12", "100", "2.5", "0.25", "1", "-1", "2", "3", "7", "-8", "63", "64", "255", "1 << 31",
  "1 << 53", "(1 << 53) + 1", "math.maxinteger", "math.mininteger", "0.0",
  "-0.0", "0.5", "-1.5", "2.0^53", "2.0^63", "-(2.0^63)", "1e308", "1 / 0",
  "-1 / 0", "0 / 0", "3.0"}
local OTHERS = {"'10'", "'x'", "''", "'0x1p4'", "nil", "true", "false", "{}",
  "r", "t", "f", "math.floor", "'some longer text that is not short any more'"}
local ARITHMETIC = {"+", "-", "*", "+", "-", "*", "+", "-", "*", "+", "-", "*",
  "/", "/", "//", "%", "^", "&", "|", "~", "<<", ">>"}
local COMPARISONS = {"<", "<=", ">", ">=", "==", "~="}

local function variable(rng) return rng:pick(VARIABLES) end
local function constant(rng, share)
  return "(" .. rng:pick(rng:once_in(share or 3) and OTHERS or NUMBERS) .. ")"
end

-- -- Expressions -------------------------------------------------------------

local function operand(rng)
  return rng:weighted {16, variable(rng), 8, "i", 8, rng:pick(NUMBERS),
    1, constant(rng), 3, "(t[i % 5 + 1] or 2)", 1, "t[i % 5 + 1]",
    4, "r." .. rng:pick {"x", "y"}, 1, "r." .. rng:pick(FIELDS), 2, "#t",
    2, "o.x", 1, "G.a"}
end

local function small(rng)
  return rng:weighted {6, operand(rng), 2, ("(%s)"):format(operand(rng)), 2, "-" .. variable(rng),
    1, "(not " .. variable(rng) .. " and 1 or 0.5)", 1, "~i"}
end

local function condition(rng)
  local x, y = operand(rng), operand(rng)
  return rng:weighted {4, ("%s %s %s"):format(x, rng:pick(COMPARISONS), y),
    2, ("%s %s %d"):format(x, rng:pick(COMPARISONS), rng:int(-3, 300)),
    1, x, 1, "not " .. x, 1, ("%s == nil"):format(x), 1, ("%s == 'x'"):format(x),
    1, ("i %% %d == 0"):format(rng:int(2, 9)),
    1, ("(%s %s %s or %s)"):format(x, rng:pick(COMPARISONS), y, operand(rng)),
    1, ("%s and %s ~= %s"):format(x, y, operand(rng)),
    1, ("math.type(%s) == 'integer'"):format(x)}
end

local function call(rng)
  local x, y = operand(rng), operand(rng)
  return rng:pick {("f(%s, %s)"):format(x, y), ("f(%s)"):format(x),
    ("g(%s, %s, i)"):format(x, y), ("(g(%s))"):format(x),
    ("o:m(%s)"):format(x), ("o:n(%s, %s)"):format(x, y),
    ("k(%s)"):format(x), ("math.floor(%s)"):format(x),
    ("math.max(%s, %s)"):format(x, y), ("math.type(%s)"):format(x),
    ("type(%s)"):format(x), ("select(2, i, %s)"):format(x),
    ("select('#', g(%s))"):format(x), ("rawget(r, %s or 1)"):format(x),
    ("rawequal(%s, %s)"):format(x, y), ("tonumber(%s)"):format(x),
    ("math.tointeger(%s)"):format(x), ("math.abs(%s)"):format(x),
    ("math.fmod(%s, %s)"):format(x, y), ("fs[i %% 3](%s)"):format(x),
    ("co(%s)"):format(x), ("tail(%s, i %% 4)"):format(x),
    ("next({%s})"):format(x), "table.remove(t)", "#s", "s:byte(i % 9)",
    "s:sub(i % 9, -2)", "s:upper()", "(s:rep(i % 3))", "s:len()",
    ("string.char(%d, i %% 256)"):format(rng:int(0, 255))}
end

local function expression(rng)
  local x, y = small(rng), small(rng)
  local op = rng:pick(ARITHMETIC)
  return rng:weighted {10, ("%s %s %s"):format(x, op, y),
    4, ("%s %s %s"):format(x, op, rng:pick(NUMBERS)),
    3, ("(%s %s %s) %s %s"):format(x, op, y, rng:pick(ARITHMETIC), operand(rng)),
    5, call(rng), 2, ("%s and %s or %s"):format(condition(rng), x, y),
    2, ("%s or %s"):format(x, y), 1, condition(rng), 2, x, 1, constant(rng),
    2, ("cut(text(%s) .. text(%s))"):format(x, y),
    1, ("cut('n' .. i .. text(%s))"):format(x),
    1, ("{%s, x = %s}"):format(x, y), 1, ("{%s}"):format(x),
    1, "function() return " .. x .. " end"}
end

-- -- Statements --------------------------------------------------------------

local statement

local function body(rng, depth)
  local list = {}
  for n = 1, rng:int(1, 3) do list[n] = statement(rng, depth + 1) end
  return table.concat(list, " ")
end

local function set(rng) return variable(rng) .. " = " .. expression(rng) end

local function store(rng)
  local v = operand(rng)
  return rng:pick {("t[i %% 7 + 1] = %s or 0"):format(v),
    ("t[#t + 1] = %s or 0 if #t > 20 then t = {1, 2} end"):format(v),
    ("r.%s = %s"):format(rng:pick(FIELDS), v),
    ("r[%s or 1] = %s"):format(variable(rng), v),
    ("r['k' .. i %% 9] = %s"):format(v), ("o.%s = %s"):format(rng:pick {"x", "y"}, v),
    ("table.insert(t, %s or 0) if #t > 20 then t = {} end"):format(v),
    ("G.a = %s"):format(v), "t = {i, i * 0.5, i}", "r = {x = i, y = 2.5, m = 'm'}",
    "r = {x = i}", "t = {}", "for n = 1, i % 40 do t[n] = n end"}
end

-- Something that happens once, or now and then.
local function event(rng)
  local when = rng:once_in(3) and ("i %% %d == 0"):format(rng:int(20, 200))
    or ("i == %d"):format(rng:int(100, 600))
  local what = rng:weighted {6, variable(rng) .. " = " .. constant(rng),
    2, "setmetatable(r, Vmeta)", 1, "setmetatable(r, nil)",
    2, "setmetatable(o, {__index = function(_, k) return k end})",
    2, "setmetatable(o, C)", 1, "f = function(x, y) return y, x end",
    1, "f = math.max", 1, "f = nil", 1, "C.m = function(s, v) return v, s.x end",
    1, "C.n = 5", 1, "s = 'another'", 1, "s = i", 1, "collectgarbage('step')",
    1, "collectgarbage('generational')", 1, "collectgarbage('incremental')",
    1, "error('on purpose')", 1, "error({})",
    1, "setmetatable(t, {__len = function() return 3 end})",
    1, "for n = 1, 300 do t['h' .. n] = n end t = {3, 2, 1}"}
  return ("if %s then %s end"):format(when, what)
end

local function branch(rng, depth)
  local s = ("if %s then %s"):format(condition(rng), body(rng, depth))
  if rng:once_in(2) then s = s .. " else " .. body(rng, depth) end
  return s .. " end"
end

local RANGES = {"1, 3", "1, i % 4", "3, 1, -1", "1, 2, 0.5", "1.0, 3",
  "math.maxinteger - 1, math.maxinteger", "math.mininteger, math.mininteger + 2",
  "math.mininteger + 1, math.mininteger, -1", "a, 5", "1, b", "1, 9, c",
  "i, i + 2", "i, i + 9, 4", "1, math.huge", "i // 1, i / 1"}

-- A loop inside; never more than five rounds.
local function loop(rng, depth)
  local name = "j" .. depth
  local count = "n" .. depth
  local head = rng:weighted {
    5, ("for %s = %s do"):format(name, rng:pick(RANGES)),
    2, ("for %s, v in ipairs(t) do"):format(name),
    1, ("for %s, v in pairs({7, 8, x = 9}) do"):format(name),
    1, ("for %s in range(3) do"):format(name),
    1, ("local %s = 0 while %s do"):format(name, condition(rng))}
  local leave = rng:pick {"break", "break", "goto out" .. depth}
  return ("do local %s = 0 %s %s = %s + 1 if %s > 4 then %s end %s if %s then %s end end ::out%d:: end")
    :format(count, head, count, count, count, leave, body(rng, depth),
      condition(rng), leave, depth)
end

local function closure(rng)
  local v = variable(rng)
  return rng:pick {
    ("fs[i %% 3] = function(x) u = %s return u end"):format(expression(rng)),
    ("do local v = %s fs[i %% 3] = function(x) v = x return v end v = i end")
      :format(operand(rng)),
    ("do local v <close> = closer1(%s) %s end"):format(v, set(rng)),
    ("u = %s"):format(expression(rng))}
end

local function several(rng)
  local v, w = variable(rng), variable(rng)
  return rng:pick {("%s, %s = g(%s, i)"):format(v, w, operand(rng)),
    ("%s, %s = %s, %s"):format(v, w, w, v), ("%s, %s = f(%s, %s)"):format(v, w, w, v),
    ("local p, q = %s, %s %s = p"):format(call(rng), expression(rng), v),
    ("%s = #{g(%s, i, nil, i)}"):format(v, w)}
end

function statement(rng, depth)
  if depth > 2 then return set(rng) end
  return rng:weighted {9, set(rng), 4, store(rng), 3, event(rng),
    3, branch(rng, depth), 2, loop(rng, depth), 2, closure(rng), 2, several(rng),
    2, ("local %s = %s"):format(variable(rng), expression(rng))}
end

-- -- The whole ---------------------------------------------------------------

local HEAD = {
  "local u = %s",
  "local t, r, s, fs, h, last = {1, 2, 3}, {x = 1, y = 2.5}, 'string', {}, 0, 0",
  "local C = {m = function(self, v) return v or self.x end, y = 1}",
  "C.__index = C",
  "function C:n(v, w) self.x = w return v end",
  "local o = setmetatable({x = 1}, C)",
  "local function text(v) if v ~= v then return 'nan' end return v end",
  "local function f(x, y) return %s end",
  "local function g(...) local x, y = ... if %s then return y, x, ... end return ... end",
  "local function k(x) local i, t = 1, {x, x, x} %s = x return i, t[2] end",
  "local function tail(x, n) if n == 0 then return x end return tail(x, n - 1) end",
  "local function closer1(v) return setmetatable({}, {__close = function() h = h + 1 end}) end",
  "for n = 0, 2 do fs[n] = function(x) return x end end",
  "local co = coroutine.wrap(function(x) for i = 1, math.huge do x = coroutine.yield(i %% 3 == 0 and x or i) end end)",
}

-- The digest of a value; that of a table is one of what it has.
local DIGEST = {
  "local function digest(v)",
  "  if math.type(v) == 'integer' then h = h * 31 + v",
  "  elseif v ~= v then h = h * 31 + 7",
  "  elseif type(v) == 'number' then h = h * 31 + (math.tointeger(v) or #('%.14g'):format(v) + (v < 0 and 1 or 0))",
  "  elseif type(v) == 'string' then h = h * 31 + #v + (v:byte() or 0) + (v:byte(-1) or 0)",
  "  else h = h * 31 + #type(v) + (v and 1 or 0) end",
  "end",
}

-- Runs the loop again behind an error, from the next round on.
local TAIL = {
  "local messages, at = {}, 1",
  "while at <= %d do",
  "  local ok, m, b, c, d = pcall(run, at, %d)",
  "  if ok then P('hot', m, b, c, d) break end",
  "  m = type(m) == 'string' and m or type(m)",
  "  if m:find 'divide' or m:find \"'n%%%%\" then m = m:gsub(':%%d+:', ':?:') end",
  "  messages[m] = (messages[m] or 0) + 1",
  "  at = last + 1",
  "end",
  "local list = {}",
  "for m, n in pairs(messages) do list[#list + 1] = m .. ' ' .. n end",
  "table.sort(list)",
  "P('hot', h, u, s, #t)",
  "for _, m in ipairs(list) do print(m) end",
}

local function add(lines, from, ...)
  local text = table.concat(from, "\n")
  if select("#", ...) > 0 then text = text:format(...) end
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
end

-- A list of statements, each on a line of its own, so that messages differ.
function Hot.section(rng)
  local lines, rounds = {}, rng:pick {60, 300, 700, 1000}
  add(lines, HEAD, constant(rng, 8), rng:pick {"x, y", "x + y", "y or x", "x"},
    rng:pick {"x", "x == y", "y", "x == 1"}, rng:pick {"x", "u", "h"})
  add(lines, DIGEST)
  local round = {"last = i"}
  for _ = 1, rng:int(2, 7) do round[#round + 1] = statement(rng, 0) end
  for _ = 1, 2 do round[#round + 1] = "digest(" .. variable(rng) .. ")" end
  local loop = {"for i = from, to do", round, "end"}
  if rng:once_in(3) then
    local one = {{"do", round, "end"}, "i = i + 1"}
    loop = {"local i = from while i <= to do", one, "end"}
  end
  local start = ("local a, b, c, d = %s, %s, %s, %s"):format(constant(rng, 8),
    constant(rng, 8), constant(rng, 8), constant(rng, 8))
  local again = "if from > 1 then a, b, c, d, u = from, 2.5, -1, 7, 1 r = {x = 1, y = 2} end"
  lines[#lines + 1] = {"local function run(from, to)", {start, again, loop,
    "return a, b, c, d"}, "end"}
  add(lines, TAIL, rounds, rounds)
  return lines
end

return Hot
