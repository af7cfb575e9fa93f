-- SPDX-License-Identifier: MIT
--
-- operations.lua -- every instruction that has machine code, on many values
--
-- Each function is executed first with one pair of operands, until it has
-- machine code for their types, and then with all pairs. It prints all results.
-- run.lua compares what the interpreter and machine code print.

local WARM = 35

local mt = {
  __add = function() return "add" end, __lt = function() return true end,
  __eq = function() return true end, __index = function(_, k) return k end,
  __len = function() return 7 end, __band = function() return "band" end,
}
local values = {
  0, 1, -1, 2, 3, 7, -8, 63, 64, -64, 255, 1 << 31, 1 << 53, (1 << 53) + 1,
  math.maxinteger, math.mininteger, math.mininteger + 1, 0.0, -0.0, 1.0, 0.5,
  -1.5, 2.0 ^ 53, 2.0 ^ 63, -(2.0 ^ 63), 1e308, 1 / 0, -1 / 0, 0 / 0, "10",
  "0x10", "x", ("long"):rep(20), true, false, {}, setmetatable({}, mt), print,
}
local NOTHING = {}
values[#values + 1] = NOTHING
-- The second operands are fewer.
local seconds = {0, 1, -1, 3, 64, math.mininteger, -0.0, 2.5, 0 / 0, "10", {}, NOTHING}

local function shown(v)
  if v ~= v then return "nan" end
  if type(v) == "table" then return getmetatable(v) == mt and "object" or "table" end
  if type(v) == "function" then return "function" end
  if type(v) == "number" then
    return math.type(v) == "float" and ("%a"):format(v) or ("%d"):format(v)
  end
  return tostring(v)
end

-- One line per function: a checksum, and with arguments all results.
local detailed = arg and arg[1] == "--all"
local count = 0

local function sum(text)
  local h = 5381
  text = text .. ("\n"):rep(8)
  for i = 1, #text - 8, 8 do
    local a, b, c, d, e, f, g, k = text:byte(i, i + 7)
    h = h * 33 ~ (a | b << 8 | c << 16 | d << 24 | e << 32 | f << 40 | g << 48 | k << 56)
  end
  return h
end

local function call(f, x, y)
  count = count + 1
  if x == NOTHING then x = nil end
  if y == NOTHING then y = nil end
  local ok, r = pcall(f, x, y)
  if not ok then r = tostring(r):gsub("0x%x+", "?") end
  return (ok and "" or "error ") .. shown(r)
end

local function try(source)
  local warm = {{1, 2}, {1.5, 2.5}, {{}, 1}, {"10", 2}}
  local results = {}
  for n, pair in ipairs(warm) do
    local f = assert(load(source, "=test"))()
    for _ = 1, WARM do call(f, pair[1], pair[2]) end
    for _, x in ipairs(values) do
      for _, y in ipairs(seconds) do
        local r = call(f, x, y)
        results[#results + 1] = r
        if detailed then print(n, source, shown(x), shown(y), r) end
      end
    end
  end
  print(source, #results, sum(table.concat(results, "\n")))
end

-- Two registers; the same register; a result in the register of an operand.
for _, op in ipairs {"+", "-", "*", "/", "%", "//", "^", "&", "|", "~", "<<", ">>"} do
  try(("return function(a, b) return a %s b end"):format(op))
  try(("return function(a, b) return a %s a end"):format(op))
  try(("return function(a, b) a = a %s b return a end"):format(op))
  try(("return function(a, b) b = a %s b return b end"):format(op))
  for _, k in ipairs {"1", "2", "-3", "100", "63", "64", "1000000", "4.0", "0.25", "3.5", "0"} do
    try(("return function(a, b) return a %s %s end"):format(op, k))
    try(("return function(a, b) return %s %s a end"):format(k, op))
  end
end
for _, op in ipairs {"-", "~", "not ", "#"} do
  try(("return function(a, b) return %sa end"):format(op))
  try(("return function(a, b) a = %sa return a end"):format(op))
end

-- Comparisons, both ways round, and their opposites.
for _, op in ipairs {"<", "<=", ">", ">=", "==", "~="} do
  try(("return function(a, b) if a %s b then return 1 end return 2 end"):format(op))
  try(("return function(a, b) if not (a %s b) then return 1 end return 2 end"):format(op))
  try(("return function(a, b) return a %s b end"):format(op))
  for _, k in ipairs {"0", "1", "-1", "2.0", "0.5", "9007199254740992", "'10'", "nil", "true"} do
    if k:find "^[-0-9]" or op == "==" or op == "~=" then
      try(("return function(a, b) if a %s %s then return 1 end return 2 end"):format(op, k))
      try(("return function(a, b) if %s %s a then return 1 end return 2 end"):format(k, op))
    end
  end
end
for _, e in ipairs {"a and b", "a or b", "not a and b", "(a or b) and 1", "a == nil and 3 or b"} do
  try(("return function(a, b) return %s end"):format(e))
  try(("return function(a, b) local r = %s if r then return r end return 0 end"):format(e))
end

-- Elements, fields and upvalues.
try "local t = {1, 2.5, 'x', false, {}} return function(a, b) return t[a] end"
try "local t = {1, 2.5, 'x', false, {}} return function(a, b) t[a] = b return t[a] end"
try "return function(a, b) local t = {1, 2, 3} t[2] = a t[a] = b return t[1], t[2], t[3] end"
try "return function(a, b) return a[1] end"
try "return function(a, b) a[1] = b return a[1] end"
try "return function(a, b) return a.x end"
try "return function(a, b) a.x = b local r = a.x a.x = nil return r end"
try "return function(a, b) local t = {x = 1} t.x = a t.y = b return t.x end"
try "local u return function(a, b) u = a return u end"
try "local u = 1 return function(a, b) u = u + 1 local r = u % 7 u = b or 1 if type(u) ~= 'number' then u = 2 end return r end"
try "X = 1 return function(a, b) X = a return X end"
try "local C = {m = function(s, v) return v end} C.__index = C local o = setmetatable({}, C) return function(a, b) return o:m(a) end"
try "local C = {m = 3} C.__index = C local o = setmetatable({}, C) return function(a, b) o.m = a local r = o.m o.m = nil return o.m, r end"

-- Keys that are no integers.
try "local t = {x = 1, ['10'] = 2.5} return function(a, b) return t[a] end"
try "local k = {} local t = {x = 1, [k] = 2.5, [print] = 'p', [1.5] = 3} return function(a, b) if b == 1 then a = k end return t[a] end"
try "local t = {x = 1} return function(a, b) if a == nil or a ~= a then a = 1 end t[a] = b return t[a] end"
try "local t = setmetatable({}, {__index = {x = 'i', ['10'] = 4}}) return function(a, b) return t[a] end"
try "local n = 0 local t = setmetatable({}, {__newindex = function() n = n + 1 end}) return function(a, b) t[a] = b return n end"
try "local k = {} return function(a, b) local t = {[k] = 1} t[k] = a local r = t[k] t[k] = nil t[k] = b return t[k] or r end"
try "local m = {} local t = setmetatable({}, m) return function(a, b) m.__index = nil local r = t.u m['__index'] = function() return 5 end return t.u, r end"
try "return function(a, b) return a == b, a == a end"
try "local m = {} local x, y = setmetatable({}, m), setmetatable({}, m) return function(a, b) m.__eq = nil local r = x == y m.__eq = a == 1 and function() return true end or nil return (x == y) == r end"
for _, m in ipairs {"len", "byte", "upper", "nothing"} do
  try(("return function(a, b) return a:%s() end"):format(m))
  try(("return function(a, b) return ('x'):%s(b) end"):format(m))
end
try "return function(a, b) string.own = function(s, x) return x end local r = ('x'):own(a) string.own = nil return r end"

-- New objects, and tables that grow.
for _, fields in ipairs {"", "a", "a, b", "a, b, a, b, a", "x = a", "x = 1, y = b", "a, x = b", "[1] = a, 2, b",
                         "{a}, {b}", "{x = a}, y = {b}", "a .. 'x'", "f = function() return a end"} do
  try(("return function(a, b) local t = {%s} return t[1] or t.x or t.y and 1 end"):format(fields))
  try(("return function(a, b) local t = {%s} t.x = b t.z = a t[1] = a t[2] = b t[3] = t.x return t.z or #t end"):format(fields))
end
try "return function(a, b) local t = {} for i = 1, 40 do t[i] = i t['k' .. i] = a end return #t + (t.k7 == a and 1 or 0) end"
try "return function(a, b) local t = {} for i = 1, 9 do t[i * 1000] = b t[-i] = i end return t[5000] or t[-3] end"
try "return function(a, b) local t = {} t[a] = 1 t[b] = 2 return t[a] end"
try "local m = {__newindex = function(t, k, v) rawset(t, k, v or 0) end} return function(a, b) local t = setmetatable({}, m) t.x = a t[1] = b t[a] = b return t.x end"
try "return function(a, b) return a .. b end"
try "return function(a, b) return a .. 'x' .. b .. 1 .. a end"
try "return function(a, b) local s = '' for i = 1, 30 do s = s .. i .. (i % 7 == 0 and a or '') end return s end"
try "return function(a, b) local f = {} for i = 1, 3 do local x = i f[i] = function() x = x + i return x, a, b end end f[2]() local x, y = f[2]() return y == a and x end"
try "local function v(...) local x, y, z = ... local p, q = y, (...) return p, q, z end return function(a, b) local x, y, z = v(a, b) if x == b then return y end return z end"
try "local function v(...) local t = {} for i = 1, 2 do local x, y = ... t[i] = x or y end return t[2] end return function(a, b) return (v(b, a)) end"

-- Generic loops.
for _, e in ipairs {"pairs(t)", "ipairs(t)", "next, t", "pairs(a)", "ipairs(a)", "next, t, b",
                    "a", "function(t, k) k = (k or 0) + 1 if k < 4 then return k, t[k], k end end, t"} do
  for _, vars in ipairs {"k", "k, v", "k, v, w"} do
    try(("local t = {5, 2.5, 'x', nil, {}, x = 1, y = 2} return function(a, b) local n, s = 0, 0 for %s in %s do n = n + 1 if v == 2.5 or k == 'x' then s = s + 1 end if w then s = s + w end end return s * 100 + n end"):format(vars, e))
  end
end
try "return function(a, b) local t = {} for i = 1, 20 do t[i] = i t['k' .. i] = i end local s = 0 for k, v in pairs(t) do s = s + v t[k] = nil end return s, next(t) end"
try "return function(a, b) local f = {} for k, v in ipairs {1, 2, 3} do f[k] = function() v = v + k return v end end return f[1]() + f[3]() + f[3]() end"
try "local t = setmetatable({1, 2}, {__index = function(_, i) if i < 5 then return i * 2 end end}) return function(a, b) local s = 0 for i, v in ipairs(t) do s = s + v end return s end"
try "local t = setmetatable({}, {__mode = 'k'}) for i = 1, 9 do t[i] = i end return function(a, b) local s = 0 for i, v in pairs(t) do s = s + v end return s end"

-- Calls, and library functions that machine code calls.
try "local function f(a) return a end return function(a, b) return (f(b)) end"
try "local function f(a) return a end return function(a, b) local x, y = f(a) return y end"
try "local function f(a) if a then return end return 1 end return function(a, b) local x = f(a) return x end"
try "local function f(a, b, c) return c end return function(a, b) local x = f(a, b) return x end"
try "local function f(...) return ... end return function(a, b) local x = f(a, b) return x end"

-- Tail calls and returns, with too few and too many values, of functions with
-- variable arguments too, and of functions that close variables.
for _, g in ipairs {"(a) return a", "(a, b) return b", "(a, b, c, d) return d or b", "() return",
                    "(a, ...) return ...", "(...) return (...)", "(a, b) return a, b, a",
                    "(a, b) local function c() return b end b = a return c()",
                    "(a, b) local function c() return b end return c, b",
                    "(a, ...) local function c() return a end return ..., c"} do
  for _, use in ipairs {"return g(a, b)", "local x = g(a, b) return x", "local x, y = g(a) return y",
                        "local x, y, z = g(a, b, 1, 2) return z", "g(a, b) return a",
                        "return (g(b))", "return g(g(a, b))", "local t = {g(a, b)} return t[2]"} do
    try(("local function g%s end return function(a, b) %s end"):format(g, use))
  end
end
try "local function even(n, odd) if n < 1 then return true end return odd(n - 1, even) end local function odd(n, even) if n < 1 then return false end return even(n - 1, odd) end return function(a, b) if math.type(a) ~= 'integer' or a > 300 then a = 9 end return even(a, odd) end"
try "return function(a, b) local function f(n) if n == 0 then return a end return f(n - 1) end return f(50) end"
for _, f in ipairs {"math.floor", "math.sqrt", "math.abs", "math.max", "math.fmod",
                    "math.tointeger", "math.ult", "rawlen", "rawequal", "string.byte",
                    "string.len", "type", "math.ceil", "math.log", "next", "rawget", "select",
                    "tonumber", "getmetatable", "math.type", "string.char", "string.lower", "string.rep",
                    "string.reverse", "string.sub", "string.upper", "table.concat", "table.remove",
                    "table.unpack", "utf8.char"} do
  try(("local f = %s return function(a, b) local x = f(a) return x end"):format(f))
  try(("local f = %s return function(a, b) local x, y = f(a, b) return y or x end"):format(f))
  try(("local f = %s local function g(a, b) return f(a, b) end return function(a, b) local x, y, z = g(a, b) return z or y or x end"):format(f))
  try(("local f = %s local function g(...) return f(...) end return function(a, b) return g(a, b) end"):format(f))
end
try "local function two(...) return ... end return function(a, b) local x = 1 local t = {two(two(a, b))} return t[2] end"
try "local mt = {__add = function(a, b) return select(2, a, b) end} local o = setmetatable({}, mt) return function(a, b) local r = o + a return r end"

-- Scopes that end: with captured variables, and with variables to be closed.
try "return function(a, b) local f = {} for i = 1, 3 do local x = i f[i] = function() x = x + 1 return x end x = x * 2 end return f[1]() + f[3]() + f[3]() end"
try "return function(a, b) local f local i = 0 repeat local x = {a} f = function() return x[1] end i = i + 1 until i > 2 return f() end"
try "return function(a, b) local n = 0 for i = 1, 3 do local f = function() n = n + i end local c <close> = setmetatable({}, {__close = f}) if i == 2 then goto next end n = n + 10 ::next:: end return n end"

try "return function(a, b) local t = {a} table.insert(t, b) table.insert(t, 1, 'first') return t[1] .. #t end"
try "return function(a, b) local t = setmetatable({}, {__index = function(_, k) return k end}) rawset(t, 1, a) return rawget(t, 1) == a and t.x end"
try "return function(a, b) local s = ('some words'):sub(2, 5) return tostring(a == b) .. s .. s:upper() .. s:rep(2) end"

-- Numeric loops at their limits.
for _, step in ipairs {"", ", 1", ", 2", ", -1", ", b", ", 0.5"} do
  try(("return function(a, b) local n = 0 for i = a, 5%s do n = n + 1 if n > 9 then break end end return n end"):format(step))
  try(("return function(a, b) local n = 0 for i = 1, a%s do n = n + 1 if n > 9 then break end end return n end"):format(step))
  try(("return function(a, b) local n, f = 0 for i = a, b%s do f = function() i = i + 1 end f() n = n + 1 i = i + 5 if n > 9 then break end end return n end"):format(step))
end

-- Straight code that is longer than a piece, with jumps to each place of it.
for length = 1, 40 do
  try(("return function(a, b) local s = 0 %s if s == 1 then s = 7 end %s return s end"):format(
    ("s = s + 1.5 "):rep(length), ("s = 2.5 - s "):rep(3)))
end
print("calls", count)
