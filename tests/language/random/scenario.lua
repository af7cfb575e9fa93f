-- SPDX-License-Identifier: MIT
--
-- scenario.lua -- statements of a known shape with random pieces
--
-- Combinations that free generation seldom builds: inheritance, many locals and
-- constants, shared upvalues, values through varargs, nested coroutines, errors
-- while leaving a block. Each function returns a list of statements
-- (statement.lua).

local Control = require "control"
local Expression = require "expression"
local Library = require "library"
local Meta = require "meta"

local Scenario = {}

local function integer(scope) return Expression.item(scope, 2) end
local function any(scope) return Expression.any(scope, 2) end

-- More registers than usual, and an expression over them.
local function many_locals(scope)
  local lines, names, count = {}, {}, scope.rng:int(20, 150)
  for i = 1, count do
    lines[i] = ("local l%d = %d"):format(i, scope.rng:int(-99, 99))
  end
  for i = 1, scope.rng:int(3, 40) do names[i] = "l" .. scope.rng:int(1, count)
  end
  lines[#lines + 1] = "P('locals', " .. table.concat(names, " + ") .. ")"
  lines[#lines + 1] = "P(" .. table.concat(names, ", ", 1, 3) .. ")"
  lines[#lines + 1] = ("local function up() l1 = l1 + l%d return l1, l%d end")
    :format(count, count // 2)
  lines[#lines + 1] = "P(up()) P(up(), l1)"
  return {{"do", lines, "end"}}
end

-- Constants whose indices do not fit into a byte.
local function many_constants(scope)
  local lines, rng = {"local s, t = 0, {}"}, scope.rng
  for i = 1, rng:int(100, 150) do
    lines[#lines + 1] = rng:pick {("s = s + %d.5"):format(i),
      ("t.k%d = %d.25"):format(i, i), ("t['q%d'] = 'v%d'"):format(i, i),
      ("if s == %d.125 then s = -1 end"):format(i),
      ("t[%d] = t.k%d"):format(i * 1000, i), ("s = %d.75 - s"):format(i),
      ("t.f%d = function() return t.k%d, 'c%d' end"):format(i, i, i)}
  end
  lines[#lines + 1] = "local n = 0 for _ in pairs(t) do n = n + 1 end"
  lines[#lines + 1] = "P('constants', s, n, t.k5, t.q7, t.f9 and t.f9())"
  scope:spend(150)
  return {{"do", lines, "end"}}
end

local function inheritance(scope)
  local rng = scope.rng
  local a, b = scope:fresh "A", scope:fresh "B"
  return {
    ("local %s = {kind = 'A', v = %s}"):format(a, integer(scope)),
    a .. ".__index = " .. a,
    {("function %s:value(x)"):format(a),
      {"self.count = (self.count or 0) + 1", "return self.v + x"}, "end"},
    ("function %s.make(v, mt) return setmetatable({v = v}, mt or %s) end")
      :format(a, a),
    ("local %s = setmetatable({kind = 'B'}, {__index = %s})"):format(b, a),
    b .. ".__index = " .. rng:pick {b, "function(t, k) return " .. b ..
      "[k] end"},
    {("function %s:value(x, ...)"):format(b),
      {("return %s.value(self, x) * 2, self.kind, ..."):format(a)}, "end"},
    {"for i = 1, 3 do", {
      ("local p, q = %s.make(i), %s.make(i * 10, %s)"):format(a, a, b),
      ("P(p:value(%s), q:value(i, p.kind, p.count))"):format(integer(scope)),
      "P(q:value(p:value(i)), q.count, q.none, rawget(q, 'v'))",
      "q.value = nil q.extra = i P(q.extra, q.kind)"}, "end"},
  }
end

local function varargs(scope)
  local f = scope:fresh "va"
  return {
    {"local function " .. f .. "(a, ...)", {
      "local n, x, y = select('#', ...), ...",
      "local t = {n, ...}",
      "local u = {..., n}",
      "P('varargs', a, n, x, y, #t, (select(-1, n, ...)))",
      ("if n > %d then return n end"):format(scope.rng:int(2, 4)),
      ("return %s(x, a, %s, ...)"):format(f, any(scope))}, "end"},
    ("P(%s(%s))"):format(f, Expression.list(scope, 2)),
    ("P((%s(%s, %s)), %s())"):format(f, any(scope), Expression.list(scope, 2),
      f),
    ("P(#{%s(1, 2, 3), %s(4)}, {%s(%s), k = 1})"):format(f, f, f, any(scope)),
    ("P(pcall(%s, table.unpack({1, nil, 3}, 1, %d)))"):format(f,
      scope.rng:int(0, 3)),
  }
end

-- Two closures over the same variables, one of them in a coroutine.
local function shared_upvalues(scope)
  local v = scope:fresh "sh"
  return {{"do", {
    ("local %s, other = %s, %s"):format(v, integer(scope), integer(scope)),
    ("local function get() return %s, other end"):format(v),
    ("local function set(x) %s, other = other, x return get() end"):format(v),
    {"local co = coroutine.wrap(function(x)", {{"while true do", {
      ("%s = %s + int(x, 1)"):format(v, v),
      "x = coroutine.yield(get())"}, "end"}}, "end)"},
    {"for i = 1, 3 do", {
      ("P(co(i), set(%s))"):format(integer(scope)),
      ("local function inner() %s = %s ~ i return function() return %s, i end "
        .. "end")
        :format(v, v, v),
      "P(inner()(), get())"}, "end"}}, "end"}}
end

local function nested_coroutines(scope)
  local rng = scope.rng
  local body = {
    "local r <close> = closer('inner')",
    ("local x = coroutine.yield(%s)"):format(any(scope)),
    rng:pick {"error('inside')", "return x", "coroutine.yield(pcall(error, x))",
      "error({x})", "return coroutine.yield(coroutine.yield(x))"}}
  return {{"do", {
    {"local outer = coroutine.wrap(function(...)", {
      "local a <close> = closer('outer')",
      {"local inner = coroutine.create(function(...)", body, "end)"},
      {"for i = 1, " .. rng:int(1, 3) .. " do",
        {"coroutine.yield(coroutine.resume(inner, i, ...))"}, "end"},
      "P(coroutine.status(inner), coroutine.close(inner))",
      "return coroutine.isyieldable()"}, "end)"},
    {"for i = 1, 5 do", {
      ("P('nested', pcall(outer, i, %s))"):format(any(scope))}, "end"}}, "end"}}
end

-- Errors that happen while another error is handled.
local function error_chain(scope)
  local rng = scope.rng
  local function thrown()
    return rng:pick {"error('one')", "error('two', 0)", "error({3})", "error()",
      "error('four', 2)", "local z = nil + 1", "local z = G.none.x", "return 5"}
  end
  return {
    {"P('chain', pcall(function()", {
      "local a <close> = closer('a'" .. rng:pick {"", ", true"} .. ")",
      {"local ok, e = pcall(function()", {
        "local b <close> = closer('b'" .. rng:pick {"", ", true"} .. ")",
        "do " .. thrown() .. " end"}, "end)"},
      "P(ok, e)",
      "do " .. thrown() .. " end"}, "end))"},
    ("P(xpcall(function() %s end, function(m) %s end))"):format(thrown(),
      rng:pick {"return show(m, 0)", "return m, 2", "error(m, 0)",
        "return select('#', m)"}),
    ("P(select('#', pcall(error)), pcall(pcall, error, %s))")
      :format(any(scope)),
  }
end

-- The collector is stopped, so that no step interferes.
local function finalizers(scope)
  scope:spend(40)
  return {"collectgarbage('stop')",
    {";(function()", {{"for i = 1, " .. scope.rng:int(1, 4) .. " do", {
      "local o = setmetatable({i}, {__gc = function(o) P('gc', o[1], i) end})",
      scope.rng:pick {"o.self = o", "o.list = {o, {o}}",
        "o.f = function() return o end"},
    }, "end"}}, "end)()"},
    "collectgarbage()", "collectgarbage('restart')"}
end

local function string_building(scope)
  local name = scope:fresh "b"
  return {"local " .. name .. " = {}",
    {("for w in (%s):gmatch(%s) do"):format(Expression.string(scope, 2),
      scope.rng:pick {'"%w+"', '"."', '"%a"', '"[^,]*"'}), {
      ("if #%s > 9 then break end"):format(name),
      ("%s[#%s + 1] = w:upper() .. #w .. %s"):format(name, name,
        Expression.integer(scope, 1))}, "end"},
    ("P(table.concat(%s, '|'), #%s)"):format(name, name),
    ("P(#%s .. 'a' .. 1.5 .. %s .. 2 .. 'b' .. x1 .. '', 1 .. 2)"):format(name,
      Expression.string(scope, 1))}
end

-- Equal keys that look different.
local function keys(scope)
  local t = scope:fresh "t"
  return {("local %s = {[1] = 'a', [2.0] = 'b', [2^53] = 'c', ['1'] = 'd'}")
      :format(t),
    ("%s[%s] = 'e'"):format(t, integer(scope)),
    ("%s[%s + 0.0] = 'f'"):format(t, integer(scope)),
    ("P(%s[1.0], %s[2], %s[1 << 53], %s['1'], %s[1.5], #%s >= 2)")
      :format(t, t, t, t, t, t),
    ("for i = 1, 20 do %s[i * i] = i %s['k' .. i] = i if i %% 3 == 0 then "
      .. "%s[i] = nil end end"):format(t, t, t),
    ("local n, s = 0, 0 for k, v in next, %s do n = n + 1 s = s ~ int(v, 1) "
      .. "end")
      :format(t),
    "P(n, s)",
    ("for k in pairs(%s) do %s[k] = nil end P(next(%s))"):format(t, t, t)}
end

-- Loops that are left through several levels at once.
local function nested_loops(scope)
  local rng = scope.rng
  scope.labels = scope.labels + 1
  local out = "out" .. scope.labels
  return {{"do", {
    {"for i = 1, 4 do", {
      {"for j = i, 4 do", {
        "local c = i * j",
        ("local f = function() c = c + %s return c end"):format(integer(scope)),
        ("if f() %% 7 == %d then goto %s end"):format(rng:int(0, 6), out),
        ("while c > %d do c = c // 2 if c %% 5 == 1 then break end end")
          :format(rng:int(1, 50)),
        "P(i, j, c)"}, "end"},
      ("repeat local z = i * 2 local g = function() return z end "
        .. "until g() > %d or z > 0")
        :format(rng:int(0, 9))}, "end"},
    "::" .. out .. "::"}, "end"}}
end

-- Which operands are evaluated, and in what order.
local function side_effects(scope)
  local f = scope:fresh "e"
  return {("local %s = function(n, v) P('eval', n) return v end"):format(f),
    ("P(%s(1, %s) and %s(2, %s) or %s(3, %s))"):format(f,
      Expression.boolean(scope, 1), f, any(scope), f, any(scope)),
    ("local t = {%s(4, 1), x = %s(5, 2), [%s(6, 'k')] = %s(7, 3), %s(8, 4)}")
      :format(f, f, f, f, f),
    ("t[%s(9, 1)], t.y = %s(10, 5), %s(11, 6)"):format(f, f, f),
    ("P(t, %s(12, 1) + %s(13, 2) * %s(14, 3), %s(15, 'a') .. %s(16, 'b'))")
      :format(f, f, f, f, f),
    ("P(not %s(17, %s), %s(18, 1) < %s(19, 2), %s(20, 1) >= %s(21, 2))")
      :format(f,
      Expression.boolean(scope, 1), f, f, f, f),
    ("if %s(22, %s) and %s(23, %s) then P('both') else P('not both') end")
      :format(f, Expression.boolean(scope, 1), f, Expression.boolean(scope, 1))}
end

Scenario.all = {1, many_locals, 1, many_constants, 2, inheritance, 2, varargs,
  2, shared_upvalues, 2, nested_coroutines, 3, error_chain, 1, finalizers,
  2, string_building, 1, keys, 2, nested_loops, 1, side_effects,
  5, Library.calls, 1, Library.ranges, 4, Meta.operations, 2, Control.limits,
  3, Control.leaving, 2, Control.syntax, 2, Control.adjusting}

return Scenario
