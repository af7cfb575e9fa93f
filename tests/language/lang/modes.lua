-- SPDX-License-Identifier: MIT
--
-- The same code plain, with hooks, and on a budget.  The interpreter has a loop
-- for budgets and slow ways for hooks; results and messages must not differ.
-- tests/language/differential compares plain programs with lua5.4.

local sandbox = require "penumbra.sandbox"
local nan, inf = 0 / 0, math.huge

local function text(...)
  local out = {}
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    local number = math.type(v)
    out[i] = number == "float" and v ~= v and "nan" or number and number .. v
             or (type(v) == "string" or type(v) == "boolean") and tostring(v)
             or type(v)
  end
  return table.concat(out, ",")
end

local head = "local a, b, id = ... local ok, x, y, z "
local function plain(code, a, b)
  return text(select(2, pcall(load(head .. code, "=f"), a, b)))
end

local function hooked(mask, count)
  return function(code, a, b)
    local f = load(head .. code, "=f")
    debug.sethook(function() end, mask, count)
    local result = table.pack(pcall(f, a, b))
    debug.sethook()
    return text(table.unpack(result, 2, result.n))
  end
end

local function boxed(code, a, b)
  local box = sandbox.new {units = 1000000}
  local result = table.pack(box:run(head .. code, "=f", a, b))
  if result[1] then return text(table.unpack(result, 2, result.n)) end
  return (text(result[2]):gsub("\nstack traceback:.*", ""))
end

local ways = {boxed, hooked("l"), hooked("cr"), hooked("", 1)}
local count, wrong = 0, 0
local function check(code, make_a, make_b)
  local expected = plain(code, make_a and make_a(), make_b and make_b())
  for i, way in ipairs(ways) do
    local got = way(code, make_a and make_a(), make_b and make_b())
    count = count + 1
    if got ~= expected then
      wrong = wrong + 1
      print(i, code, expected, got)
    end
  end
end

local function value(v) return function() return v end end

---------------------------------------------------------------- operators

local meta = {}
for _, event in ipairs {"add", "sub", "mul", "div", "idiv", "mod", "pow", "band",
                        "bor", "bxor", "shl", "shr", "concat", "unm", "bnot",
                        "len", "eq", "lt", "le"} do
  meta["__" .. event] = function(p, q)
    return event .. type(p) .. type(q)
  end
end
local object = setmetatable({}, meta)
local operands = {0, 1, -1, 3, 7.5, -0.0, 2.0, 2.0^53, math.maxinteger,
                  math.mininteger, 1e300, nan, inf, "10", "0x10", "abc", true,
                  {}, object}
local operators = {"+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>",
                   ".."}
local others = {"b", "3", "2", "-1", "0", "1", "0.5", "2.0", "'4'", "200", "1e300"}
for _, operator in ipairs(operators) do
  for _, other in ipairs(others) do
    local left = "return a " .. operator .. " " .. other
    local right = "return " .. other .. " " .. operator .. " a"
    for i, operand in ipairs(operands) do
      local b = value(operands[(i * 7 + #other) % #operands + 1])
      check(left, value(operand), b)
      check(right, value(operand), b)
    end
    check(left, nil, value(1))
  end
end
for _, code in ipairs {"return -a", "return ~a", "return #a", "return not a",
                       "return a .. a .. a", "return a .. 1 .. a .. 'x' .. 2.5",
                       "x = a x = x + 1 return x", "for i = a, a do return i end",
                       "for i = 1, a do return i end", "y = 0 for i = a, 3 do x = i y = y + 1 if y > 4 then break end end return x",
                       "for i = 1, 3, a do return i end", "for i = 1, a do if i > 3 then return i end end", "y = 0 for i = 3, a, -1 do x = i y = y + 1 if y > 4 then break end end return x"} do
  for _, operand in ipairs(operands) do check(code, value(operand)) end
  check(code)
end

---------------------------------------------------------------- fields

local function seven() return 7 end
local objects = {
  value(nil), value(5), value("text"), value(true), value(type),
  function() return {} end,
  function() return {x = 5} end,
  function() return {x = seven, 1, 2, 3} end,
  function() return setmetatable({}, {}) end,
  function() return setmetatable({x = 1}, {__newindex = error}) end,
  function() return setmetatable({}, {__index = {x = 7, 8}}) end,
  function() return setmetatable({}, {__index = {x = seven}}) end,
  function() return setmetatable({}, {__index = function(_, k) return k end}) end,
  function() return setmetatable({}, {__index = setmetatable({}, {__index = {x = 9}})}) end,
  function() return setmetatable({}, {__index = 5}) end,
  function() return setmetatable({}, {__newindex = {}}) end,
  function() return setmetatable({}, {__newindex = setmetatable({}, {__newindex = rawset})}) end,
  function() return setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, {v}) end}) end,
  function() return setmetatable({}, {__newindex = "text"}) end,
  function() return setmetatable({x = 1, 2}, {__mode = "kv"}) end,
  function() return setmetatable({}, {__call = function(self, v) return v, 2, 3 end}) end,
  function() local t = {} for i = 1, 500 do t[i] = i t["k" .. i] = i end t.x = 1 return t end,
}
local keys = {value(1), value("x"), value(2.0), value(0.5), value(nan), value(nil),
              value(5001), value(true), value(("x"):rep(100)), value(-1)}
for _, make in ipairs(objects) do
  for _, code in ipairs {
    "for i = 1, 3 do x = a.x end return x", "for i = 1, 3 do x = a[1] end return x",
    "for i = 1, 3 do x = a[300] end return x", "for i = 1, 3 do a.x = i end return a.x",
    "for i = 1, 3 do a.x = 'c' end return a.x", "for i = 1, 3 do a[1] = i end return a[1]",
    "for i = 1, 3 do a[1] = 'c' end return a[1]", "for i = 1, 3 do a.x = nil end return a.x",
    "for i = 1, 3 do x = a:x() end return x", "return a:x(1, 2)", "return a:x(a:x())",
    "local function f() return a.x end for i = 1, 3 do x = f() end return x",
    "local function f(v) a.x = v return a.x end for i = 1, 3 do x = f(i) end return x",
    "local function f() a.x = 'c' return a.x end for i = 1, 3 do x = f() end return x",
    "local function f() a[1] = 'c' return a[1] end for i = 1, 3 do x = f() end return x",
    "local function f(k) return a[k] end for i = 1, 3 do x = f(i) end return x",
    "local function f(k) a[k] = k return a[k] end for i = 1, 3 do x = f(i) end return x",
    "local _ENV = a for i = 1, 3 do y = x end return y", "local _ENV = a for i = 1, 3 do x = i end return x",
    "local _ENV = a for i = 1, 3 do x = 'c' end return x", "local _ENV = a return x()",
    "local function f() local _ENV = a return x end for i = 1, 3 do y = f() end return y",
    "return a.x.y", "return a.x and a.x.y and a.x.y.z", "a.x.y = 1", "return #a", "return a == a, a ~= {}",
    "for i = 1, 3 do a[#a + 1] = i end return #a", "return a(1)", "local p, q, r, s = a(1) return p, q, r, s",
    "x = {a(1)} return #x", "x = {a(1), a(1)} return #x", "return (a(1))", "a(1) return 1",
    "for k in a, 1 do return k end", "local c <close> = a return 1", "return 'x' .. a",
  } do check(code, make) end
  for _, key in ipairs(keys) do
    for _, code in ipairs {
      "for i = 1, 3 do x = a[b] end return x", "for i = 1, 3 do a[b] = i end return a[b]",
      "for i = 1, 3 do a[b] = 'c' end return a[b]", "for i = 1, 3 do a[b] = nil end return a[b]",
      "local function f() a[b] = 1 return a[b] end for i = 1, 3 do x = f() end return x",
      "return a[b][b]", "return {[b] = a}", "local t = {} t[b] = a return t[b] == a",
    } do check(code, make, key) end
  end
end

---------------------------------------------------------------- calls

local functions = {
  type, tostring, select, rawequal, math.floor, string.rep, print and next, pcall,
  error, rawlen, ipairs, function(...) return ... end, function() end,
  function(p, q) return q, p end, function(...) return select("#", ...) end,
  setmetatable({}, {__call = function(self, ...) return ... end}),
  setmetatable({}, {__call = setmetatable({}, {__call = function() return 4 end})}),
  coroutine.wrap(function(...) while true do coroutine.yield(...) end end),
  coroutine.isyieldable, math.type, string.byte,
}
for _, f in ipairs(functions) do
  for _, argument in ipairs {value(3), value("text"), value(nil), value({1, 2})} do
    for _, code in ipairs {
      "return b(a)", "x = b(a) return x", "b(a) return 1", "x, y, z = b(a) return x, y, z",
      "return (b(a))", "return b(b(a))", "return b(a, b(a))", "x = {b(a)} return #x",
      "return b()", "return b(a, a, a)", "return 1, b(a)", "return b(a), 2",
      "x = {1, 2, b(a)} return #x", "for v in b, a do return v end return 0",
      "for u, v, w in b, a, nil do return u, v, w end return 0",
      "local function f(...) return b(...) end return f(a, a)",
      "local function f(...) x = b(...) return x end return f(a, a)",
      "local function f(n) if n > 0 then return f(n - 1) end return b(a) end return f(5)",
      "local function f(n) if n > 0 then local v = f(n - 1) return v end return (b(a)) end return f(5)",
      "return pcall(b, a)", "x = pcall(b, a) return x", "x, y = pcall(b, a) return x, y",
      "return select(2, pcall(b, a))", "return xpcall(b, tostring, a)",
      "do local c <close> = nil x = b(a) end return x", "local c <close> = nil return b(a)",
      "local u = a local function g() return u end return b(g())",
      "local co = coroutine.wrap(function(...) return coroutine.yield(b(...)) end) return co(a)",
      "local co = coroutine.wrap(function(...) x = coroutine.yield(...) return x end) co(a) return co(5)",
      "local co = coroutine.wrap(function(...) local p, q = coroutine.yield() return q end) co(a) return co(5)",
      "local co = coroutine.create(b) return coroutine.resume(co, a)",
      "local co = coroutine.create(b) x, y = coroutine.resume(co, a) return x, y",
      "local co = coroutine.create(function() coroutine.yield(1, 2) error('e', 0) end)" ..
        " coroutine.resume(co) return coroutine.resume(co)",
      "local co = coroutine.create(function() return coroutine.yield(a) end) coroutine.resume(co)" ..
        " return coroutine.close(co), coroutine.status(co)",
      "for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do x = v end return x",
      "return coroutine.wrap(function() return pcall(coroutine.yield, 1) end)()",
      "return coroutine.wrap(function() return (pcall(error)) end)()",
    } do check(code, argument, value(f)) end
  end
end
print(count > 40000, wrong)                       --> true 0
