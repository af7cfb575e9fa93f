-- SPDX-License-Identifier: MIT
--
-- expression.lua -- random expressions of a wanted type
--
-- Expression[kind](scope, depth) returns source text.  It keeps track of types,
-- so that most programs run far.  Sometimes an operand has a wrong type on
-- purpose, and the error is compared.

local Expression = {}

local INTEGERS = {"0", "1", "2", "3", "7", "10", "15", "64", "100", "255", "-1",
  "-2", "-7", "1000", "65535", "0x7fffffff", "0xffffffff", "1 << 62", "1 << 63",
  "math.maxinteger", "math.mininteger", "0x7fffffffffffffff",
  "-9223372036854775807", "9007199254740993", "-128", "0xff", "12345678901"}
local FLOATS = {"0.0", "-0.0", "0.5", "1.5", "-2.5", "3.0", "1e10", "1e-5",
  "2^53",
  "-2^63", "1e300", "0.1", "math.pi", "1/0", "-1/0", "1e15", "123456.789",
  "0x1p-3", "9007199254740992.0", "5e-324", "4503599627370497.5"}
-- Fields of records. One name is longer than the strings that are interned.
local LONG_NAME = "a_name_that_has_more_than_forty_characters"
Expression.FIELDS = {"a", "b", "c", "a", "b", "c", LONG_NAME}

local STRINGS = {'""', '"a"', '"abc"', '"hello world"', '"10"', '"0x1F"',
  '"3.5"',
  '"-7"', '" 12 "', '"a,b,,c"', '"line\\nbreak"', '"\\0zero\\0"', '"%d %s"',
  "[[long [string] ]]", "'single'", '"\\xe4\\u{20AC}"', '"aXbXc"',
  '("ab"):rep(21)', '"The quick brown fox"', '"key=value; k2=v2"', '"1e5"'}
local PATTERNS = {'"%w+"', '"%d"', '"a"', '"[aeiou]"', '"(%w)(%w)"', '"."',
  '".-"',
  '"^%s*"', '"[^,]*"', '"%s+"', '"l+"', '"()"', '"$"', '"(%a+)=(%a+)"',
    '"%f[%w]"',
  '"b*"', '"%p"', '"X"', '"(.)%1"', '"%b[]"'}

-- In parentheses, so that neither precedence nor `- -1` matter.
local function literal(text)
  return text:match("^[%w.\"'%[]") and not text:find("[<^/]")
    and text or "(" .. text .. ")"
end

local function paren(scope, text)
  return scope.rng:once_in(3) and text or "(" .. text .. ")"
end

-- A call of a visible function that returns this kind, or nil.
local function call(scope, kind, depth)
  local f = scope:any("function_" .. kind)
  if not f or not scope:affords(f.cost) then return nil end
  scope:spend(f.cost)
  local arguments = {}
  for i = 1, #f.parameters do
    if not (i == #f.parameters and scope.rng:once_in(12)) then
      arguments[i] = Expression[f.parameters[i]](scope, depth - 1)
    end
  end
  if f.vararg then
    for _ = 1, scope.rng:int(0, 3) do
      arguments[#arguments + 1] = Expression.any(scope, depth - 1)
    end
  end
  return f.name .. "(" .. table.concat(arguments, ", ") .. ")"
end

local function variable(scope, kind)
  local v = scope:any(kind)
  return v and v.name
end

-- `a and b or c`, with b of the kind (and never false, unless it is boolean).
local function choice(scope, kind, depth)
  local e = Expression[kind]
  return "(" .. Expression.boolean(scope, depth - 1) .. " and "
    .. e(scope, depth - 1) .. " or " .. e(scope, depth - 1) .. ")"
end

-- -- Integers ----------------------------------------------------------------

-- `a op b`. If `a` is a constant and `b` a choice, 5.4.4 is wrong for these
-- operators.
local function operation(a, op, b)
  if op:find "[&|~]" and (b:find " and " or b:find " or ") then
    a = "int(" .. a .. ", 1)"
  end
  return a .. " " .. op .. " " .. b
end

-- With a small constant operand, for which interpreters have special cases.
local function integer_immediate(scope, depth)
  local rng = scope.rng
  local a = Expression.integer(scope, depth - 1)
  local b = rng:pick {"1", "2", "3", "7", "63", "64", "127", "128", "255",
    "256",
    "(-1)", "(-128)"}
  local op = rng:pick {"+", "-", "*", "&", "|", "~", "<<", ">>", "//", "%"}
  if rng:once_in(4) and op ~= "//" and op ~= "%" then a, b = b, a end
  return "(" .. operation(a, op, b) .. ")"
end

local function integer_binary(scope, depth)
  if scope.rng:once_in(4) then return integer_immediate(scope, depth) end
  local a = Expression.integer(scope, depth - 1)
  local b = Expression.integer(scope, depth - 1)
  local op = scope.rng:pick {"+", "-", "*", "&", "|", "~", "<<", ">>", "//",
    "%"}
  if op == "//" or op == "%" then
    if not scope.rng:once_in(15) then b = "(" .. b .. " | 1)" end
    return "(" .. a .. " " .. op .. " " .. b .. ")"
  end
  return paren(scope, operation(a, op, b))
end

local INTEGER_FORMS = {
  function(s, d) return "(-" .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "(~" .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "#" .. Expression.string(s, d) end,
  function(s, d) return "#" .. Expression.array(s, d) end,
  function(s, d) return "(" .. Expression.array(s, d) .. "[" ..
    s.rng:int(1, 4) .. "] or " .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "(" .. Expression.string(s, d) .. "):len()" end,
  function(s, d) return "((" .. Expression.string(s, d) .. "):byte(" ..
    s.rng:int(-2, 3) .. ") or 0)" end,
  function(s, d) return "((" .. Expression.string(s, d) .. "):find(" ..
    s.rng:pick(PATTERNS) .. ") or 0)" end,
  function(s, d) return "math." .. s.rng:pick {"max", "min"} .. "(" ..
    Expression.integer(s, d) .. ", " .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "math.abs(" .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "(select('#', " .. Expression.list(s, d) .. "))" end,
  function(s, d) return "#" .. Expression.object(s, d) end,
  function(s, d) return Expression.object(s, d) .. ".twice" end,
  function(s, d) return Expression.object(s, d) .. ":get(" ..
    Expression.integer(s, d) .. ")" end,
  function(s, d) return "int(" .. Expression.record(s, d) .. "." ..
    s.rng:pick(Expression.FIELDS) .. ", 5)" end,
  function(s, d) return "int(" .. Expression.number(s, d) .. ", 9)" end,
  function(s, d) return "((function(...) local x, y = ... return int(y, " ..
    Expression.integer(s, d) .. ") end)(" .. Expression.list(s, d) .. "))" end,
  function(s, d) return "((" .. Expression.object(s, d) .. ")(" ..
    Expression.integer(s, d) .. "))" end,
  function(s, d) return "int(tonumber(" .. Expression.string(s, d) .. "), 4)"
  end,
  function(s, d) return "(math.tointeger(" .. Expression.number(s, d) ..
    ") or 6)" end,
}

function Expression.integer(scope, depth)
  local rng = scope.rng
  if depth > 0 and rng:once_in(90) then return Expression.any(scope, 0) end
  if depth <= 0 or rng:once_in(4) then
    local v = not rng:once_in(4) and variable(scope, "integer")
    return v or literal(rng:pick(INTEGERS))
  end
  if rng:once_in(9) then
    local text = call(scope, "integer", depth)
    if text then return text end
  end
  if scope.coroutine and rng:once_in(25) then
    return rng:pick {"(Y + " .. rng:int(1, 9) .. ")", "Y.key", "(#Y)",
      "Y(" .. rng:int(1, 9) .. ")", "int(coroutine.yield(" ..
      Expression.any(scope, depth - 1) .. "), 8)"}
  end
  if rng:once_in(10) then return choice(scope, "integer", depth) end
  if rng:once_in(3) then return rng:pick(INTEGER_FORMS)(scope, depth - 1) end
  return integer_binary(scope, depth)
end

-- -- Floats and numbers ------------------------------------------------------

function Expression.float(scope, depth)
  local rng = scope.rng
  if depth <= 0 or rng:once_in(4) then
    local v = not rng:once_in(3) and variable(scope, "float")
    return v or literal(rng:pick(FLOATS))
  end
  local a = Expression.float(scope, depth - 1)
  if rng:once_in(5) then
    return rng:pick {"(-" .. a .. ")", "(" .. a .. " ^ 2)",
      "math.sqrt(math.abs(" .. a .. "))", "(" .. a .. " ^ 0.5)",
      "(math.floor(" .. a .. " % 1000) + 0.25)", "(math.modf(" .. a ..
        ") + 0.0)"}
  end
  if rng:once_in(9) then
    return call(scope, "float", depth) or choice(scope, "float", depth)
  end
  local b = rng:once_in(2) and Expression.float(scope, depth - 1)
    or Expression.integer(scope, depth - 1)
  local op = rng:pick {"+", "-", "*", "/", "//", "%"}
  return "(" .. a .. " " .. op .. " " .. b .. ")"
end

function Expression.number(scope, depth)
  local rng = scope.rng
  if rng:once_in(12) then
    return "(" .. rng:pick {'"10"', '"0x1F"', '"3.5"', '"-7"', '" 12 "'} .. " "
      .. rng:pick {"+", "-", "*", "/", "//", "%"} .. " "
      .. Expression.number(scope, depth - 1) .. ")"
  end
  return Expression[rng:pick {"integer", "float"}](scope, depth)
end

-- -- Booleans ----------------------------------------------------------------

-- With a small constant on one side, for which interpreters have special cases.
local function immediate_comparison(scope)
  local a = Expression[scope.rng:pick {"integer", "float"}](scope, 1)
  local b = scope.rng:pick {"0", "1", "-1", "5", "127", "128", "-128", "-129",
    "1.0", "0.5", "-0.0", "200", "100.0"}
  if scope.rng:once_in(3) then a, b = b, a end
  return "(" .. a .. " " .. scope.rng:pick {"<", "<=", ">", ">=", "==", "~="}
    .. " " .. b .. ")"
end

local function comparison(scope, depth)
  if scope.rng:once_in(4) then return immediate_comparison(scope) end
  local kind = scope.rng:weighted {6, "integer", 4, "number", 2, "string",
                                   1, "object"}
  local op = scope.rng:pick {"<", "<=", ">", ">=", "==", "~="}
  local e = Expression[kind]
  return "(" .. e(scope, depth - 1) .. " " .. op .. " " .. e(scope, depth - 1)
    .. ")"
end

function Expression.boolean(scope, depth)
  local rng = scope.rng
  if depth <= 0 then
    return variable(scope, "boolean") or rng:pick {"true", "false"}
  end
  local form = rng:weighted {6, "compare", 2, "logic", 1, "not", 1, "variable",
                             1, "mixed"}
  if form == "compare" then return comparison(scope, depth) end
  if form == "variable" then return Expression.boolean(scope, 0) end
  local a = Expression.boolean(scope, depth - 1)
  if form == "not" then return "not " .. a end
  if form == "logic" then
    return "(" .. a .. " " .. rng:pick {"and", "or"} .. " "
      .. Expression.boolean(scope, depth - 1) .. ")"
  end
  return "(" .. Expression.any(scope, depth - 1) .. " "
    .. rng:pick {"==", "~="} .. " " .. Expression.any(scope, depth - 1) .. ")"
end

-- -- Strings -----------------------------------------------------------------

local STRING_FORMS = {
  function(s, d) return "(" .. Expression.string(s, d) .. " .. " ..
    Expression.string(s, d) .. ")" end,
  function(s, d) return "(" .. Expression.string(s, d) .. " .. " ..
    Expression.integer(s, d) .. " .. " .. Expression.string(s, d) .. ")" end,
  function(s, d) return "tostring(" .. Expression.item(s, d) .. ")" end,
  function(s, d) return "(" .. Expression.string(s, d) .. "):sub(" ..
    s.rng:int(-4, 4) .. ", " .. s.rng:int(-4, 8) .. ")" end,
  function(s, d) return "(" .. Expression.string(s, d) .. "):" ..
    s.rng:pick {"upper", "lower", "reverse"} .. "()" end,
  function(s, d) return "(" .. Expression.string(s, d) .. "):sub(1, 12):rep(" ..
    s.rng:int(0, 4) .. s.rng:pick {"", ', "-"'} .. ")" end,
  function(s, d) return "((" .. Expression.string(s, d) .. "):gsub(" ..
    s.rng:pick(PATTERNS) .. ", " .. s.rng:pick {'"<%0>"', '""', '"%%"',
    "string.upper", "{a = 'A', b = 1}", "function(m) return #tostring(m) end"}
      ..
    s.rng:pick {"", ", 2"} .. "))" end,
  function(s, d) return "((" .. Expression.string(s, d) .. "):match(" ..
    s.rng:pick(PATTERNS) .. ") or '-') .. ''" end,
  function(s, d) return "('%5d|%-6s|%x'):format(" .. Expression.integer(s, d) ..
    ", " .. Expression.string(s, d) .. ", " .. Expression.integer(s, d) ..
    ")" end,
  function(s, d) return "('%.3f %g'):format(" .. Expression.number(s, d) ..
    ", " .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "('%q'):format(" .. Expression.integer(s, d) .. ")" end,
  function(s, d) return "table.concat(" .. Expression.array(s, d) ..
    ", ',')" end,
  function(s, d) return "cat(" .. Expression.object(s, d) .. ", " ..
    Expression.string(s, d) .. ")" end,
  function(s, d) return "tostring(" .. Expression.object(s, d) .. ")" end,
  function(s, d) return "string.char(" .. s.rng:int(65, 90) .. ", " ..
    Expression.integer(s, d) .. " & 127)" end,
  function(s, d) return "type(" .. Expression.any(s, d) .. ")" end,
  function(s, d) return "string.pack('<i8', " .. Expression.integer(s, d) ..
    "):sub(1, 3)" end,
}

function Expression.string(scope, depth)
  local rng = scope.rng
  if depth <= 0 or rng:once_in(3) then
    local v = not rng:once_in(3) and variable(scope, "string")
    return v or "(" .. rng:pick(STRINGS) .. ")"
  end
  if rng:once_in(9) then
    return call(scope, "string", depth) or choice(scope, "string", depth)
  end
  return "(" .. rng:pick(STRING_FORMS)(scope, depth - 1) .. ")"
end

-- -- Tables ------------------------------------------------------------------

-- An integer for an array. Never nil: with holes, # may be one of several.
function Expression.item(scope, depth)
  local text = Expression.integer(scope, depth)
  return tonumber(text) and text or "int(" .. text .. ", 3)"
end

function Expression.array(scope, depth)
  local rng = scope.rng
  local v = not rng:once_in(4) and variable(scope, "array")
  if v then return v end
  if depth <= 0 then return "({1, 2, 3})" end
  local items = {}
  for i = 1, rng:int(0, 6) do items[i] = Expression.item(scope, depth - 1) end
  if rng:once_in(30) then
    for i = #items + 1, 60 do items[i] = tostring(i * 7 % 31) end
  end
  return "({" .. table.concat(items, ", ") .. "})"
end

function Expression.record(scope, depth)
  local rng = scope.rng
  local v = not rng:once_in(4) and variable(scope, "record")
  if v then return v end
  if depth <= 0 then return rng:pick {"G", "({a = 1, b = 2, c = 3, s = 'r'})"}
  end
  local long = ""
  if rng:once_in(4) then
    long = LONG_NAME .. " = " .. Expression.any(scope, depth - 1) .. ", "
  end
  return "({" .. long .. "a = " .. Expression.integer(scope, depth - 1) .. ", b = "
    .. Expression.integer(scope, depth - 1) .. ", [" .. rng:pick {'"c"', "'c'"}
    .. "] = " .. Expression.integer(scope, depth - 1) .. ", s = "
    .. Expression.string(scope, depth - 1) .. "})"
end

function Expression.object(scope, depth)
  local rng = scope.rng
  local v = not rng:once_in(4) and variable(scope, "object")
  if v then return v end
  if depth <= 0 then return "V(" .. rng:int(-9, 99) .. ")" end
  if rng:once_in(2) then
    return "V(" .. Expression.integer(scope, depth - 1) .. ")"
  end
  if rng:once_in(6) then
    return "(" .. rng:pick {"-", "~"} .. Expression.object(scope, depth - 1) ..
      ")"
  end
  local a, b = Expression.object(scope, depth - 1),
               Expression[rng:pick {"object", "integer"}](scope, depth - 1)
  if rng:once_in(3) then a, b = b, a end
  if not (a:find "V" or b:find "V") then a = "V(" .. a .. ")" end
  return "(" .. a .. " " .. rng:pick {"+", "-", "*", "/", "%", "^", "//", "&",
    "|", "~", "<<", ">>"} .. " " .. b .. ")"
end

function Expression.any(scope, depth)
  if depth <= 0 and scope.rng:once_in(3) then return "nil" end
  local kind = scope.rng:weighted {5, "integer", 3, "float", 3, "string",
    2, "boolean", 2, "array", 2, "record", 2, "object"}
  return Expression[kind](scope, depth)
end

-- Several expressions; the last one may have many values.
function Expression.list(scope, depth)
  local rng, items = scope.rng, {}
  for i = 1, rng:int(1, 4) do items[i] = Expression.any(scope, depth - 1) end
  if scope.vararg and rng:once_in(3) then items[#items + 1] = "..." end
  if rng:once_in(6) then
    items[#items + 1] = "table.unpack(" .. Expression.array(scope, depth - 1)
      .. ", 1, 3)"
  end
  return table.concat(items, ", ")
end

return Expression
