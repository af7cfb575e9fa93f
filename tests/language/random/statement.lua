-- SPDX-License-Identifier: MIT
--
-- statement.lua -- random statements
--
-- A statement is a string, or a table {head, body, head, body, ..., tail} in
-- which a body is a list of statements. The shrinker takes this shape apart.
-- Every generator returns a list of one or more statements.

local Expression = require "expression"
local Scenario = require "scenario"

local Statement = {}

local VALUE_KINDS = {4, "integer", 2, "float", 3, "string", 1, "boolean",
                     2, "array", 1, "record", 2, "object"}

local function value(scope, kind)
  local text = Expression[kind](scope, scope.rng:int(1, 4))
  return kind == "string" and "cut(" .. text .. ")" or text
end

-- -- Blocks ------------------------------------------------------------------

-- A list of statements in a scope of its own. `prepare` may declare names.
function Statement.block(scope, size, prepare)
  local body = {}
  scope:push()
  scope.depth = scope.depth + 1
  if prepare then prepare(body) end
  for _ = 1, size do
    for _, s in ipairs(Statement.any(scope)) do body[#body + 1] = s end
  end
  scope.depth = scope.depth - 1
  scope:pop()
  return body
end

local function size(scope)
  return math.max(1, scope.rng:int(1, 5) - scope.depth // 2)
end

-- -- Simple statements -------------------------------------------------------

local function print_values(scope)
  scope:spend(2)
  return {"P(" .. Expression.list(scope, 3) .. ")"}
end

local function print_variables(scope)
  local names = {}
  for _, kind in ipairs {"integer", "float", "string", "boolean", "array",
                         "record", "object"} do
    local v = scope:any(kind)
    if v then names[#names + 1] = v.name end
  end
  scope:spend(2)
  return {"P(" .. table.concat(names, ", ") .. ")"}
end

local function declare(scope)
  local kind = scope.rng:weighted(VALUE_KINDS)
  local text = value(scope, kind)
  local name = scope:fresh(kind:sub(1, 1))
  if scope.rng:once_in(6) then
    scope:declare(name, kind, {const = true})
    return {"local " .. name .. " <const> = " .. text}
  end
  scope:declare(name, kind)
  return {"local " .. name .. " = " .. text}
end

local function declare_several(scope)
  local names, values, kinds = {}, {}, {}
  for i = 1, scope.rng:int(2, 4) do
    kinds[i] = scope.rng:weighted(VALUE_KINDS)
    values[i] = value(scope, kinds[i])
    names[i] = scope:fresh(kinds[i]:sub(1, 1))
  end
  for i, name in ipairs(names) do scope:declare(name, kinds[i]) end
  if scope.rng:once_in(3) then
    values[#values + 1] = Expression.any(scope, 1)  -- one value too many
  end
  return {"local " .. table.concat(names, ", ") .. " = "
    .. table.concat(values, ", ")}
end

local function assign(scope)
  local kind = scope.rng:weighted(VALUE_KINDS)
  local v = scope:any(kind, true)
  if not v then return declare(scope) end
  return {v.name .. " = " .. value(scope, kind)}
end

-- A place where an integer can be stored.
local function integer_place(scope)
  local rng = scope.rng
  local v = scope:any("integer", true)
  if v and not rng:once_in(3) then return v.name end
  local form = rng:pick {"record", "array", "global"}
  v = scope:any(form)
  if form == "record" and v then
  return v.name .. "." .. rng:pick(Expression.FIELDS) end
  if form == "array" and v then return v.name .. "[1]" end
  return "G." .. rng:pick(Expression.FIELDS)
end

local function assign_several(scope)
  local places, values = {}, {}
  for i = 1, scope.rng:int(2, 3) do
    places[i] = integer_place(scope)
    values[i] = Expression.item(scope, 2)
  end
  if scope.rng:once_in(3) then                      -- permute
    for i = 1, #places
    do values[i] = "int(" .. places[#places + 1 - i] .. ", 1)" end
  end
  return {table.concat(places, ", ") .. " = " .. table.concat(values, ", ")}
end

local function change_table(scope)
  local rng = scope.rng
  local a, r, o = scope:any "array", scope:any "record", scope:any "object"
  local forms = {"G.list[" .. rng:int(1, 3) .. "] = "
    .. Expression.item(scope, 2)}
  if a then
    forms[#forms + 1] = "table.insert(" .. a.name .. ", "
      .. Expression.item(scope, 2) .. ")"
    forms[#forms + 1] = "table.insert(" .. a.name .. ", 1, "
      .. Expression.item(scope, 2) .. ")"
    forms[#forms + 1] = "P(table.remove(" .. a.name .. "))"
    forms[#forms + 1] = "P(#" .. a.name .. ", table.remove(" .. a.name ..
      ", 1))"
    forms[#forms + 1] = a.name .. "[#" .. a.name .. " + 1] = "
      .. Expression.item(scope, 2)
    forms[#forms + 1] = "table.sort(" .. a.name .. ", function(x, y) return x "
      .. rng:pick {"<", ">"} .. " y end)"
    forms[#forms + 1] = "table.move(" .. a.name .. ", 1, #" .. a.name .. ", 2)"
  end
  if r then
    forms[#forms + 1] = r.name .. "." .. rng:pick(Expression.FIELDS) .. " = "
      .. Expression.integer(scope, 2)
    forms[#forms + 1] = r.name .. "[" .. Expression.string(scope, 1) .. "] = "
      .. Expression.any(scope, 2)
    forms[#forms + 1] = r.name .. "[" .. Expression.number(scope, 1) .. "] = "
      .. Expression.any(scope, 1)
    forms[#forms + 1] = r.name .. ".x, " .. r.name .. ".s = nil, "
      .. Expression.string(scope, 2)
  end
  if o then
    forms[#forms + 1] = o.name .. ".y = " .. Expression.integer(scope, 2)
    forms[#forms + 1] = "P(" .. o.name .. ".y, " .. o.name .. ".twice, calls)"
  end
  return {rng:pick(forms)}
end

local function collect(scope)
  scope:spend(20)
  return {scope.rng:pick {"collectgarbage()", "collectgarbage('step')",
    "collectgarbage('step', 20)", "collectgarbage('generational')",
    "collectgarbage('incremental')"}}
end

-- Entries of a weak table that nothing else holds are gone after a collection.
local function weak(scope)
  scope:spend(30)
  local name = scope:fresh "w"
  return {{"do", {
    ("local %s = setmetatable({}, {__mode = %q})"):format(name,
      scope.rng:pick {"k", "v", "kv"}),
    ("local kept = {%s[1]}"):format(name),
    {"for i = 1, 4 do", {
      name .. "[{}] = {i}", name .. "[i] = {}", name .. "['k' .. i] = i",
      "kept[i] = {}", name .. "[kept[i]] = kept[i]"}, "end"},
    "collectgarbage()",
    "local count = 0",
    "for _ in pairs(" .. name .. ") do count = count + 1 end",
    "P('weak', count, #kept)"}, "end"}}
end

-- -- Control -----------------------------------------------------------------

local function if_statement(scope)
  local s = {"if " .. Expression.boolean(scope, 3) .. " then",
             Statement.block(scope, size(scope))}
  for _ = 1, scope.rng:int(0, 2) do
    s[#s + 1] = "elseif " .. Expression.boolean(scope, 2) .. " then"
    s[#s + 1] = Statement.block(scope, size(scope))
  end
  if scope.rng:once_in(2) then
    s[#s + 1] = "else"
    s[#s + 1] = Statement.block(scope, size(scope))
  end
  s[#s + 1] = "end"
  return {s}
end

local function do_block(scope)
  return {{"do", Statement.block(scope, size(scope)), "end"}}
end

-- break or goto continue somewhere in a loop's body.
local function add_jumps(scope, body, label, breaks)
  local at = scope.rng:int(1, #body + 1)
  if breaks and scope.rng:once_in(3) then
    table.insert(body, at, "if " .. scope.jump_condition .. " then break end")
  else
    table.insert(body, at, "if " .. scope.jump_condition .. " then goto " ..
      label
      .. " end")
    body[#body + 1] = "::" .. label .. "::"
  end
end

-- The body of a loop that runs about n times.
local function loop_body(scope, n, prepare, no_break)
  local body
  scope:times(n, function()
    body = Statement.block(scope, size(scope), prepare)
  end)
  if scope.rng:once_in(3) then
    scope.jump_condition = Expression.boolean(scope, 2)
    scope.labels = scope.labels + 1
    add_jumps(scope, body, "continue" .. scope.labels, not no_break)
  end
  return body
end

local FOR_RANGES = {
  "1, 3", "1, 5", "3, 1, -1", "0, 10, 4", "1.0, 3", "1, 2, 0.5", "-2, 2",
    "5, 1",
  "math.maxinteger - 2, math.maxinteger",
    "math.mininteger, math.mininteger + 2",
  "math.mininteger + 1, math.mininteger, -1", "1, 3.7", "1, 0, -1",
  "math.maxinteger - 1, math.huge", "3, -math.huge, -(1 << 62)", "0.0, 1, 0.25",
}

local function numeric_for(scope)
  local rng = scope.rng
  local name, kind = scope:fresh "i", "integer"
  local range = rng:pick(FOR_RANGES)
  if range:find("%.%d") and not range:find "3.7" then kind = "float" end
  local body = loop_body(scope, 4, function()
    scope:declare(name, kind)
  end)
  return {{"for " .. name .. " = " .. range .. " do", body, "end"}}
end

local function generic_for(scope)
  local rng = scope.rng
  local k, v = scope:fresh "k", scope:fresh "v"
  local array = Expression.array(scope, 2)
  local form = rng:pick {"ipairs(" .. array .. ")", "pairs(" .. array .. ")",
    "next, " .. array, "range(" .. rng:int(0, 4) .. ")",
    "function(s, c) if c < s then return c + 1, c * c end end, 3, 0",
    "range(3), nil, nil, closer('for')"}
  local body = loop_body(scope, 5, function()
    scope:declare(k, "integer", {const = true})
    scope:declare(v, "integer")
  end, form:find "closer")   -- 5.4.4 may fail to close after a break
  if form:find "ipairs" or form:find "pairs" or form:find "next" then
    table.insert(body, 1, "if " .. k .. " > 6 then break end")
  end
  return {{"for " .. k .. ", " .. v .. " in " .. form .. " do", body, "end"}}
end

-- The order is undefined, so the body must not depend on it.
local function for_pairs(scope)
  local sum, count = scope:fresh "s", scope:fresh "c"
  scope:spend(4)
  return {"local " .. sum .. ", " .. count .. " = 0, 0",
    {"for k, v in pairs(" .. Expression.record(scope, 2) .. ") do", {
      "if type(v) == 'number' and v == v then " .. sum .. " = " .. sum
        .. " ~ int(v, 1) end",
      count .. " = " .. count .. " + #tostring(k)"}, "end"},
    "P('pairs', " .. sum .. ", " .. count .. ")"}
end

local function while_loop(scope)
  local name = scope:fresh "n"
  local n = scope.rng:int(1, 4)
  scope:declare(name, "integer", {const = true})
  local body = loop_body(scope, n)
  table.insert(body, 1, name .. " = " .. name .. " + 1")
  return {"local " .. name .. " = 0",
    {"while " .. name .. " < " .. n .. scope.rng:pick {"", " and "
      .. Expression.boolean(scope, 2)} .. " do", body, "end"}}
end

local function repeat_loop(scope)
  local name, seen = scope:fresh "n", scope:fresh "u"
  local n = scope.rng:int(1, 4)
  scope:declare(name, "integer", {const = true})
  local body
  scope:times(n, function() body = Statement.block(scope, size(scope)) end)
  table.insert(body, 1, name .. " = " .. name .. " + 1")
  table.insert(body, 2, "local " .. seen .. " = " .. name)
  return {"local " .. name .. " = 0",
    {"repeat", body, "until " .. seen .. " >= " .. n .. " or "
      .. Expression.boolean(scope, 2)}}
end

local function goto_loop(scope)
  local name = scope:fresh "n"
  scope.labels = scope.labels + 1
  local label = "top" .. scope.labels
  scope:declare(name, "integer", {const = true})
  local body
  scope:times(3, function() body = Statement.block(scope, size(scope)) end)
  return {"local " .. name .. " = 0",
    {"do", {"::" .. label .. "::", {"do", body, "end"},
      name .. " = " .. name .. " + 1",
      "if " .. name .. " < 3 then goto " .. label .. " end"}, "end"}}
end

-- -- Functions ---------------------------------------------------------------

local function parameters(scope, kinds)
  local names = {}
  for i = 1, scope.rng:int(0, 3) do
    kinds[i] = scope.rng:pick {"integer", "integer", "float", "string", "array"}
    names[i] = scope:fresh "p"
  end
  return names
end

-- The head, body and end of a function. Returns them and the cost of a call.
local
function function_parts(scope, head, names, kinds, result, vararg, coroutine)
  local body
  local cost = scope:as_function(vararg, coroutine, function()
    body = Statement.block(scope, size(scope), function()
      for i, name in ipairs(names) do scope:declare(name, kinds[i]) end
    end)
    scope:push()
    for i, name in ipairs(names) do scope:declare(name, kinds[i]) end
    body[#body + 1] = "return " .. value(scope, result)
      .. (vararg and scope.rng:once_in(2) and ", ..." or "")
    scope:pop()
  end)
  local list = table.concat(names, ", ")
  if vararg then list = list .. (#names > 0 and ", ..." or "...") end
  return {head .. "(" .. list .. ")", body, "end"}, cost
end

local function function_statement(scope)
  local kinds = {}
  local names = parameters(scope, kinds)
  local result = scope.rng:pick {"integer", "integer", "float", "string"}
  local name, vararg = scope:fresh "f", scope.rng:once_in(3)
  local head = scope.rng:pick {"local function " .. name,
    "local " .. name .. " = function"}
  local s, cost = function_parts(scope, head, names, kinds, result, vararg,
    false)
  scope:declare(name, "function_" .. result, {parameters = kinds, cost = cost,
    vararg = vararg, const = true})
  return {s, "P(" .. name .. "(" .. (#kinds > 0 and value(scope, kinds[1]) or
    "")
    .. "))"}
end

local function recursion(scope)
  local name, n, acc = scope:fresh "r", scope:fresh "n", scope:fresh "acc"
  local step, body = nil, nil
  local cost = scope:as_function(false, false, function()
    body = Statement.block(scope, 1, function()
      scope:declare(n, "integer", {const = true})
      scope:declare(acc, "integer")
    end)
    scope:push()
    scope:declare(acc, "integer")
    step = Expression.integer(scope, 2)
    scope:pop()
  end)
  if not scope:affords(cost * 6) then return print_values(scope) end
  scope:spend(cost * 6)
  table.insert(body, 1, "if " .. n .. " <= 0 then return " .. acc .. " end")
  local again = name .. "(" .. n .. " - 1, " .. step .. ")"
  body[#body + 1] = "return " .. scope.rng:pick
    {again, "int(" .. again .. ", 0) + 1",
    "(" .. again .. ")"}
  return {{"local function " .. name .. "(" .. n .. ", " .. acc .. ")", body,
    "end"},
    "P('recursion', " .. name .. "(" .. scope.rng:int(1, 6) .. ", "
      .. Expression.integer(scope, 2) .. "))"}
end

-- Functions made in a loop, each with its own variables.
local function closures(scope)
  local list, i, v = scope:fresh "fs", scope:fresh "i", scope:fresh "v"
  local body, inner
  scope:times(3, function()
    body = Statement.block(scope, 1, function()
      scope:declare(i, "integer")
      scope:declare(v, "integer")
      scope:as_function(false, false, function()
        inner = Statement.block(scope, 1)
        inner[#inner + 1] = v .. " = " .. Expression.integer(scope, 2)
        inner[#inner + 1] = scope.rng:pick {i .. " = " .. i .. " + 1",
          "x = x + " .. v, "G.c = " .. i}
        inner[#inner + 1] = "return " .. v .. ", " .. i .. ", x"
      end)
    end)
  end)
  table.insert(body, 1, "local " .. v .. " = " .. i .. " * 10")
  body[#body + 1] = {list .. "[#" .. list .. " + 1] = function(x)", inner,
    "end"}
  if scope.rng:once_in(3) then
    body[#body + 1] = v .. " = " .. v .. " + 1"
  end
  scope:spend(8)
  return {"local " .. list .. " = {}",
    {"for " .. i .. " = 1, 3 do", body, "end"},
    {"for j = 1, 2 do", {{"for k, f in ipairs(" .. list .. ") do",
      {"P(k, f(j))"}, "end"}}, "end"}}
end

local function loaded_chunk(scope)
  scope:spend(4)
  local rng = scope.rng
  scope:push()
  local text
  scope:as_function(true, false, function()
    scope.stack, text = {{}}, scope.stack
    scope:declare("a", "integer")
    scope:declare("b", "integer")
    local e = Expression.integer(scope, 3)
    scope.stack, text = text, e
  end)
  scope:pop()
  if text:find "[VGYP]" or text:find "int%(" then return print_values(scope) end
  return {("P(load(%q, '=chunk')(%d, %d))"):format("local a, b = ... return "
    .. text, rng:int(-9, 9), rng:int(-9, 9))}
end

-- -- Errors ------------------------------------------------------------------

local function raise(scope)
  local what = scope.rng:pick {'"message"', '"message", 0', '"message", 2',
    Expression.any(scope, 1), "{code = " .. scope.rng:int(1, 9) .. "}", "nil"}
  return {"if " .. Expression.boolean(scope, 2) .. " then error(" .. what
    .. ") end"}
end

local WRONG = {"local t = nil; t.x = 1", "local t = {}; t.x.y = 1", "P(1 + {})",
  "P(#5)", "P('a' < 1)", "P({} .. 'x')", "P(1 // 0)", "P(1 % 0)", "P(1.5 | 1)",
  "local f = 5; f()", "G.nothing()", "G:nomethod()", "P('x' + 1)", "P(-{})",
  "for i = 1, 10, 0 do end", "for i = 'a', 2 do end", "string.rep()",
  "setmetatable(1, {})", "G[nil] = 1", "P(2^63 | 0)", "undefined_name.x = 1",
  "local a <close> = 5", "P(math.floor({}))", "P(('x'):bad())", "P(1 < 'x')",
  "P(nil > 1)", "P({} <= {})", "local s = 'x'; s.y.z = 1", "P(~1.5)",
  "error(setmetatable({}, {__tostring = function() return 'E' end}))"}

local function protected(scope)
  local body
  local rng = scope.rng
  scope:as_function(false, scope.coroutine, function()
    body = Statement.block(scope, size(scope))
    if rng:once_in(2) then
      table.insert(body, rng:int(1, #body + 1), "do " .. rng:pick(WRONG) ..
        " end")
    end
  end)
  scope:spend(10)
  local how = rng:weighted {4, "P('pcall', pcall(function()",
    1, "P('xpcall', xpcall(function()"}
  if how:find "xpcall" then
    return {{how, body,
      "end, function(m) return 'handled ' .. show(m, 0) end))"}}
  end
  return {{how, body, "end))"}}
end

local function closing(scope)
  local name = scope:fresh "c"
  local body = Statement.block(scope, size(scope))
  local fails = scope.rng:once_in(6) and ", true" or ""
  table.insert(body, scope.rng:int(1, #body + 1), "local " .. name
    .. " <close> = closer('" .. name .. "'" .. fails .. ")")
  scope:spend(3)
  return {{"do", body, "end"}}
end

-- -- Coroutines --------------------------------------------------------------

local function yield(scope)
  if not scope.coroutine then return print_values(scope) end
  local name = scope:fresh "y"
  local text = "local " .. name .. " = int(coroutine.yield("
    .. Expression.list(scope, 2) .. "), " .. scope.rng:int(0, 9) .. ")"
  scope:declare(name, "integer")
  return {text}
end

-- A body that may yield, and contains at least one yield.
local function coroutine_function(scope, head, tail)
  local names, kinds = {scope:fresh "p", scope:fresh "p"}, {"any", "any"}
  local s, cost = function_parts(scope, head, names, kinds, "integer", false,
    true)
  table.insert(s[2], scope.rng:int(1, #s[2]), "coroutine.yield("
    .. scope.rng:int(1, 99) .. ", " .. names[1] .. ")")
  s[#s] = tail
  return s, cost
end

local function coroutine_resumed(scope)
  local co = scope:fresh "co"
  local s, cost = coroutine_function(scope, "local " .. co
    .. " = coroutine.create(function", "end)")
  if not scope:affords(cost) then return print_values(scope) end
  scope:spend(cost + 10)
  local last = scope.rng:pick {"P(coroutine.status(" .. co .. "))",
    "P(coroutine.close(" .. co .. "))",
    "P(coroutine.status(" .. co .. "), coroutine.resume(" .. co .. ", 1))"}
  return {s, {"for j = 1, " .. scope.rng:int(2, 5) .. " do",
    {"P(j, coroutine.resume(" .. co .. ", j, " .. Expression.any(scope, 1) ..
      "))"},
    "end"}, last}
end

local function coroutine_wrapped(scope)
  local co = scope:fresh "co"
  local s, cost = coroutine_function(scope, "local " .. co
    .. " = coroutine.wrap(function", "end)")
  if not scope:affords(cost) then return print_values(scope) end
  scope:spend(cost + 10)
  return {s, {"for j = 1, 3 do", {"P(pcall(" .. co .. ", j, j * j))"}, "end"}}
end

local function scenario(scope)
  scope:spend(30)
  return {{"do", scope.rng:weighted(Scenario.all)(scope), "end"}}
end

-- -- Choosing ----------------------------------------------------------------

local SIMPLE = {5, print_values, 6, declare, 3, declare_several, 5, assign,
  3, assign_several, 4, change_table, 2, print_variables, 1, raise, 2, yield}
local COMPOUND = {4, if_statement, 1, do_block, 4, numeric_for, 3, generic_for,
  1, for_pairs, 2, while_loop, 2, repeat_loop, 1, goto_loop,
  4, function_statement, 2, recursion, 3, closures, 1, loaded_chunk,
  3, protected, 2, closing, 2, coroutine_resumed, 1, coroutine_wrapped,
  1, collect, 1, weak, 5, scenario}

function Statement.any(scope)
  scope:spend()
  local deep = scope.depth >= 6 or scope.functions >= 4 or not scope:affords(40)
  if deep or scope.rng:once_in(2) then
    return scope.rng:weighted(SIMPLE)(scope)
  end
  return scope.rng:weighted(COMPOUND)(scope)
end

return Statement
