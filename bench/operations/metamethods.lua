-- SPDX-License-Identifier: MIT
-- Metamethods: of operators, of access, of calls.

local op = ...

local M = "local M = {} M.__index = M local function new(v) return setmetatable({ v = v }, M) end " ..
  "local a, b, x = new(1), new(2) "
local methods = {
  { "add", "+" }, { "sub", "-" }, { "mul", "*" }, { "div", "/" }, { "mod", "%" },
  { "pow", "^" }, { "idiv", "//" }, { "band", "&" }, { "bor", "|" }, { "bxor", "~" },
  { "shl", "<<" }, { "shr", ">>" }, { "concat", ".." },
}
for _, method in ipairs(methods) do
  op("__" .. method[1], M .. ("M.__%s = function(p, q) return p end"):format(method[1]),
     ("x = a %s b"):format(method[2]))
end
op("__add, a number on the left", M .. "M.__add = function(p, q) return q end", "x = 1 + a")
op("__add, a constant on the right", M .. "M.__add = function(p, q) return p end", "x = a + 1")
op("__add that makes an object", M .. "M.__add = function(p, q) return new(p.v + q.v) end", "x = a + b")
op("__concat with a string", M .. "M.__concat = function(p, q) return 's' end", "x = a .. 'x'")
op("__concat of four", M .. "M.__concat = function(p, q) return 's' end", "x = 'p' .. a .. 'q' .. 'r'")
op("__unm", M .. "M.__unm = function(p) return p end", "x = -a")
op("__bnot", M .. "M.__bnot = function(p) return p end", "x = ~a")
op("__len", M .. "M.__len = function(p) return 5 end", "x = #a")
op("__eq", M .. "M.__eq = function(p, q) return true end", "x = a == b")
op("__eq, the same object", M .. "M.__eq = function(p, q) return true end", "x = a == a")
op("__eq that is not there", M, "x = a == b")
op("__eq of fields", M .. "M.__eq = function(p, q) return p.v == q.v end", "x = a ~= b")
op("__lt", M .. "M.__lt = function(p, q) return p.v < q.v end", "x = a < b")
op("__le", M .. "M.__le = function(p, q) return p.v <= q.v end", "x = a <= b")
op("__lt in a condition", M .. "M.__lt = function(p, q) return true end local n = 0", "if a < b then n = n + 1 end")
op("__call", M .. "M.__call = function(self, p) return p end", "x = a(1)")
op("__call of __call", M .. "M.__call = setmetatable({}, { __call = function(s, o, p) return p end })", "x = a(1)")
op("__tostring", M .. "M.__tostring = function(p) return 'obj' end", "x = tostring(a)")
op("__name", M .. "M.__name = 'thing'", "x = tostring(a)")
op("__pairs", M .. "M.__pairs = function(p) return next, p, nil end", "for k, v in pairs(a) do x = v end")
op("__close", "local mt = { __close = function() end } local o = setmetatable({}, mt)", "local c <close> = o")
op("__close, a new object", "local mt = { __close = function() end }", "local c <close> = setmetatable({}, mt)")
op("__close in a function", "local o = setmetatable({}, { __close = function() end }) local function f() local c <close> = o return 1 end", "f()")
op("__close, three of them", "local o = setmetatable({}, { __close = function() end })",
   "local c <close> = o; local d <close> = o; local e <close> = o")
op("__close after an error", "local o = setmetatable({}, { __close = function() end }) local function f() local c <close> = o error(o) end", "pcall(f)")
op("__metatable", "local o = setmetatable({}, { __metatable = 'locked' }) local x", "x = getmetatable(o)")
op("__gc, objects with a finalizer", "local mt = { __gc = function() end }", "setmetatable({}, mt)")

op("__index, a table", "local o, x = setmetatable({}, { __index = { v = 1 } })", "x = o.v")
op("__index, a table, by variable", "local o, k, x = setmetatable({}, { __index = { v = 1 } }), 'v'", "x = o[k]")
op("__index, a table, an integer", "local o, x = setmetatable({}, { __index = { 1, 2, 3 } })", "x = o[2]")
op("__index, a function", "local o, x = setmetatable({}, { __index = function(t, k) return k end })", "x = o.v")
op("__index, a function, an integer", "local o, x = setmetatable({}, { __index = function(t, k) return k end })", "x = o[i]")
op("__index, a function, by variable", "local o, k, x = setmetatable({}, { __index = function(t, k) return k end }), 'v'", "x = o[k]")
op("__index, a C function", "local o, x = setmetatable({}, { __index = rawget })", "x = o.v")
for _, n in ipairs { 2, 5, 10, 20 } do
  local chain = ("local o = { v = 1 } for j = 1, %d do o = setmetatable({}, { __index = o }) end local k, x = 'v' "):format(n)
  op("__index, a chain of " .. n, chain, "x = o.v")
  op("__index, a chain of " .. n .. ", by variable", chain, "x = o[k]")
  op("__index, a chain of " .. n .. ", not there", chain, "x = o.zz")
end
op("__index, a function at the end of five", "local o = setmetatable({}, { __index = function(t, k) return k end }) " ..
   "for j = 1, 5 do o = setmetatable({}, { __index = o }) end local x", "x = o.v")
op("__newindex, a function", "local o = setmetatable({}, { __newindex = function(t, k, v) end })", "o.v = i")
op("__newindex, a function, an integer", "local o = setmetatable({}, { __newindex = function(t, k, v) end })", "o[i] = i")
op("__newindex, a function with rawset", "local o = setmetatable({}, { __newindex = function(t, k, v) rawset(t, k, v) end })",
   "o.v = i; o.v = nil")
op("__newindex, a table", "local s = {} local o = setmetatable({}, { __newindex = s })", "o.v = i")
op("__newindex, a table, an integer", "local s = { 1, 2, 3 } local o = setmetatable({}, { __newindex = s })", "o[2] = i")
op("__newindex, a table, by variable", "local s, k = {}, 'v' local o = setmetatable({}, { __newindex = s })", "o[k] = i")
op("__newindex, a chain of 5", "local o = {} for j = 1, 5 do o = setmetatable({}, { __newindex = o }) end", "o.v = i")
op("__newindex, a C function", "local o = setmetatable({}, { __newindex = rawset })", "o.v = i; rawset(o, 'v', nil)")
op("__newindex, a key that is there", "local o = setmetatable({ v = 1 }, { __newindex = function() end })", "o.v = i")
op("a write with a metatable without __newindex", "local o = setmetatable({}, { __index = {} })", "o.v = i; o.v = nil")
op("an element with a metatable", "local o = setmetatable({ 1, 2, 3 }, {})", "o[2] = i")
op("append with a metatable", "local mt = { __index = {} }", "local o = setmetatable({}, mt) for j = 1, 20 do o[j] = j end")
op("a proxy, read", "local s = { v = 1 } local o, x = setmetatable({}, { __index = function(t, k) return s[k] end })", "x = o.v")
op("a proxy, written", "local s = { v = 1 } local o = setmetatable({}, { __newindex = function(t, k, v) s[k] = v end })", "o.v = i")
op("a proxy, read and written", "local s = { v = 1 } local o = setmetatable({}, { __index = s, __newindex = s })", "o.v = o.v + 1")
op("a default value", "local o, x = setmetatable({}, { __index = function() return 0 end })", "x = o[i]")
op("memoized by __index", "local o, x = setmetatable({}, { __index = function(t, k) local v = k * 2 t[k] = v return v end })", "x = o[i & 255]")
op("read only", "local o = setmetatable({}, { __index = { v = 1 }, __newindex = function() error('no') end }) local x", "x = o.v")
op("strict globals", "local e = setmetatable({ v = 1 }, { __index = function(t, k) error(k) end }) local x", "x = e.v")
op("multiple inheritance", "local A, B = { f = 1 }, { g = 2 } local o, x = setmetatable({}, { __index = function(t, k) return A[k] or B[k] end })", "x = o.g")
op("setmetatable", "local mt, t = {}, {}", "setmetatable(t, mt)")
op("getmetatable", "local t, x = setmetatable({}, {})", "x = getmetatable(t)")
op("getmetatable of a string", "local x", "x = getmetatable('')")
op("rawget", "local t, x = { v = 1 }", "x = rawget(t, 'v')")
op("rawset", "local t = { v = 1 }", "rawset(t, 'v', i)")
op("rawequal", "local a, b, x = {}, {}", "x = rawequal(a, b)")
op("rawlen", "local t, x = { 1, 2 }", "x = rawlen(t)")
op("vectors", [[local V = {} V.__index = V
   local function vec(x, y) return setmetatable({ x = x, y = y }, V) end
   V.__add = function(a, b) return vec(a.x + b.x, a.y + b.y) end
   V.__mul = function(a, s) return vec(a.x * s, a.y * s) end
   local p, v = vec(0, 0), vec(1, 2)]], "p = p + v * 0.5")
op("complex numbers", [[local C = {} C.__index = C
   local function new(r, j) return setmetatable({ r = r, j = j }, C) end
   C.__mul = function(a, b) return new(a.r * b.r - a.j * b.j, a.r * b.j + a.j * b.r) end
   C.__eq = function(a, b) return a.r == b.r and a.j == b.j end
   local p, q = new(1, 0), new(0, 1)]], "p = p * q; if p == q then p = q end")
