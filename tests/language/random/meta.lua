-- SPDX-License-Identifier: MIT
--
-- meta.lua -- random metatables, and every operation on values that have them
--
-- A metamethod may be a function, a table, another callable value, or a value
-- that is not callable. All operations run protected.

local Meta = {}

local BINARY = {"+", "-", "*", "/", "%", "^", "//", "&", "|", "~", "<<", ">>",
  "..", "==", "~=", "<", "<=", ">", ">="}
local EVENTS = {"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__idiv",
  "__band", "__bor", "__bxor", "__shl", "__shr", "__concat", "__eq", "__unm",
  "__bnot", "__len", "__index", "__newindex", "__call", "__close", "__tostring",
  "__name", "__metatable", "__pairs"}

local function result(rng)
  return rng:pick {"1", "2.5", "'text'", "nil", "false", "true", "a", "b",
    "a, b, 3", "{}", "", "select('#', ...)"}
end

local function metamethod(rng, event)
  local f = ("function(a, b, ...) calls = calls + 1 P(%q, type(a), type(b), "
    .. "...) return %s end"):format(event, result(rng))
  return rng:weighted {12, f, 1, "5", 1, "'name'", 1, "{}", 1, "{x = 1, 10}",
    1, ("setmetatable({}, {__call = function(_, a, b) P('called', type(a), "
      .. "type(b)) return %s end})"):format(rng:pick {"1", "a", "nil", "'c'"}),
    1, ("function() error(%s) end"):format(rng:pick {"'" .. event .. "'",
      "{}", "nil"}),
    1, "rawget", 1, "false"}
end

-- __lt and __le come together: otherwise compatibility options would matter.
local function metatable(rng)
  local parts = {}
  for _, event in ipairs(EVENTS) do
    if rng:once_in(3) then
      parts[#parts + 1] = event .. " = " .. metamethod(rng, event)
    end
  end
  if rng:once_in(2) then
    parts[#parts + 1] = "__lt = " .. metamethod(rng, "__lt")
    parts[#parts + 1] = "__le = " .. metamethod(rng, "__le")
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local OPERANDS = {"A", "B", "C", "A", "B", "C", "1", "0", "2.5", "'x'", "'10'",
  "nil", "true", "{}", "math.mininteger", "0.0", "-1", "P"}

local function operation(rng)
  local a, b = rng:pick(OPERANDS), rng:pick(OPERANDS)
  local v = rng:pick {"A", "B", "C"}
  local op = rng:pick(BINARY)
  return rng:weighted {
    10, ("return %s %s %s"):format(a, op, b),
    3, ("local l, m = %s, %s return l %s m"):format(a, b, op),
    2, ("local l = %s return l %s %s"):format(a, op,
      rng:pick {"1", "-1", "200", "1.0", "'k'"}),
    2, ("local l = %s return %s %s l"):format(a, rng:pick {"1", "3", "2.0"},
      op),
    2, ("local l = %s if l %s %s then return 1 else return 2 end"):format(a,
      rng:pick {"<", "<=", ">", ">=", "==", "~="}, b),
    3, ("return %s%s"):format(rng:pick {"-", "~", "#", "not "}, v),
    2, ("return %s[%s]"):format(v, rng:pick(OPERANDS)),
    2, ("return %s.x, %s[1], %s.none"):format(v, v, v),
    2, ("%s[%s] = %s"):format(v, rng:pick(OPERANDS), b),
    1, ("%s.x = %s return rawget(%s, 'x')"):format(v, b, v),
    2, ("return %s(%s, %s)"):format(v, a, b),
    1, ("return (%s(%s))"):format(v, a),
    1, ("return %s:x(%s)"):format(v, a),
    1, ("%s.x.y = 1"):format(v), 1, ("return %s.x.y.z"):format(v),
    2, ("local c <close> = %s P('in')"):format(v),
    2, ("for k, v in pairs(%s) do P('pair') break end"):format(v),
    1, ("for k in %s do P(k) break end"):format(v),
    1, ("return tostring(%s):match '^[^:]*'"):format(v),
    1, ("return getmetatable(%s) == nil"):format(v),
    1, ("return setmetatable(%s, nil) == %s"):format(v, v),
    1, ("return %s .. %s .. %s"):format(v, "1", "'a'"),
    1, ("return #%s .. 'x'"):format(v),
    1, ("return rawlen(%s), rawequal(%s, %s)"):format(v, a, b),
    1, ("return table.concat({%s, 1})"):format(a),
    1, ("return ('x'):rep(2, %s)"):format(a),
    1, ("return math.max(1, %s)"):format(a),
    1, ("for i = %s, %s do return i end"):format(a, b),
  }
end

-- A scenario (scenario.lua).
function Meta.operations(scope)
  local rng = scope.rng
  local lines = {"local A = setmetatable({10}, " .. metatable(rng) .. ")",
    "local B = setmetatable({x = A}, " .. metatable(rng) .. ")",
    "local C = setmetatable({}, " .. rng:pick {"debug.getmetatable(A)",
      "{__index = A, __newindex = B}", "{__index = B}", metatable(rng)} .. ")"}
  for _ = 1, rng:int(4, 12) do
    lines[#lines + 1] = "T(function() " .. operation(rng) .. " end)"
  end
  scope:spend(25)
  return lines
end

return Meta
