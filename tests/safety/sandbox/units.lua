-- SPDX-License-Identifier: MIT
--
-- units.lua -- a unit of a budget never stands for much more time than another
--
--    units units.lua [--full] [--table] [--verbose] [--only text]
--
-- Every function of a sandbox, every operator and metamethod, and the compiler
-- run in endless loops, with arguments of many shapes and sizes. Each loop must
-- spend units for the time it takes:
--
--   rate     the time that a unit stands for, as a multiple of the time of a
--            unit in a plain loop of the same run, at most MOST_RATE
--   piece    the longest time between two checks of the budget that are one
--            window of 1024 units apart, at most MOST_PIECE
--
-- A script that is stopped by the clock has then run for at most a slice of
-- 8192 units and a piece too long.
--
-- Other programs disturb the caches and share the processor. So a row that fails
-- is measured up to six times, and if it still fails, up to six times more at
-- the end. Before each repetition the plain loop is measured again. If it is
-- slower than at its best, the machine is, and the row may be as much slower.
--
-- A loop that raises an error is measured again in a protected call. A row that
-- was not measured fails, and so does a function of the sandbox without a row.

local options = {}
for i, a in ipairs {...} do
  local name = a:match "^%-%-(%w+)"
  if name then options[name] = select(i + 1, ...) or true end
end

local MOST_RATE, MOST_PIECE = 24, 0.5e6
local TRIES = 6
local TIME, LOAD_TIME = 1e6, 2e7 -- a chunk is loaded up to its end, if it is not too long
local MOST_ELEMENTS = options.full and 3e5 or 2e4
local SIZES = options.full and {1, 10, 40, 100, 700, 5000, 30e3, 65e3, 300e3, 2e6, 8e6}
  or {1, 40, 700, 30e3, 2e6}

-- -- Arguments ---------------------------------------------------------------

-- Values by name, made for a size when a row mentions them.
local values = {
  n = "n",
  S = "('x'):rep(n)", -- strings
  S2 = "('x'):rep(n) .. 'y'",
  Sx = "('x'):rep(n - 1) .. 'y'",
  Z = "('\\0'):rep(n)",
  A = "('ab '):rep(n // 3 + 1)",
  U = "('\\u{20ac}'):rep(n // 3 + 1)",
  P = "('('):rep(n)",
  N = "('\\n'):rep(n)",
  Q = "('\"'):rep(n)",
  C = "('\\1'):rep(n)",
  D = "('1'):rep(n)", -- numerals
  W = "(' '):rep(n) .. '1'",
  E = "'0.' .. ('1'):rep(n)",
  X = "'0x' .. ('a'):rep(n)",
  Dz = "('0'):rep(n) .. '1'",
  De = "('1'):rep(n) .. 'e-' .. n",
  T = "array(n)", -- tables
  F = "array(n, 1.5)",
  TS = "array(n, 'xy')",
  TM = "array(math.min(n, 200000))",
  TD = "array(math.min(n, 200), ('1'):rep(n))",
  H = "names(n)",
  O = "holes(n)",
  EM = "emptied(n)",
  EH = "emptied_names(n)",
}

local function array(n, v)
  local t = {}
  for i = 1, math.min(n, MOST_ELEMENTS) do t[i] = v or i end
  return t
end
local function names(n)
  local t = {}
  for i = 1, math.min(n, MOST_ELEMENTS) do t["k" .. i] = i end
  return t
end
local function holes(n)
  local t = array(n)
  for i = 1, #t - 1, 2 do t[i] = nil end
  return t
end
local function emptied(n)
  local t = array(n)
  for i = 1, #t do t[i] = nil end
  return t
end
local function emptied_names(n)
  local t = names(n)
  for k in pairs(t) do t[k] = nil end
  return t
end
local making = {array = array, names = names, holes = holes, emptied = emptied,
                emptied_names = emptied_names, math = math, string = string, table = table,
                setmetatable = setmetatable, ipairs = ipairs, pairs = pairs, coroutine = coroutine,
                tostring = tostring, select = select, load = load, sandbox = sandbox}

local known = {} -- strings; tables are made again, because functions change them

local function value_of(name, n)
  local place = name .. " " .. n
  if known[place] then return known[place] end
  local value = assert(load("local n = ... return " .. values[name], name, "t", making))(n)
  if type(value) == "string" then known[place] = value end
  return value
end

-- -- Rows --------------------------------------------------------------------

-- S:rep(10) stops at 20 MB: after an allocation of 80 MB a step of the collector
-- takes up to 3 ms, as docs/sandbox.md says.
--
-- Each row is code that is repeated. A row that is a table has code that makes
-- its own values first, without a budget: {body, setup, largest size}.
local rows = {}

-- Functions that are given to sandboxes. They also get the rows of `any`.
local functions = {
  assert = {"assert(S)", "assert(false, S)"},
  error = {"error(S)", "error(S, 0)", "error(S, 2)", "error(T)"},
  collectgarbage = {"collectgarbage 'count'", "collectgarbage(S)"},
  getmetatable = {"getmetatable(S)", "getmetatable(T)"},
  setmetatable = {"setmetatable(T, T)", "setmetatable({}, {__index = T})", "setmetatable({}, H)"},
  ipairs = {"ipairs(T)", "for i in ipairs(T) do end"},
  pairs = {"pairs(T)", "for k in pairs(T) do end", "for k in pairs(H) do end",
           "for k in pairs(EM) do end", "for k in pairs(EH) do end",
           {"pairs(o)", "o = setmetatable({}, {__pairs = function(...) return ... end})"}},
  next = {"next(T)", "next(H)", "next(EM)", "next(EH)", "next(O)", "next(H, S)", "next({}, S)",
          {"next(t, k)", "k = ('x'):rep(n) t = {[k] = 1}"},
          {"next(t, k)", "k = ('x'):rep(n) t = {[('x'):rep(n)] = 1}"},
          {"next(t, k)", "k = 'k' .. n t = names(n) "}},
  load = {"load(S)", "load(A)", "load(D)", "load('return ' .. D)", "load(S, S)", "load('x', S)",
          "load('', '', S)", "load(S2, S, S2)", "load('x', '=' .. S)", "load('x', '@' .. S)", "load('error()', S)",
          {"f()", "f = sandbox.load('error(1)', ('x'):rep(n))"}, {"f()", "f = sandbox.load('error(1)', ('\\n'):rep(n))"}, "load('')", "load('x=')", "load(function() end)",
          {"local done; load(function() if not done then done = true return S end end)", "S = ('x = 1 '):rep(n // 6)"}},
  print = false, -- has no limit
  rawequal = {"rawequal(S, S .. '')", "rawequal(S, S2)", "rawequal(S, Sx)",
              {"rawequal(s, r)", "s, r = ('x'):rep(n), ('x'):rep(n)"}},
  rawget = {"rawget(T, 1)", "rawget(T, n)", "rawget(H, 'k1')", "rawget(H, S)", "rawget({}, S)",
            {"rawget(t, k)", "k = ('x'):rep(n) t = {[('x'):rep(n)] = 1}"},
            {"rawget(t, k)", "k = ('x'):rep(n) t = {[('x'):rep(n - 1) .. 'y'] = 1}"}},
  rawlen = {"rawlen(T)", "rawlen(S)", "rawlen(O)", "rawlen(EM)", "rawlen(H)",
            {"rawlen(t)", "t = {} for i = 1, 40 do t[1 << i] = i end t[1] = 1"}},
  rawset = {"rawset(T, 1, 1)", "rawset({}, S, 1)", "rawset(H, 'k1', S)",
            {"rawset(t, k, 2)", "k = ('x'):rep(n) t = {[('x'):rep(n)] = 1}"}},
  select = {"select(2, S)", "select(-1, S)", "select(D, 1)", "select(W, 1)", "select('#', S)",
            "local function f(...) return select('#', ...) end f(table.unpack(TM))",
            "local function f(...) return (select(2, ...)) end f(table.unpack(TM))",
            "local function f(...) return select(2, ...) end f(table.unpack(TM))"},
  tonumber = {"tonumber(S)", "tonumber(D)", "tonumber(W)", "tonumber(E)", "tonumber(X)",
              "tonumber(Dz)", "tonumber(De)", "tonumber(D, 2)", "tonumber(S, 36)", "tonumber(W, 36)",
              "tonumber('10', D)", "tonumber('10', W)", "tonumber(Z)",
              "tonumber(D .. '?', 36)", "tonumber(D .. A, 36)", "tonumber('z' .. N, 36)", "tonumber(Dz, 2)",
              {"tonumber(s)", "s = ('9'):rep(math.min(n, 790)) .. 'e-300'"},
              {"tonumber(s)", "s = '5e-324'"}, {"tonumber(s)", "s = '2.4703282292062327e-324'"},
              {"tonumber(s)", "s = '1e' .. ('9'):rep(n)"},
              {"tonumber(s)", "s = '0x1p' .. ('9'):rep(n)"},
              {"tonumber(s)", "s = '17976931348623158' .. ('0'):rep(n)"},
              {"tonumber(s)", "s = '0.' .. ('0'):rep(n) .. '1'"}},
  tostring = {"tostring(S)", "tostring(T)", "tostring(1)", "tostring(1.5)", "tostring(5e-324)",
              "tostring(1e308)", "tostring(0.1)", "tostring(2.2250738585072014e-308)",
              "tostring(-1.7976931348623157e308)", "tostring(math.mininteger)", "tostring(print)",
              {"tostring(o)", "o = setmetatable({}, {__name = ('x'):rep(n)})"},
              {"math.abs(o)", "o = setmetatable({}, {__name = ('x'):rep(n)})"}, {"('%5s'):format(o)", "o = setmetatable({}, {__name = ('x'):rep(n)})"},
              {"tostring(o)", "local s = ('x'):rep(n) o = setmetatable({}, {__tostring = function() return s end})"}},
  type = {"type(S)"},
  pcall = {"pcall(error, S)", "pcall(S)", "pcall(pcall, pcall, error)",
           "pcall(function() error(S) end)",
           {"pcall(o)", "local mt = {} o = setmetatable({}, mt) mt.__call = o"},
           {"pcall(o)", "o = print for i = 1, math.min(n, 3e4) do o = setmetatable({}, {__call = o}) end o = setmetatable({}, {__call = 1})"},
           {"pcall(o)", "o = type for i = 1, math.min(n, 3e4) do o = setmetatable({}, {__call = o}) end"},
           {"pcall(o, table.unpack(t))", "o = type for i = 1, math.min(n, 100) do o = setmetatable({}, {__call = o}) end t = array(math.min(n, 1e5))"},
           {"pcall(table.unpack(t))", "t = array(math.min(n, 2e5)) t[1] = type"}},
  xpcall = {"xpcall(error, type, S)", "xpcall(error, tostring, S)", "xpcall(S, type)",
            "xpcall(error, error, S)", "xpcall(error, function(m) return m .. m end, S)"},
  _G = false, _VERSION = false,
  ["coroutine.close"] = {"coroutine.close(coroutine.create(type))"},
  ["coroutine.create"] = {"coroutine.create(type)"},
  ["coroutine.isyieldable"] = {"coroutine.isyieldable()"},
  ["coroutine.resume"] = {"coroutine.resume(coroutine.create(type), S)",
    "coroutine.resume(coroutine.create(error), S)",
    "coroutine.resume(coroutine.create(function(...) return ... end), table.unpack(TM))",
    {"coroutine.resume(co, table.unpack(t))", "t = array(math.min(n, 1e5)) co = coroutine.create(function(...) while true do coroutine.yield(...) end end)"}},
  ["coroutine.running"] = {"coroutine.running()"},
  ["coroutine.status"] = {"coroutine.status(coroutine.create(type))"},
  ["coroutine.wrap"] = {"coroutine.wrap(type)(S)", "coroutine.wrap(error)(S)"},
  ["coroutine.yield"] = {"coroutine.wrap(function() coroutine.yield(S) end)()",
    "local f = coroutine.wrap(function(...) coroutine.yield(...) end) f(table.unpack(TM))"},
  ["math.abs"] = {"math.abs(D)", "math.abs(X)", "math.abs(W)"},
  ["math.acos"] = {"math.acos(0.3)", "math.acos(E)"},
  ["math.asin"] = {"math.asin(0.3)", "math.asin(5e-324)"},
  ["math.atan"] = {"math.atan(0.3, 1e300)", "math.atan(W, W)", "math.atan(5e-324, 5e-324)"},
  ["math.ceil"] = {"math.ceil(1.5)", "math.ceil(E)"},
  ["math.cos"] = {"math.cos(1e22)", "math.cos(1.7976931348623157e308)", "math.cos(1e5)", "math.cos(D)"},
  ["math.deg"] = {"math.deg(5e-324)", "math.deg(D)"},
  ["math.exp"] = {"math.exp(700.1)", "math.exp(-745)", "math.exp(E)"},
  ["math.floor"] = {"math.floor(1e300)", "math.floor(E)"},
  ["math.fmod"] = {"math.fmod(1.7976931348623157e308, 5e-324)", "math.fmod(1.7976931348623157e308, 2.3e-308)",
                   "math.fmod(1e308, 3.0)", "math.fmod(7, 3)", "math.fmod(D, D)", "math.fmod(1e17, 1.1)"},
  ["math.log"] = {"math.log(1e308, 10)", "math.log(1e308, 2)", "math.log(5e-324, 3)", "math.log(D, D)"},
  ["math.max"] = {"math.max(table.unpack(TM))", "math.max(D, W)", "math.max(table.unpack(TD))"},
  ["math.min"] = {"math.min(table.unpack(TM))", "math.min(table.unpack(TD))"},
  ["math.modf"] = {"math.modf(1e308)", "math.modf(5e-324)", "math.modf(E)"},
  ["math.rad"] = {"math.rad(5e-324)"},
  ["math.random"] = {"math.random()", "math.random(0)", "math.random(1, 3)", "math.random(D, D)",
    "math.random((1 << 62) + 1)", "math.random(math.mininteger, math.maxinteger - 1)"},
  ["math.sin"] = {"math.sin(1e22)", "math.sin(1.7976931348623157e308)", "math.sin(5e-324)"},
  ["math.sqrt"] = {"math.sqrt(5e-324)", "math.sqrt(E)"},
  ["math.tan"] = {"math.tan(1.7976931348623157e308)", "math.tan(1e22)"},
  ["math.tointeger"] = {"math.tointeger(D)", "math.tointeger(W)", "math.tointeger(1e15)"},
  ["math.type"] = {"math.type(D)"},
  ["math.ult"] = {"math.ult(W, W)"},
  ["math.huge"] = false, ["math.maxinteger"] = false, ["math.mininteger"] = false, ["math.pi"] = false,
  ["os.clock"] = {"os.clock()"},
  ["os.date"] = {"os.date()", "os.date(S)", "os.date('!%c', 0)", "os.date('%c', 1 << 55)", "os.date('*t', 1 << 55)",
    "os.date('!*t', -(1 << 55))", "os.date('*t', -1e15 // 1 | 0)", "os.date('*t', D)", "os.date('%c', W)",
    "os.date(f)", {"os.date(f)", "f = ('%c'):rep(n)"}, {"os.date(f)", "f = ('%Z%x%X%p%y'):rep(n // 10)"},
    {"os.date(f)", "f = ('%%'):rep(n)"}, {"os.date(f)", "f = '!' .. ('%a'):rep(n)"},
    {"os.date('%Ez' .. f)", "f = ('x'):rep(n)"}, {"os.date('%' .. f)", "f = ('x'):rep(n)"}},
  ["os.difftime"] = {"os.difftime(1, 2)", "os.difftime(D, D)", "os.difftime(1 << 60, W)"},
  ["os.time"] = {"os.time()", "os.time {year = 2000, month = 1, day = 1}",
    "os.time {year = (1 << 31) - 1, month = 1, day = 1, isdst = true}",
    "os.time {year = (1 << 31) - 1, month = 1, day = 1, isdst = false}",
    "os.time {year = (1 << 31) - 1, month = 1, day = 1}",
    "os.time {year = (1 << 31) + 1800, month = 1, day = 1, isdst = true}",
    "os.time {year = -(1 << 31) + 1900, month = 1, day = 1, isdst = true}",
    "os.time {year = -(1 << 31), month = 1, day = 1, isdst = true}",
    "os.time {year = 2000, month = (1 << 31) - 1, day = 1, isdst = true}",
    "os.time {year = 2000, month = 1, day = (1 << 31) - 1, isdst = true}",
    "os.time {year = 2000, month = 1, day = -(1 << 31), hour = -(1 << 31), isdst = true}",
    "os.time {year = 2000, month = 1, day = 1, sec = (1 << 31) - 1, min = (1 << 31) - 1, isdst = true}",
    "os.time {year = 1900, month = 1, day = 1, isdst = true}",
    "os.time {year = 2500, month = 1, day = 1, isdst = true}",
    "os.time {year = 9999999, month = 1, day = 1, isdst = true}",
    "os.time {year = D, month = W, day = 1}", "os.time {year = 2000, month = 1, day = D}",
    "os.time {year = 2000, month = 1, day = S}"},
  ["string.byte"] = {"S:byte()", "S:byte(1, -1)", "S:byte(1, 200)", "S:byte(W)", "S:byte(-1)"},
  ["string.char"] = {"string.char(65, 66)", "string.char(table.unpack(b))",
    {"string.char(table.unpack(b))", "b = array(math.min(n, 2e5), 65)"},
    {"string.char(table.unpack(b))", "b = array(math.min(n, 1000), ' 65')"},
    {"string.char(table.unpack(b))", "b = array(math.min(n, 1000), (' '):rep(n) .. '65')"}},
  ["string.find"] = {"S:find('y')", "S:find('yy')", "S:find('x')", "S:find('xy', 1, true)", "S:find(S)", "S:find(S2)",
    "S:find(Sx)", "S:find(Sx, 1, true)", "S:find('[a-w]')", "S:find('.-y')", "S:find('x*y')", "S:find('x-$')", "S:find('%f[y]')",
    "P:find('%b()')", "P:find('()')", "P:find(P)", "P:find(P, 1, true)", "S:find('(x*)%1y')", "S:find('^x*y')", "S:find('', n)", "S:find('', -1)",
    "('x'):find(S)", "('x'):find(A)", "('x'):find(Q)", "('x'):find(C)", "S:find('%w+y')", "S:find('y+')", "S:find('[^x]')", "S:find('x', -1)", "S:find('x', D)",
    "S:find('[xyz]*[abc]')", "S:find(('x?'):rep(30) .. 'y')", "S:find(('x*'):rep(5) .. 'y')", "A:find('a.-c')", "A:find('ab c')", "A:find('%sab%s%s')",
    {"s:find(p)", "s = ('x'):rep(n) p = '[' .. ('a'):rep(n) .. ']'"},
    {"s:find(p)", "s = ('x'):rep(n) p = '[' .. ('a-b'):rep(n // 3) .. ']'"},
    {"s:find(p)", "s = ('x'):rep(n) p = '[' .. ('%d'):rep(n // 2) .. ']+y'"},
    {"s:find(p)", "s = ('x'):rep(n) p = 'x-[' .. ('a'):rep(n) .. ']'"},
    {"s:find(p)", "s = 'x' p = '[' .. ('a'):rep(n)"},
    {"s:find(p)", "s = ('x'):rep(n) p = '%f[' .. ('a'):rep(n) .. ']'"},
    {"s:find(p)", "s = ('x'):rep(n) p = ('[ab]'):rep(40) .. '[' .. ('a'):rep(n) .. ']'"},
    {"s:find(p)", "s = ('x'):rep(n) p = ('[ax]'):rep(40) .. '[' .. ('a'):rep(n) .. ']'"},
    {"s:find(p)", "s = ('x'):rep(n) p = ('x'):rep(n) .. '[y]'"},
    {"s:find(p)", "s = ('x'):rep(n) p = ('x?'):rep(n)"},
    {"s:find(p)", "s = ('x'):rep(n) p = ('.'):rep(n) .. '%d'"},
    {"s:find(p)", "s = ('x'):rep(n) p = '(x*)' .. ('%1'):rep(n // 2)"},
    {"s:find(p)", "s = ('xy'):rep(n // 2) p = '(xy)' .. ('%1'):rep(n // 2) .. 'z'"},
    {"s:find(p)", "s = ('()'):rep(n // 2) .. '(' p = '%b()x'"},
    {"s:find(p)", "s = ('('):rep(n // 2) .. (')'):rep(n // 2) p = '%b()x'"}},
  ["string.format"] = {"('%s'):format(S)", "('%q'):format(S)", "('%q'):format(Z)", "('%q'):format(N)", "('%q'):format(C)", "('%q'):format(Q)",
    "('%.1s'):format(S)", "('%5.3s'):format(S)", "('%5s'):format(S)", "('%5s'):format(Z)", "('%d'):format(D)", "('%d'):format(W)", "('%x'):format(W)", "('%c'):format(W)", "('%a'):format(W)",
    "('%5d'):format(W)", "('%g'):format(D)", "('%.14g'):format(E)", "('%i'):format(X)", "(S):format()", "('%5'):format(S)", "('%s'):format(T)",
    "('%d'):format(3)", "('%5.2f'):format(1.5)", "('%.99f'):format(1.7976931348623157e308)", "('%.99f'):format(5e-324)", "('%99.99f'):format(-1e308)",
    "('%.99g'):format(5e-324)", "('%.99e'):format(5e-324)", "('%.99a'):format(5e-324)", "('%+.20g'):format(1e-308)", "('%g'):format(5e-324)",
    "('%.17g'):format(2.2250738585072014e-308)", "('%.3f'):format(1e300)", "('%+.3f'):format(1e300)", "('%#x'):format(12345)", "('%p'):format(T)", "('%q'):format(5e-324)", "('%q'):format(1)",
    "('%s'):format(5e-324)", "('%s'):format(1e308)", "('%-99s'):format('x')", "('%099d'):format(1)",
    {"string.format(f)", "f = ('%%'):rep(n)"},
    {"string.format(f)", "f = ('x%%'):rep(n // 3)"},
    {"string.format(f)", "f = '%' .. ('5'):rep(n)"},
    {"string.format(f)", "f = '%' .. (' '):rep(n)"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 20000) f = ('%d'):rep(k) t = array(k)"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 200) f = ('%d'):rep(k) t = array(k, ('1'):rep(n))"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 200) f = ('%d'):rep(k) t = array(k, (' '):rep(n) .. '1')"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 200) f = ('%5.1f'):rep(k) t = array(k, (' '):rep(n) .. '1')"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 200) f = ('%.1s'):rep(k) t = array(k, ('1'):rep(n))"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 200) f = ('%a'):rep(k) t = array(k, 5e-324)"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 9000) f = ('%.99f'):rep(k) t = array(k, 1.7976931348623157e308)"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 9000) f = ('%s'):rep(k) t = array(k, 5e-324)"},
    {"string.format(f, table.unpack(t))", "local k = math.min(n, 9000) f = ('%q'):rep(k) t = array(k, 5e-324)"}},
  ["string.gmatch"] = {"for w in S:gmatch('x') do end", "for w in S:gmatch('.-y') do end", "for w in A:gmatch('%w+') do end",
    "for w in S:gmatch('') do end", "for w in S:gmatch('()') do end", "S:gmatch(S)", "for w in S:gmatch('[' .. S .. ']') do end", "S:gmatch('x')()", "S:gmatch(P)()", "S:gmatch('', D)",
    "for w in S:gmatch('.*') do end", "for a, b, c in S:gmatch('(.*)(.*)(.*)') do end"},
  ["string.gsub"] = {"S:gsub('x', 'y')", "S:gsub('', '%0')", "S:gsub('y', 'x')", "S:gsub('.', {})", "S:gsub('.', T)", "S:gsub('x', type)", "S:gsub('', '')", "S:gsub('^x*', '%0%0')",
    "A:gsub('%w+', '%0%0')", "A:gsub('%w+', H)", "S:gsub('.*', '%0')", "S:gsub('x', S, 2)", "S:gsub('x', A, 2)", "('x'):gsub('', S)", "('xx'):gsub('x', D)", "S:gsub(S, '')", "S:gsub('x', '%%')",
    "('x'):gsub('x', W)", "S:gsub('.-y', '')", "S:gsub('x', '', D)", "S:gsub('x', 5e-324, 9)",
    {"s:gsub('', r)", "s = ('x'):rep(math.min(n, 600)) r = ('%0'):rep(n)"},
    {"s:gsub('', r)", "s = ('x'):rep(math.min(n, 600)) r = ('%%'):rep(n)"},
    {"s:gsub('x', r)", "s = ('x'):rep(math.min(n, 600)) r = ('%1'):rep(n)"},
    {"s:gsub('(x)()', r)", "s = ('x'):rep(math.min(n, 600)) r = ('%2'):rep(n)"},
    {"s:gsub('x', r)", "s = ('x'):rep(math.min(n, 600)) r = ('a'):rep(n)"},
    {"s:gsub('x*', r)", "s = ('x'):rep(n) r = '%0%0%0'"},
    {"s:gsub('x', r, 3)", "s = 'xxxx' r = {x = ('x'):rep(n)}"},
    {"s:gsub('x', r)", "s = ('x'):rep(n) r = {x = 'y'}"},
    {"s:gsub('x', r)", "s = ('x'):rep(n) r = {x = 1.5}"},
    {"s:gsub('x*', r)", "s = ('x'):rep(n) r = {}"},
    {"s:gsub('x', r)", "s = ('x'):rep(n) r = setmetatable({}, {__index = function(t, k) return k end})"}},
  ["string.len"] = {"S:len()", "string.len(12)"},
  ["string.lower"] = {"S:lower()", "string.lower(1.5)"},
  ["string.match"] = {"S:match('x*')", "S:match('.-y')", "S:match('(.)(.)(.)')", "A:match('^(%w+) (%w+)')", "S:match('x', n)", "S:match('.*')", "S:match('((.*))')", "S:match('()()()()()')", "S:match(S)", "('x'):match(D)"},
  ["string.pack"] = {"string.pack('s', S)", "string.pack('z', S)", "string.pack('i4', 1)", "string.pack('i16', -1)", "string.pack('d', 1.5)", "string.pack('i4', D)", "string.pack('d', W)", "string.pack(S)", "string.pack('c' .. #S + 1, S)", "string.pack('c' .. n, '')", "string.pack('s1', S)", "string.pack('z', Z)",
    {"string.pack(f)", "f = (' '):rep(n)"}, {"string.pack(f)", "f = ('<'):rep(n)"}, {"string.pack(f)", "f = ('x'):rep(n)"}, {"string.pack(f)", "f = ('!16'):rep(n)"},
    {"string.pack(f)", "f = 'c' .. ('1'):rep(n)"}, {"string.pack(f)", "f = ('xXi16'):rep(n)"},  {"string.pack(f, 1)", "f = 'i' .. ('0'):rep(n) .. '4'"}, {"string.pack(f)", "f = '!' .. ('0'):rep(n) .. '4'"},
    {"string.pack(f, '')", "f = 'c' .. ('0'):rep(n) .. '4'"}, {"string.pack(f, '')", "f = ('s001'):rep(n // 4)"},
    {"string.pack(f, table.unpack(t))", "local k = math.min(n, 2e5) f = ('b'):rep(k) t = array(k, 1)"},
    {"string.pack(f, table.unpack(t))", "local k = math.min(n, 200) f = ('b'):rep(k) t = array(k, (' '):rep(n) .. '1')"},
    {"string.pack(f, table.unpack(t))", "local k = math.min(n, 10) f = ('s'):rep(k) t = array(k, (' '):rep(n) .. '1')"}},
  ["string.packsize"] = {"string.packsize('i4')", "string.packsize(S)", {"string.packsize(f)", "f = ('b'):rep(n)"}, {"string.packsize(f)", "f = ('c9'):rep(n)"}, {"string.packsize(f)", "f = (' '):rep(n)"}, {"string.packsize(f)", "f = ('<'):rep(n)"}, {"string.packsize(f)", "f = 'c' .. ('1'):rep(n)"},
    {"string.packsize(f)", "f = 'c' .. ('0'):rep(n) .. '1'"}, {"string.packsize(f)", "f = 'I' .. ('0'):rep(n) .. '1'"}, {"string.packsize(f)", "f = '!' .. ('0'):rep(n)"}, {"string.packsize(f)", "f = 's' .. ('0'):rep(n) .. '1'"},
    {"string.packsize(f)", "f = ('i004'):rep(n // 4)"}, {"string.packsize(f)", "f = ('Xi004'):rep(n // 5)"}},
  ["string.rep"] = {"('x'):rep(n)", "('x'):rep(3)", "S:rep(2)", "S:rep(1)", "S:rep(0)", "S:rep(3, S)", "S:rep(2, ',')", "('x'):rep(W)", "('xyz'):rep(n, ',')", "('x'):rep(1 << 40)", {"S:rep(10)", nil, 2e6}, "('x'):rep(n, S)"},
  ["string.reverse"] = {"S:reverse()"},
  ["string.sub"] = {"S:sub(2)", "S:sub(2, 3)", "S:sub(-3)", "S:sub(W)", "S:sub(1, -2)", "S:sub(1, n)"},
  ["string.unpack"] = {"string.unpack('s', P)", "string.unpack('z', S)", "string.unpack('i4', S)", "string.unpack('i16', Z)", "string.unpack('d', S)", "string.unpack(S, S)", "string.unpack('i4', S, D)", "string.unpack('i4', S, n - 3)", "string.unpack('c' .. n, S)", "string.unpack('z', Z)",
    {"string.unpack(f, s)", "f = ('b'):rep(math.min(n, 2e5)) s = ('x'):rep(n)"}, {"string.unpack(f, s)", "f = (' '):rep(n) s = ''"}, {"string.unpack(f, s)", "f = ('<'):rep(n) s = ''"}, {"string.unpack(f, s)", "f = ('z'):rep(math.min(n, 2e5)) s = ('\\0'):rep(n)"},
    {"string.unpack(f, s)", "f = 'c' .. ('0'):rep(n) .. '1' s = 'x'"}, {"string.unpack(f, s)", "f = 's' .. ('0'):rep(n) .. '1' s = '\\0'"}, {"string.unpack(f, s)", "f = '!' .. ('0'):rep(n) .. '8' s = ''"},
    {"string.unpack(f, s)", "f = ('i1'):rep(math.min(n, 2e5)) s = ('x'):rep(n)"}, {"string.unpack('z', s, 2)", "s = ('x'):rep(n) .. '\\0'"},
    {"string.unpack(f, s)", "f = 's4' s = string.pack('s4', ('x'):rep(n))"}, {"string.unpack(f, s)", "f = ('xXi16'):rep(n) s = ('x'):rep(n)"}, {"string.unpack(f, s)", "f = ('x'):rep(n) s = ('x'):rep(n)"}, {"string.unpack(f, s)", "f = ('c0'):rep(math.min(n, 2e5)) s = ('x'):rep(n)"}},
  ["string.upper"] = {"S:upper()"},
  ["table.concat"] = {"table.concat(T)", "table.concat(F)", "table.concat(TS, ',')", "table.concat(TS, S, 1, 2)", "table.concat({S, S})", "table.concat(T, '', 1, 0)", "table.concat({}, S)", "table.concat(T, 5e-324, 1, 3)", "table.concat(TS, '', W)",
    {"table.concat(t)", "t = array(math.min(n, 1e5), 5e-324)"}, {"table.concat(t)", "t = array(math.min(n, 1e5), '')"}, {"table.concat(t)", "t = array(math.min(n, 30), ('x'):rep(n))"},
    {"table.concat(t, '', 1, 1e15)", "t = setmetatable({}, {__index = function() return '' end})"}},
  ["table.insert"] = {{"table.insert(t, 1, 0) t[#t] = nil", "t = array(n)"}, {"table.insert(t, 0)", "t = {}"}, "table.insert({}, W, 1)", "table.insert(T, D, 1)",
    {"table.insert(t, 0)", "t = setmetatable({}, {__len = function() return 5 end, __newindex = function() end})"},
    {"table.insert(t, 1, 0)", "t = setmetatable({}, {__len = function() return 1e9 // 1 | 0 end, __newindex = type, __index = type})"}},
  ["table.move"] = {"table.move(T, 1, #T, 2)", "table.move(T, 1, #T, 1, {})", "table.move(T, 2, #T, 1)", "table.move(F, 1, 3, 2)", "table.move(T, 1, W, 1)", "table.move({}, 1, n, 2)", "table.move({}, 1, 1 << 40, 2)", "table.move(H, 1, 1 << 40, 2)",
    "table.move(T, -10, 1 << 40, 1, {})", {"table.move(t, 1, 1 << 40, 2)", "t = setmetatable({}, {__index = type, __newindex = type})"}},
  ["table.pack"] = {"table.pack(1, 2)", "table.pack(table.unpack(TM))"},
  ["table.remove"] = {"table.remove({1, 2})", {"table.remove(t, 1) t[#t + 1] = 1", "t = array(n)"}, "table.remove(T, W)", "table.remove(EM)", {"table.remove(t, 1)", "t = setmetatable({}, {__len = function() return 1 << 40 end, __index = type, __newindex = type})"}},
  ["table.sort"] = {"table.sort(T)", "table.sort(TS)", "table.sort(T, function(a, b) return a > b end)", "table.sort {3, 1, 2}", "table.sort(T, math.ult)", "table.sort(O)",
    {"table.sort(t)", "t = array(math.min(n, 30), ('x'):rep(n)) for i = 1, #t do t[i] = t[i] .. i % 7 end"},
    {"table.sort(t)", "t = array(math.min(n, 30), ('\\0'):rep(n)) for i = 1, #t do t[i] = t[i] .. i % 7 end"},
    {"table.sort(t, function() return true end)", "t = array(n)"}, {"table.sort(t)", "t = setmetatable({}, {__len = function() return n end, __index = function(t, k) return -k end, __newindex = type})"}},
  ["table.unpack"] = {"table.unpack(TM)", "table.unpack(T, 1, 2)", "table.unpack({}, 1, 1e5)", "table.unpack({}, 1, 1e7)", "table.unpack({}, W, W)", "table.unpack(H, 1, 200)", {"table.unpack(t)", "t = setmetatable({}, {__len = function() return 1000 end, __index = type})"}},
  ["utf8.char"] = {"utf8.char(8364, 65)", "utf8.char(0x7fffffff)", {"utf8.char(table.unpack(t))", "t = array(math.min(n, 2e5), 8364)"}, {"utf8.char(table.unpack(t))", "t = array(math.min(n, 1000), (' '):rep(n) .. '65')"}},
  ["utf8.charpattern"] = false,
  ["utf8.codepoint"] = {"utf8.codepoint(U)", "utf8.codepoint(U, 1, -1)", "utf8.codepoint(S, 1, -1)", "utf8.codepoint(U, W)"},
  ["utf8.codes"] = {"for p, c in utf8.codes(U) do end", "for p, c in utf8.codes(S) do end", "utf8.codes(U)", {"for p, c in utf8.codes(s) do end", "s = ('\\x80'):rep(n)"}},
  ["utf8.len"] = {"utf8.len(U)", "utf8.len(S)", "utf8.len(U, -1)", "utf8.len(U, W)", {"utf8.len(s)", "s = ('\\x80'):rep(n)"}},
  ["utf8.offset"] = {"utf8.offset(U, 2)", "utf8.offset(U, #U // 3)", "utf8.offset(U, -#U // 3)", "utf8.offset(U, 0, #U)", "utf8.offset(U, W)", "utf8.offset(S, -n)", {"utf8.offset(s, 1, 1)", "s = ('\\x80'):rep(n)"}, {"utf8.offset(s, 0, #s)", "s = ('\\x80'):rep(n)"},  {"utf8.offset(s, -1)", "s = ('\\x80'):rep(n)"}},
}

-- Long or unusual values in each place of the arguments of every function.
local any = {
  "L", "L, 1", "L, L", "1, L", "'x', L", "'x', 'x', L", "'x', L, 1", "'x', 1, L", "{}, L", "{}, 'x', L",
  "{}, 1, L", "type, L", "L, type", "'%d', L", "'%s', L", "'i4', L", "L, L, L",
}
local any_values = options.full and {
  D = {40, 700, 65e3, 2e6}, S = {700, 65e3, 2e6}, W = {700, 65e3, 8e6}, T = {1000}, H = {1000}, EM = {1e4},
  ["5e-324"] = {1}, ["1.7976931348623157e308"] = {1}, ["1 << 62"] = {1},
} or {D = {40, 2e6}, W = {700}, H = {1000}, ["1.7976931348623157e308"] = {1}}

local operators = {
  "local a = 1 + 2", "local a = n + 1.5", "local a = n * n", "local a = n // 7", "local a = n / 3", "local a = n % 7", "local a = 2.0 ^ n", "local a = n & 7 | 8 ~ 9", "local a = n << 3 >> 2", "local a = -n", "local a = ~n", "local a = not n", "local a = #S", "local a = #T", "local a = #O", "local a = #H", "local a = #EM",
  {"local a = x % y", "x, y = 1.7976931348623157e308, 2.2250738585072014e-308"}, {"local a = x % y", "x, y = 1.7976931348623157e308, 5e-324"}, {"local a = x % y", "x, y = -1.7976931348623157e308, 2.3e-308"}, {"local a = x // y", "x, y = 1.7976931348623157e308, 2.2250738585072014e-308"},
  {"local a = x % y", "x, y = 1e300, 3"}, {"local a = x % 3.0", "x = 1.7976931348623157e308"}, {"local a = x % y", "x, y = 1, 5e-324"},
  {"local a = x // y", "x, y = 5e-324, 1e308"}, {"local a = x ^ y", "x, y = 5e-324, 0.3"}, {"local a = x ^ y", "x, y = 1.0000000001, 1e10"}, {"local a = x ^ y", "x, y = 0.99999999999, 7e13"}, {"local a = x * y", "x, y = 5e-324, 0.5"}, {"local a = x / y", "x, y = 5e-324, 3"}, {"local a = x + y", "x, y = 5e-324, 5e-324"}, {"local a = x ^ y", "x, y = 1.1, -7390.5"},
  {"local a = x // y", "x, y = math.mininteger, -1"}, {"local a = x % y", "x, y = math.mininteger, 3"}, {"local a = x | 0", "x = 2^53"}, {"local a = x < y", "x, y = 1 << 62, 2.0^62"}, {"local a = x == y", "x, y = 1 << 62, 2.0^62"}, {"local a = x < y", "x, y = 1 << 53 | 1, 2.5"},
  "local a = D + 1", "local a = W + 1", "local a = E * E", "local a = X - 1", "local a = De / 1", "local a = -D", "local a = D // W", "local a = D % D", "local a = D & 1", "local a = W & 1", "local a = X | X", "local a = ~W", "local a = -W", "local a = 2 ^ W", "local a = 1 << W", "local a = 1 + S",
  "for i = W, 1 do end", "for i = 1, W do end", "for i = 1, 1, W do end", "for i = 1.0, E do end", "for i = 1, 2, 0 do end",
  "local a = S .. S", "local a = S .. 1", "local a = S .. 5e-324", "local a = 1 .. 2", "local a = 5e-324 .. 1e308", "local a = S .. S .. S .. S", "local a = S .. 'x'", "local a = '' .. S", "local a = 0.1 .. ''",
  "local a = S == S2", "local a = S == Sx", "local a = S < S2", "local a = S <= Sx", "local a = Z < Z", "local a = Z <= S",
  {"local a = x == y", "x, y = ('x'):rep(n), ('x'):rep(n)"}, {"local a = x < y", "x, y = ('x'):rep(n), ('x'):rep(n)"}, {"local a = x <= y", "x, y = ('\\0'):rep(n), ('\\0'):rep(n)"}, {"local a = x ~= y", "x, y = ('x'):rep(n), ('x'):rep(n)"}, {"if x == y then end", "x, y = ('x'):rep(n), ('x'):rep(n)"}, {"while x == y do end", "x, y = ('x'):rep(n), ('x'):rep(n)"},
  {"local a = x < y", "x, y = ('a\\0'):rep(n // 2), ('a\\0'):rep(n // 2)"}, {"while not (x < y) do end", "x, y = ('\\0'):rep(n), ('\\0'):rep(n)"},
  "local a = T[1]", "local a = T[n]", "T[1] = 2", "T.x = nil", "local a = H.k1", "H.k1 = 2", "local a = H[S]", "H[S] = nil", "local a = ({})[S]", "local a = {[S] = 1}", "local a = {1, 2, 3}", "local a = {x = 1, y = 2}", "local a = {table.unpack(TM)}", "local a = {table.unpack(T, 1, 200)}", "local a = T[1.0]", "local a = T[1e300]", "local a = H[1.5]", "local a = H[S .. 'z']", "H[S .. 'z'] = 1 H[S .. 'z'] = nil",
  {"local a = t[k]", "k = ('x'):rep(n) t = {[('x'):rep(n)] = 1}"}, {"t[k] = 1", "k = ('x'):rep(n) t = {[('x'):rep(n)] = 1}"}, {"local a = t[k]", "k = ('x'):rep(n) t = {[('x'):rep(n - 1) .. 'y'] = 1}"},
  {"t[k .. i] = i i = i + 1 if i > 100 then t = {} i = 1 end", "k = ('x'):rep(n) t = {} i = 1"}, {"t[i] = i i = i + 1", "t = {} i = 1"}, {"t['k' .. i] = i i = i + 1", "t = {} i = 1"}, {"t[i] = i i = i - 1", "t = {} i = -1"}, {"t[i] = i i = i * 3 + 1", "t = {} i = 1"}, {"t[i] = i i = i + 0.5", "t = {} i = 1"}, {"t[{}] = 1", "t = {}"}, {"t[i] = i i = i - 1", "t = {} i = n"},
  {"t = {} for i = 1, m do t[i] = i end", "m = math.min(n, 1e5)"}, {"for i = 1, #t do t[i] = nil end for i = 1, m do t[i] = i end", "t = {} m = math.min(n, 1e5)"},
  {"local a = t[i] i = (i * 1103515245 + 12345) & m", "t = array(n) i, m = 1, 0x3ffff"}, {"local a = t[i] i = (i * 1103515245 + 12345) & m", "t = names(n) i, m = 1, 0x3ffff"},
  {"local a = t[#t] t[#t + 1] = 1", "t = {}"}, {"local a = #t", "t = {} for i = 1, 50 do t[1 << i] = 1 end t[1] = 1 t[2] = 1"},
  "local function f() end f()", "local function f(...) return ... end f(table.unpack(TM))", "local function f(...) local a = {...} end f(table.unpack(TM))", "local function f(a) return a end f(table.unpack(TM))", "(function(...) local a, b = ... end)(table.unpack(TM))", "local function f(n) if n > 0 then return f(n - 1) end end f(200)", "local function f(n) if n > 0 then f(n - 1) end end f(180)", "local function f(...) return select('#', ...) end return f(1, 2, table.unpack(TM))",
  "local f <close> = nil", "goto a ::a::", "local a <const> = 1", "local function f() return function() return n end end f()()", "local a = function() end",
  {"local f <close> = c", "c = setmetatable({}, {__close = type})"}, {"local f <close> = c error(1)", "c = setmetatable({}, {__close = type})"},
}

-- Chains of metatables, and metamethods that are called with much.
local metamethods = {
  {"local a = o.x", "o = {} for i = 1, math.min(n, 90) do o = setmetatable({}, {__index = o}) end"},
  {"local a = o.x", "o = {} for i = 1, math.min(n, 5000) do o = setmetatable({}, {__index = o}) end"},
  {"o.x = 1", "o = {} for i = 1, math.min(n, 90) do o = setmetatable({}, {__newindex = o}) end"},
  {"local a = o[k]", "k = ('x'):rep(n) o = {} for i = 1, math.min(n, 90) do o = setmetatable({[k .. 1] = 1}, {__index = o}) end"},
  {"o[k] = 1", "k = ('x'):rep(n) o = {} for i = 1, math.min(n, 90) do o = setmetatable({[k .. 1] = 1}, {__newindex = o}) end"},
  {"local a = o.x", "o = setmetatable({}, {}) getmetatable = nil local m = {} o = setmetatable({}, m) m.__index = o"},
  {"local a = o:x()", "o = setmetatable({}, {__index = function() return function() end end})"},
  {"o()", "o = function() end for i = 1, math.min(n, 3e4) do o = setmetatable({}, {__call = o}) end"},
  {"o()", "o = function() end for i = 1, math.min(n, 100) do o = setmetatable({}, {__call = o}) end"},
  {"return o()", "o = function() end for i = 1, math.min(n, 3e4) do o = setmetatable({}, {__call = o}) end"},
  {"for a in o do end", "o = type for i = 1, math.min(n, 3e4) do o = setmetatable({}, {__call = o}) end"},
  {"o(table.unpack(t))", "o = function() end for i = 1, math.min(n, 200) do o = setmetatable({}, {__call = o}) end t = array(math.min(n, 1e5))"},
  {"pcall(o)", "local m = {} o = setmetatable({}, m) m.__call = o"},
  {"o()", "local m = {} o = setmetatable({}, m) m.__call = o"},
  {"return o()", "local m = {} o = setmetatable({}, m) m.__call = o"},
  {"coroutine.wrap(o)()", "local m = {} o = setmetatable({}, m) m.__call = o"},
  {"local a = o + 1", "local m = {} o = setmetatable({}, m) m.__call = o m.__add = o m.__index = o"},
  {"table.sort({1, 2, 3}, function(...) return o(...) end)", "local m = {} o = setmetatable({}, m) m.__call = o"},
  {"local a = o .. o .. o", "o = setmetatable({}, {__concat = function(a, b) return a end})"},
  {"local a = f(o)", "local s = {} for i = 1, math.min(n, 200) do s[i] = 'o' end o = setmetatable({}, {__concat = function(a, b) return b end}) f = load('local o = ... return ' .. table.concat(s, '..'))"},
  {"local a = f(S)", "S = ('x'):rep(n) local s = {} for i = 1, math.min(n, 200) do s[i] = 'o' end f = load('local o = ... return ' .. table.concat(s, '..'))"},
  {"local a = f(1.5)", "local s = {} for i = 1, math.min(n, 200) do s[i] = 'o' end f = load('local o = ... return ' .. table.concat(s, '..'))"},
  {"local a = o == p", "local m = {__eq = type} o, p = setmetatable({}, m), setmetatable({}, m)"},
  {"local a = o < p", "local m = {__lt = type} o, p = setmetatable({}, m), setmetatable({}, m)"},
  {"local a = o <= p", "local m = {__le = type} o, p = setmetatable({}, m), setmetatable({}, m)"},
  {"local a = #o", "o = setmetatable({}, {__len = type})"}, {"local a = -o", "o = setmetatable({}, {__unm = type})"}, {"local a = o + 1", "o = setmetatable({}, {__add = type})"}, {"local a = o & 1", "o = setmetatable({}, {__band = type})"},
  {"local a = o.x", "o = setmetatable({}, {__index = type})"}, {"o.x = 1", "o = setmetatable({}, {__newindex = type})"},
  {"local a = S + 1", "S = {}"}, {"local a = S.x.y", "S = ('x'):rep(n)"}, {"local a = ('x').y", ""}, {"error(setmetatable({}, {__tostring = type}))", ""},
  {"local a = o.x", "o = nil"}, {"local a = o + 1", "o = {}"}, {"local a = o .. 1", "o = {}"}, {"o()", "o = 1"}, {"local a = o < 1", "o = {}"},
}

-- Source text. P is what `load` gets.
local sources = {
  and_chain = "'return ' .. ('a and '):rep(n // 6) .. 'a'",
  or_chain = "'return ' .. ('a or '):rep(n // 5) .. 'a'",
  and_or_chain = "'return ' .. ('a and b or '):rep(n // 11) .. 'a'",
  and_if = "'if ' .. ('a and '):rep(n // 6) .. 'a then end'",
  and_while = "'while ' .. ('a and '):rep(n // 6) .. 'a do end'",
  or_not = "'return not (' .. ('a or '):rep(n // 5) .. 'a)'",
  and_compare = "'return ' .. ('a < b and '):rep(n // 10) .. 'a'",
  or_compare = "'local x = ' .. ('a == b or '):rep(n // 10) .. 'a'",
  and_local = "'local a ' .. ('a = a and a '):rep(n // 12)",
  nested_and = "'return ' .. ('(a and '):rep(math.min(n // 7, 180)) .. 'a' .. (')'):rep(math.min(n // 7, 180))",
  concat_chain = "'return ' .. ('a..'):rep(n // 3) .. 'a'",
  concat_200 = "('x = ' .. ('a..'):rep(150) .. 'a '):rep(n // 460)",
  plus_chain = "'return ' .. ('a+'):rep(n // 2) .. 'a'",
  power_chain = "'return ' .. ('a^'):rep(n // 2) .. 'a'",
  number_chain = "'return ' .. ('1+'):rep(n // 2) .. '1'",
  fold_mod = "'return ' .. ('1.7976931348623157e308 % 5e-324,'):rep(n // 31) .. '1'",
  fold_denormal = "'return ' .. ('5e-324*0.5,'):rep(n // 11) .. '1'",
  minus_chain = "'return ' .. ('- '):rep(n // 2) .. 'a'",
  not_chain = "'return ' .. ('not '):rep(n // 4) .. 'a'",
  compare_chain = "'return ' .. ('a<'):rep(n // 2) .. 'a'",
  parens = "'return ' .. ('('):rep(n)", parens_closed = "'return ' .. ('('):rep(190) .. 'a' .. (')'):rep(190)",
  brackets = "'return ' .. ('{'):rep(n)", tables_closed = "'return ' .. ('{'):rep(190) .. ('}'):rep(190)",
  functions_open = "('function f() '):rep(n // 13)", functions = "('function f() end '):rep(n // 17)",
  functions_nested = "('function f() '):rep(math.min(n // 13, 190)) .. ('end '):rep(math.min(n // 13, 190))",
  index_chain = "'return a' .. ('.b'):rep(n // 2)", call_chain = "'return a' .. ('()'):rep(n // 2)", method_chain = "'return a' .. (':b()'):rep(n // 4)", string_call = "'return a' .. ('\"\"'):rep(n // 2)",
  arguments = "'f(' .. ('a,'):rep(n // 2) .. 'a)'", arguments_200 = "('f(' .. ('a,'):rep(200) .. 'a) '):rep(n // 405)",
  locals = "('local a '):rep(n // 8)", locals_190 = "('do ' .. ('local a '):rep(190) .. 'end '):rep(n // 1530)",
  locals_used = "('do ' .. names_190 .. (' a1=a190'):rep(100) .. ' end '):rep(n // 2500 + 1)",
  globals_deep = "(names_190 .. ' local function f() '):rep(150) .. ('x=1 '):rep(n // 4) .. ('end '):rep(150)",
  upvalues = "names_190 .. ' ' .. ('function f() return a1 end '):rep(n // 27)",
  upvalues_250 = "names_190 .. ' function f() return function() ' .. ('a1=a190 '):rep(n // 8) .. ' end end'",
  globals = "('a%d=1 '):rep(1) .. each(n // 12, 'a%d=1 ')", constants = "'local a ' .. each(n // 12, 'a=%d.5 ')", strings = "'local a ' .. each(n // 12, 'a=\"s%d\" ')", fields = "'local a ' .. each(n // 12, 'a.s%d=1 ')",
  constructor = "'return {' .. ('1,'):rep(n // 2) .. '}'", constructor_names = "'return {' .. each(n // 12, 's%d=1,') .. '}'", constructor_same = "'return {' .. ('a=1,'):rep(n // 4) .. '}'", constructor_calls = "'return {' .. ('f(),'):rep(n // 4) .. '}'", constructor_keys = "'return {' .. ('[1]=1,'):rep(n // 6) .. '}'", constructors = "('local _={1,2,a=1} '):rep(150)", constructors_many = "('a={1,2,b=1} '):rep(n // 12)",
  elseif_chain = "'if a then ' .. ('elseif a then '):rep(n // 14) .. 'end'", if_many = "('if a then b() end '):rep(n // 18)", if_nested = "('if a then '):rep(180) .. ('end '):rep(180)", ifs_open = "('if a then '):rep(n // 10)",
  whiles = "('while a do end '):rep(n // 15)", fors = "('for i=1,2 do end '):rep(n // 17)", for_in = "('for a in b do end '):rep(n // 18)", repeats = "('repeat local a until a '):rep(n // 22)", breaks = "'while a do ' .. ('if a then break end '):rep(n // 20) .. 'end'",
  gotos = "('goto a '):rep(n // 7) .. '::a::'", gotos_back = "'::a:: ' .. ('goto a '):rep(n // 7)", gotos_blocks = "('do goto a '):rep(180) .. ('end '):rep(180) .. '::a::'", labels = "each(n // 12, '::a%d:: ')", labels_gotos = "each(n // 24, 'goto a%d ') .. each(n // 24, '::a%d:: ')", labels_close = "('do ::a:: end '):rep(n // 13)", gotos_open = "('goto a '):rep(n // 7)", gotos_functions = "('do local a do local b function c() return a end goto d end ::d:: end '):rep(n // 70)",
  blocks = "('do end '):rep(n // 7)", blocks_open = "('do '):rep(n // 3)", semicolons = "(';'):rep(n)", blanks = "(' '):rep(n)", lines = "('\\n'):rep(n)", carriage = "('\\r\\n'):rep(n // 2)", comments = "('--x\\n'):rep(n // 4)", comment = "'--' .. ('x'):rep(n)", long_comment = "'--[==[' .. ('x]'):rep(n // 2) .. ']==]'", long_comment_level = "'--[' .. ('='):rep(n) .. '['", long_comment_lines = "'--[[' .. ('\\n'):rep(n) .. ']]'",
  string = "'return \"' .. ('x'):rep(n) .. '\"'", string_open = "'return \"' .. ('x'):rep(n)", string_escapes = "'return \"' .. ('\\\\n'):rep(n // 2) .. '\"'", string_decimal = "'return \"' .. ('\\\\065'):rep(n // 4) .. '\"'", string_hex = "'return \"' .. ('\\\\x41'):rep(n // 4) .. '\"'", string_utf8 = "'return \"' .. ('\\\\u{20ac}'):rep(n // 8) .. '\"'", string_utf8_long = "'return \"\\\\u{' .. ('0'):rep(n) .. '}\"'", string_z = "'return \"\\\\z' .. (' '):rep(n) .. '\"'", string_lines = "'return \"' .. ('\\\\\\n'):rep(n // 2) .. '\"'", long_string = "'return [==[' .. ('x]='):rep(n // 3) .. ']==]'", long_string_lines = "'return [[' .. ('\\n'):rep(n) .. ']]'", long_string_brackets = "'return [==[' .. ('[=['):rep(n // 3) .. ']==]'",
  numeral = "'return ' .. ('1'):rep(n)", numeral_float = "'return 0.' .. ('1'):rep(n)", numeral_hex = "'return 0x' .. ('a'):rep(n)", numeral_hexfloat = "'return 0x.' .. ('0'):rep(n) .. 'p1'", numeral_exponent = "'return 1e' .. ('1'):rep(n)", numerals_800 = "'local a ' .. ('a=' .. ('9'):rep(780) .. 'e-300 '):rep(n // 788)", numerals_denormal = "'local a ' .. ('a=5e-324 '):rep(n // 9)", numerals_floats = "'local a ' .. each(n // 20, 'a=0.1234567890123%d ')", numeral_bad = "'return 1' .. ('x'):rep(n)",
  name = "('x'):rep(n) .. '=1'", names_long = "(('x'):rep(60) .. '=1 '):rep(n // 63)", names_longer = "(('x'):rep(1000) .. '=1 '):rep(n // 1003)", shebang = "'#' .. ('x'):rep(n)", bad = "'return ' .. ('$'):rep(n)", bad_name = "('x'):rep(n) .. '$'",
  assignments = "('a=1 '):rep(n // 4)", assignment_wide = "('a,'):rep(n // 2) .. 'a=1'", assignment_right = "'a=' .. ('1,'):rep(n // 2) .. '1'", local_wide = "'local ' .. ('a,'):rep(math.min(n // 2, 190)) .. 'a=f()'", local_right = "'local a=' .. ('1,'):rep(n // 2) .. '1'", return_wide = "'return ' .. ('1,'):rep(n // 2) .. '1'", returns = "('do return end '):rep(n // 14)", attribs = "('do local a <const> = 1; local b <close> = nil end '):rep(n // 50)", calls = "('f() '):rep(n // 4)", methods = "('a:b(1) '):rep(n // 7)", assign_chain = "('a[b]=c '):rep(n // 7)", assign_conflict = "'local a ' .. ('a.x,'):rep(math.min(n // 4, 190)) .. 'a=1'",
  parameters = "'function f(' .. ('a,'):rep(math.min(n // 2, 190)) .. 'a) end'", varargs = "('f(...) '):rep(n // 7)", vararg_functions = "('function f(...) return ... end '):rep(n // 31)",
}
making.each = function(n, form)
  local t = {}
  for i = 1, math.max(1, n) do t[i] = form:format(i) end
  return table.concat(t)
end
do
  local t = {}
  for i = 1, 190 do t[i] = "a" .. i end
  making.names_190 = "local " .. table.concat(t, ",")
end

-- -- All cases ---------------------------------------------------------------

local cases = {}
local function add(group, body, setup, most, time)
  for _, n in ipairs(SIZES) do
    n = math.tointeger(n)
    if n <= (most or math.huge) then
      cases[#cases + 1] = {group = group, body = body, setup = setup, n = n, time = time}
      if not setup and not body:find "%f[%w_]%u%l?%d?%f[^%w_]" and not body:find "%f[%w]n%f[%W]" then break end
      if setup and not setup:find "%f[%w]n%f[%W]" then break end
    end
  end
end
local function add_all(group, list)
  for _, row in ipairs(list) do
    if type(row) == "string" then add(group, row) else add(group, row[1], row[2], row[3]) end
  end
end

local unlisted = {}
local function visit(prefix, t)
  for name, f in pairs(t) do
    local full = prefix .. name
    if type(f) == "table" and f ~= t and prefix == "" then
      visit(name .. ".", f)
    elseif functions[full] == nil then
      unlisted[#unlisted + 1] = full
    end
  end
end
visit("", sandbox)

do
  local listed = {}
  for name in pairs(functions) do listed[#listed + 1] = name end
  table.sort(listed)
  for _, name in ipairs(listed) do
    local list = functions[name]
    if list then
      add_all(name, list)
      for _, arguments in ipairs(any) do
        for v, sizes in pairs(any_values) do
          local body = ("%s(%s)"):format(name, (arguments:gsub("L", v)))
          for _, n in ipairs(sizes) do
            cases[#cases + 1] = {group = name, body = body, n = math.tointeger(n)}
          end
        end
      end
    end
  end
  add_all("operator", operators)
  add_all("metamethod", metamethods)
  local shapes = {}
  for name in pairs(sources) do shapes[#shapes + 1] = name end
  table.sort(shapes)
  for _, name in ipairs(shapes) do
    add("load " .. name, "load(P)", "P = " .. sources[name], options.full and 300e3 or 30e3, LOAD_TIME)
  end
end

-- -- Measuring ---------------------------------------------------------------

-- The chunk to measure: a loop, with the values in local variables.
local function compile(case)
  local list, given, made, env = {}, {}, {}, nil
  if case.setup then
    env = setmetatable({n = case.n}, {__index = making})
    assert(load(case.setup, "=setup", "t", env))()
  end
  for name in case.body:gmatch "%f[%w_.:\"']%a[%w_]*" do
    local v = env and rawget(env, name)
    if v == nil and values[name] then v = value_of(name, case.n) end
    if v ~= nil and not given[name] then
      given[name] = true
      list[#list + 1] = name
      made[#made + 1] = v
    end
  end
  local call = case.protected and "pcall(function() %s end)" or "do %s end"
  local head = #list > 0 and "local " .. table.concat(list, ", ") .. " = ... " or ""
  local text = head .. "return function() while true do " .. call:format(case.body) .. " end end"
  return assert(sandbox.load(text, "=" .. case.group))(table.unpack(made))
end

local skip = type(options.only) == "string" and options.only
local function wanted(case)
  return not skip or (case.group .. " " .. case.body):find(skip, 1, true)
end

local queue = {} -- rows to measure
for _, case in ipairs(cases) do
  if wanted(case) then queue[#queue + 1] = case end
end

-- The plain loop. It is measured before each row that is measured again, so that
-- the row is compared with what the machine can do at that moment.
local plain = {group = "plain", body = "local a = 1", n = 1}
local PLAIN_TRIES = 10
local base = math.huge -- nanoseconds per unit in the plain loop, at best
local now -- the same, when it was measured last
local plain_left = PLAIN_TRIES

local index, tries, round = 1, 0, 1
local again = {} -- rows that failed in the first round
local present -- what is being measured

-- The next row; in the second round, those that failed in the first.
local function next_row()
  if index > #queue and round == 1 then
    queue, again, index, round = again, {}, 1, 2
  end
  return queue[index]
end

local function next_case()
  present = plain_left > 0 and plain or next_row()
  if not present then return nil end
  if index % 20 == 0 and tries == 0 then collectgarbage() end
  if options.verbose and present ~= plain then
    io.stderr:write(present.group, " ", present.body, " ", present.setup or "", " ", present.n, "\n")
  end
  return compile(present), present.time or TIME
end

local results, failures = {}, 0

local function print_row(case, text)
  print(("%-24s %-44s n=%-8d %s  %s"):format(case.group, case.body, case.n, text, case.setup or ""))
  io.stdout:flush()
end

local function is_good(case)
  return case.rate <= MOST_RATE and case.piece <= MOST_PIECE
end

local function finish(case)
  tries, index = 0, index + 1
  if not is_good(case) and round == 1 then
    again[#again + 1] = case
    return
  end
  results[#results + 1] = case
  if is_good(case) then return end
  failures = failures + 1
  print_row(case, ("%8.1f times, %9.1f us"):format(case.rate, case.piece / 1e3))
end

local function plain_result(rate)
  now, base = rate, math.min(base, rate)
  plain_left = plain_left - 1
end

-- True if the loop ended before its time. In a protected call it does not.
local function ended_early(message)
  return message ~= "budget exhausted"
end

local function row_result(case, rate, longest)
  local slow = now / base
  case.rate = math.min(case.rate or math.huge, rate / now)
  case.piece = math.min(case.piece or math.huge, longest / slow)
  tries = tries + 1
  if is_good(case) or tries >= TRIES then
    finish(case)
  else
    plain_left = 1
  end
end

local function result(message, time, units, longest)
  local case, rate = present, time / math.max(units, 1)
  if case == plain then return plain_result(rate) end
  if not ended_early(message) then return row_result(case, rate, longest) end
  if not case.protected then
    case.protected = true -- measure it again, in a protected call
    return
  end
  print_row(case, "not measured: " .. tostring(message))
  tries, index = 0, index + 1
end

local function worst(field, scale)
  table.sort(results, function(a, b) return a[field] > b[field] end)
  local seen, shown = {}, 0
  for _, case in ipairs(results) do
    if not seen[case.group] and shown < 15 then
      seen[case.group] = true
      shown = shown + 1
      local text = case.body == "load(P)" and case.group or case.body
      print(("| `%s` | %d | %.1f |"):format(text:gsub("|", "\\|"), case.n, case[field] / scale))
    end
  end
end

local rows_wanted = #queue

local function count_protected()
  local count = 0
  for _, case in ipairs(results) do count = count + (case.protected and 1 or 0) end
  return count
end

local function report()
  local unmeasured = rows_wanted - #results
  print(("%d rows, %d measured, %d of them in protected calls; %d failures; a unit of the plain loop takes %.2f ns")
    :format(rows_wanted, #results, count_protected(), failures, base))
  if options.table then
    print "rate"
    worst("rate", 1)
    print "piece, us"
    worst("piece", 1e3)
  end
  for _, name in ipairs(unlisted) do print("no row for " .. name) end
  os.exit(failures + #unlisted + unmeasured == 0)
end

return function()
  local f, time = next_case()
  if not f then report() end
  return f, time
end, result
