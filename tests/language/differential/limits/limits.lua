-- SPDX-License-Identifier: MIT
-- Limits are errors: chains and recursion, nesting and sizes in the compiler,
-- results too large for strings, tables and the stack

local function try(name, f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 1, math.min(r.n, 300) do
    r[i] = tostring(r[i]):sub(1, 160):gsub("0x%x+", "ADDRESS")
  end
  print(name, r.n, table.concat(r, " | ", 1, math.min(r.n, 300)))
end

-- loops of tables
local a = {} ; setmetatable(a, {__index = a})
try("index loop", function() return a.x end)
local b = {} ; setmetatable(b, {__newindex = b})
try("newindex loop", function() b.x = 1 end)
local t = {} ; local last = t
for i = 1, 3000 do local n = {} ; setmetatable(last, {__index = n, __newindex =
  n}) last = n end
try("index chain 3000", function() return t.x end)
try("newindex chain 3000", function() t.x = 1 end)
try("rawlen", function() return #t end)
local t = {} ; local last = t
for i = 1, 1999 do local n = {} ; setmetatable(last, {__index = n, __newindex =
  n}) last = n end
try("index chain 1999", function() return t.x end)
try("newindex chain 1999", function() t.x = 1 end)
-- function recursion
local m = {}
m.__call = function(self, ...) return self(...) end
try("call rec (tail)", function() local n = 0; local mm = {}; mm.__call =
  function(self) n = n + 1 if n > 1000 then error("enough") end return self()
  end; return setmetatable({}, mm)() end)
m.__call = function(self, ...) local x = self(...) return x end
try("call rec", function() return setmetatable({}, m)() end)
local c = {} ; for i = 1, 20 do c = setmetatable({}, {__call = c}) end
try("call chain 20", function() return c() end)
local c = print ; for i = 1, 50 do c = setmetatable({}, {__call = c}) end
try("call chain 50 ", function() return c == nil end)
local c = function(...) return select('#', ...) end ; for i = 1, 100 do c =
  setmetatable({}, {__call = c}) end
try("call chain 100 ", c)
local c = function(...) return select('#', ...) end ; for i = 1, 100 do c =
  setmetatable({}, {__call = c}) end
try("call chain 100b ", function() return c() end)
local lc = setmetatable({}, {}) getmetatable(lc).__call = lc
m.__tostring = function(x) return tostring(x) end
try("tostring rec", function() return tostring(setmetatable({}, m)) end)
m.__tostring = nil
m.__close = nil
try("lua rec", function() local function f() return 1 + f() end return f() end)
try("pcall rec", function() local function f() return pcall(f) end return f()
  end)
try("xpcall rec", function() local function f() return xpcall(f, function(m)
  return "H:" .. tostring(m) end) end return f() end)
try("handler err", function() return xpcall(error, function(m) error(m) end,
  "x") end)
try("handler err2", function() return xpcall(error, function(m) local x = nil;
  return x.y end, "x") end)
try("handler overflow", function() local function h(m) return h(m) .. "" end
  return xpcall(error, h, "x") end)
try("sort rec", function() local function f() table.sort({3,2,1}, function(a,b)
  f() return a<b end) end f() end)
try("gsub rec", function() local function f() return (string.gsub("a", "a", f))
  end return f() end)
try("tostring meta", function() return tostring(setmetatable({}, {__tostring =
  function() return 1 end})) end)
try("name", function() return tostring(setmetatable({}, {__name = "N"})):match(
  "^N: ") end)
try("load rec", function() local function f() return load(f)() end return f()
  end)
try("coroutine rec", function() local function f() return coroutine.wrap(f)()
  end return f() end)
try("require rec", function() package.preload.x = function() return require "x"
  end return require "x" end)
try("close rec", function() local function f() local x <close> = setmetatable({
  }, {__close = function() f() end}) end f() end)
try("concat nested", load, "return " .. ("'a'.."):rep(300) .. "'a'")
try("parens", load, "return " .. ("("):rep(250) .. "1" .. (")"):rep(250))
try("parens 190", load, "return " .. ("("):rep(190) .. "1" .. (")"):rep(190))
try("braces", load, "return " .. ("{"):rep(250) .. "1" .. ("}"):rep(250))
try("functions", load, ("return function() "):rep(250) .. (" end"):rep(250))
try("unary", load, "return " .. ("-"):rep(250):gsub("%-%-", "- -") .. "1")
try("not", load, "return " .. ("not "):rep(250) .. "1")
try("pow", load, "return " .. ("1^"):rep(250) .. "1")
try("calls", load, "return " .. ("f("):rep(250) .. (")"):rep(250))
try("index", load, "return " .. ("a["):rep(250) .. "1" .. ("]"):rep(250))
try("do", load, ("do "):rep(250) .. ("end "):rep(250))
try("while", load, ("while x do "):rep(250) .. ("end "):rep(250))
try("if", load, ("if x then "):rep(250) .. ("end "):rep(250))
try("elseif", load, "if x then " .. ("elseif y then "):rep(1000) .. "end")
try("for", load, ("for i=1,2 do "):rep(100) .. ("end "):rep(100))
try("repeat", load, ("repeat "):rep(250) .. ("until x "):rep(250))
try("assign", load, ("a,"):rep(250) .. "a=1")
try("locals 200", load, "local " .. ("a,"):rep(199) .. "a")
try("locals 201", load, "local " .. ("a,"):rep(200) .. "a")
try("params 250", load, "local function f(" .. ("a,"):rep(250) .. "a) end")
local up = {} for i = 1, 150 do up[i] = "u" .. i end
local up2 = {} for i = 1, 150 do up2[i] = "v" .. i end
try("upvalues", load, "local " .. table.concat(up, ",") ..
  "\nlocal function f() local " .. table.concat(up2, ",") ..
  "\nreturn function() return " .. table.concat(up, "+") .. "+" .. table.concat
  (up2, "+") .. " end end")
try("upvalues2", load, "local " .. table.concat(up, ",") ..
  "\nlocal function f() local " .. table.concat(up2, ",") ..
  "\nreturn function() return function() return " .. table.concat(up, "+") ..
  "+" .. table.concat(up2, "+") .. " end end end")
try("args", load, "return f(" .. ("1,"):rep(300) .. "1)")
try("returns", load, "return " .. ("1,"):rep(300) .. "1")
try("registers", load, "local a = " .. ("{f("):rep(150) .. ("1)}"):rep(150))
try("expr regs", load, "local x = 1 return " .. ("(x..("):rep(90) .. "x" .. (
  "))"):rep(90))
try("goto", load, "goto x")
try("goto2", load, "do goto x local a ::x:: print(a) end")
try("break", load, "break")
try("label", load, "::x:: ::x::")
try("rep", string.rep, "x", 1 << 62)
try("rep2", string.rep, "xx", 1 << 62)
try("rep3", string.rep, "x", 1 << 40, "yyy")
try("rep5", string.rep, "x", -1)
try("unpack", table.unpack, {}, 1, 1e7)
try("unpack2", table.unpack, {}, 1, 1e8)
try("unpack3", table.unpack, {}, math.mininteger, math.maxinteger)
try("concat t", table.concat, {}, "x", 1, 3)
try("byte", string.byte, ("x"):rep(1e7), 1, -1)
try("char", function() return #string.char(table.unpack({}, 1, 0)) end)
try("format", string.format, "%" .. ("0"):rep(100) .. "d", 1)
try("format w", string.format, "%100d", 1)
try("format p", string.format, "%.100f", 1)
try("pattern complex", string.match, ("x"):rep(300000), ("(x"):rep(10))
try("pattern captures", string.match, "x", ("()"):rep(33))
try("balance", string.find, ("("):rep(1000), "%b()")
try("table.move2", table.move, {}, -1, math.maxinteger, 2)
try("table.insert", table.insert, {}, 5, 1)
try("select", select, -5, 1)
try("setmetatable", setmetatable, {}, 1)
try("string.pack", string.pack, "i17", 1)
try("string.pack2", string.pack, "!17i4", 1)
try("string.pack3", string.pack, "s1", ("x"):rep(300))
try("string.pack4", string.pack, "c2", "xxx")
try("packsize", string.packsize, "c" .. tostring(math.maxinteger))
try("packsize2", string.packsize, "c2147483647c2147483647")
try("packsize3", string.packsize, "s")
try("stack overflow msg", function() local function f() f() end f() end)
try("string coerce", function() return ("x"):rep(3) + 1 end)
try("unpack stack", function() return select("#", table.unpack({}, 1, 250000))
  end)
try("varargs", function() local function f(...) return select("#", ...) end
  return f(table.unpack({}, 1, 200000)) end)

-- runaway recursion through metamethods and through C functions
local runaway = setmetatable({}, {})
local other = setmetatable({}, getmetatable(runaway))
local meta = getmetatable(runaway)
local function overflow(name, f)
  local ok, message = pcall(f)
  print(name, ok, (tostring(message):match("[^\n]*"):sub(1, 120)))
end
for name, operation in string.gmatch([[
    __index return a.x ; __newindex a.x = 1 ; __add return a + 1
    ; __sub return 1 - a ; __mul return a * b ; __div return a / b
    ; __mod return a % b ; __pow return a ^ b ; __unm return -a
    ; __idiv return a // b ; __band return a & b ; __bor return a | b
    ; __bxor return a ~ b ; __shl return a << b ; __shr return a >> b
    ; __bnot return ~a ; __concat return a .. b ; __len return #a
    ; __eq return a == b ; __lt return a < b ; __le return a <= b
    ; __call return (a()) ]] .. "; ", "(__%a+)%s(.-)%s+;%s") do
  local f = load("local a, b = ... " .. operation, "=" .. name)
  meta[name] = function() return (f(runaway, other)) end
  overflow(name, meta[name])
  meta[name] = nil
end
meta.__tostring = function(a) return tostring(a) end
overflow("tostring", function() return tostring(runaway) end)
meta.__pairs = function(a) return pairs(a) end
overflow("pairs", function() return (pairs(runaway)) end)
local function gsub(s) return (s:gsub(".", gsub)) end
overflow("gsub", function() return gsub("a") end)
local function sort(x, y) table.sort({1, 2, 3}, sort) return x < y end
overflow("sort", function() return sort(1, 2) end)
local function protect() local ok, e = pcall(protect) return e end
overflow("pcall", function() return protect() end)
local function wrap() return (coroutine.wrap(wrap)()) end
overflow("wrap", wrap)
local function close() local c <close> = setmetatable({}, {__close = close}) end
overflow("close", close)
local function plain() return 1 + plain() end
overflow("Lua alone", plain)
