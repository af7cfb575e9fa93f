-- SPDX-License-Identifier: MIT
-- calls.lua -- random calls of every function of every library
--
-- Loaded by calls.c with the functions that the target offers.  Returns the
-- function that makes one step: a call of a random library function, or an
-- operation, with random values.  Functions come from the tables of the
-- libraries and from the metatables in the registry, so new ones are covered.
-- Values have metamethods of every kind; callbacks collect, yield, raise, change
-- tables that others walk, and call random functions again.
local choose, note, userdata = ...

local error, getmetatable, ipairs, load, next, pairs, pcall, rawset, require,
      select, setmetatable, tostring, type, xpcall =
      error, getmetatable, ipairs, load, next, pairs, pcall, rawset, require,
      select, setmetatable, tostring, type, xpcall
local collectgarbage = collectgarbage
local create, resume, yield, wrap, close, isyieldable =
      coroutine.create, coroutine.resume, coroutine.yield, coroutine.wrap,
      coroutine.close, coroutine.isyieldable
local format, find, match, rep, sub = string.format, string.find, string.match,
                                       string.rep, string.sub
local concat, sort, unpack, insert = table.concat, table.sort, table.unpack,
                                     table.insert
local mathtype, debug_setmetatable = math.type, debug.setmetatable

-- -- Functions ---------------------------------------------------------------

-- What must not be called, and why.
local excluded = {
  ["os.exit"] = "ends the process",
  ["os.execute"] = "runs commands of the system",
  ["io.popen"] = "runs commands of the system",
  ["package.loadlib"] = "loads C code, which may do anything",
  ["debug.debug"] = "reads commands from the terminal",
  ["debug.getregistry"] = "C code trusts what it has put into that table",
}

-- What opens, removes or writes files.  The process is in a folder of its own,
-- and no string that is an argument may lead out of it.
local with_paths = {
  "dofile", "io.input", "io.lines", "io.open", "io.output", "loadfile",
  "os.remove", "os.rename", "package.searchpath", "penumbra.gc.report",
  "penumbra.gc.snapshot", "penumbra.gc.trace", "penumbra.profile.start",
  "penumbra.profile.stop", "penumbra.profile.stopalloc", "require",
}

local function leads_out(v) return type(v) == "string" and find(v, "/", 1, true) end

local function inside_folder(f)
  return function(...)
    for i = 1, select("#", ...) do
      if leads_out((select(i, ...))) then return nil, "not inside the folder" end
    end
    return f(...)
  end
end

local functions, names, seen = {}, {}, {}

local function add(name, f)
  if type(f) ~= "function" or seen[f] or excluded[name] then return end
  seen[f] = true
  names[#names + 1] = name
  functions[name] = f
end

local function add_all(prefix, t)
  for key, v in next, t do
    if type(key) == "string" then add(prefix .. key, v) end
  end
end

for name in next, package.preload do
  if find(name, "^penumbra%.") then require(name) end
end
require "penumbra.sandbox".new {} -- so that there is its metatable
for library, t in next, package.loaded do
  if type(t) == "table" then
    add_all(library == "_G" and "" or library .. ".", t)
  end
end
for key, t in next, debug.getregistry() do
  if type(key) == "string" and type(t) == "table" and t ~= package.loaded and
     t ~= package.preload then
    add_all(key .. ".", t)
    if type(t.__index) == "table" then add_all(key .. ":", t.__index) end
  end
end
for _, name in ipairs(with_paths) do
  if functions[name] then functions[name] = inside_folder(functions[name]) end
end
-- The others with restrictions.
local function replace(name, f)
  if functions[name] then functions[name] = f end
end

-- C code knows its userdata by their metatables.
replace("debug.setmetatable", function(v, ...)
  if type(v) == "userdata" then return v end
  return debug_setmetatable(v, ...)
end)

-- It makes a file outside the folder.
local tmpname, remove = os.tmpname, os.remove
replace("os.tmpname", function()
  local name = tmpname()
  remove(name)
  return name
end)

sort(names) -- the order of a table differs between processes

-- -- Values ------------------------------------------------------------------

local numbers = {
  0, 1, 2, 3, 5, 16, 255, 256, 1000, -1, -2, -16, 0.0, -0.0, 0.5, 1.5, -1.5,
  1e15, 1e308, -1e308, 2^53, 2^31, 2^31 - 1 | 0, -(2^31) | 0, 2^32 | 0,
  math.maxinteger, math.mininteger, math.maxinteger - 1, math.mininteger + 1,
  math.huge, -math.huge, 0 / 0, 5e-324, 2^63, -(2^63), 0x7fffffff00,
}

local strings = {
  "", "a", "x", "abc", "a,b;c", "0", "10", "0x10", "1e3", " 12 ", "-7", "nan",
  "%", "%%", "%d", "%s", "%q", "%5.3f", "%-20s|", "%1", "%b()", "%f[%w]%w+",
  "(.-)(%s*)", "[^%]-]", "(()", "[a", "%w*%w*%w*%w*x", ".-.-.-.-b", "()",
  "<i4", ">I16", "!8 d", "s1", "z", "i17", "b B h H l L j J T f d n", "Xi8",
  "\u{e9}\u{20ac}\u{10ffff}", "\xff\xfe", "\xed\xa0\x80", "\0\1\2", "\0",
  "collect", "step", "count", "stop", "restart", "incremental", "generational",
  "isrunning", "setpause", "k", "v", "kv", "n", "*n", "a", "*a", "l", "L", "r",
  "rb", "w", "r+", "set", "cur", "end", "no", "full", "line", "crl", "nSltufr",
  ">S", "t", "b", "bt", "*t", "!%c", "%Y", "%Ex", "all", "C", "sum", "path",
  "string", "table", "return ...", "return 1 +", "local a <close> = ... return a",
  "for i = 1, 10 do coroutine.yield(i) end", "while true do end",
  "goto x ::x::", "return function(...) return ..., ... end", "file", "file2",
  "units", "time", "memory", "@warn", "@on", "@off",
  rep("x", 300), rep("ab", 5000), rep("(", 250), rep("1", 800), rep("%0", 400),
  rep("a*", 60), rep("=", 70000), "return " .. rep("{", 150) .. rep("}", 150),
}

local pool = {}     -- results of earlier calls
local tables = {}   -- tables that callbacks change while others walk them
local depth = 0     -- of calls within callbacks
local value, call_something

local function pick(list) return list[choose(#list)] end

local function number()
  local n = choose(4)
  if n == 1 then return pick(numbers) end
  if n == 2 then return choose(20) - 5 end
  if n == 3 then return choose(1000) * 0.25 - 20 end
  return choose(100)
end

local function string_value()
  local n = choose(6)
  if n == 1 then return pick(strings) .. pick(strings) end
  if n == 2 then return rep(pick(strings), choose(5)) end
  return pick(strings)
end

local metatable

local makers = {
  function() return {} end,
  function()
    local t = {}
    for i = 1, choose(40) do t[i] = value(2) end
    return t
  end,
  function()
    local t = {}
    for i = 1, choose(20) do
      local key = value(2)
      if key ~= nil and key == key then t[key] = value(2) end
    end
    return t
  end,
  function()
    local t = {}
    for i = 1, choose(3000) do t[i] = i end
    return t
  end,
  function()
    local t = {}
    for i = 1, choose(200) do t["key" .. i] = choose(10) end
    return t
  end,
  function() return setmetatable({value(2), value(2)}, {__mode = pick {"k", "v", "kv"}}) end,
  function() return setmetatable({value(2), x = value(2)}, metatable()) end,
  function() return setmetatable({}, metatable()) end,
  function() return functions end,
}

local function table_value()
  if #tables > 0 and choose(2) == 1 then return pick(tables) end
  local t = pick(makers)()
  if t ~= functions then tables[#tables % 12 + 1] = t end
  return t
end

-- -- Callbacks ---------------------------------------------------------------

-- Changes a table in a way that a walk over it has to stand.
local function change(t)
  if type(t) ~= "table" or t == functions then return end
  local n = choose(8)
  if n == 1 then
    for i = 1, choose(300) do rawset(t, i, i) end
  elseif n == 2 then
    for key in next, t do t[key] = nil end
  elseif n == 3 then
    for i = 1, choose(300) do rawset(t, "grown" .. i, true) end
  elseif n == 4 then
    rawset(t, choose(5), value(2))
  elseif n == 5 then
    debug_setmetatable(t, choose(2) == 1 and metatable() or nil)
  elseif n == 6 then
    local mt = getmetatable(t)
    if type(mt) == "table" then rawset(mt, pick {"__index", "__gc", "__mode", "__len"}, value(2)) end
  elseif n == 7 then
    rawset(t, #t, nil)
  else
    insert(t, value(2))
  end
end

local actions = {
  function(...) return ... end,
  function() end,
  function() return value(2) end,
  function() return value(2), value(2), value(2) end,
  function(...) return (select("#", ...)) end,
  function(a) change(a) return a end,
  function(a, b) change(b) return b end,
  function() if #tables > 0 then change(pick(tables)) end return choose(2) == 1 end,
  function(a, b) return a == b end,
  function() collectgarbage() end,
  function() collectgarbage("step") return value(2) end,
  function() if isyieldable() then return yield(value(2)) end end,
  function(...) return yield(...) end,
  function() error(value(2)) end,
  function() error() end,
  function() error("message", 2) end,
  function() return call_something() end,
  function() return call_something() end,
  function() local t = {} for i = 1, 200 do t[i] = {i} end return t end,
  function() return rep("s", choose(20000)) end,
  function() while true do end end,
  function(...) return pcall(call_something, ...) end,
  function() for _ in pairs(value(2)) do collectgarbage("step") end end,
  function(a) local c <close> = a return value(2) end,
}

-- A function of its own each time, so that it can be compared and collected.
local function callback()
  local action = pick(actions)
  return function(...) return action(...) end
end

local events = {
  "__index", "__newindex", "__call", "__len", "__eq", "__lt", "__le", "__concat",
  "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__idiv",
  "__band", "__bor", "__bxor", "__shl", "__shr", "__bnot", "__close", "__gc",
  "__tostring", "__pairs", "__name", "__metatable", "__mode",
}

function metatable()
  local mt = {}
  for _ = 1, choose(12) do
    local event = pick(events)
    if choose(8) == 1 then
      mt[event] = value(2)
    else
      mt[event] = callback()
    end
  end
  if choose(6) == 1 then mt.__index = mt end
  return mt
end

local function coroutine_value()
  local n = choose(5)
  local co = create(n < 4 and callback() or functions[pick(names)])
  if n == 2 or n == 5 then
    pcall(resume, co, value(2), value(2))
  elseif n == 3 then
    pcall(close, co)
  end
  return co
end

local function function_value()
  local n = choose(4)
  if n == 1 then return functions[pick(names)] end
  if n == 2 then return wrap(callback()) end
  return callback()
end

local function userdata_value()
  if choose(3) == 1 then return pick {io.stdout, io.stdin, io.tmpfile() or nil} end
  local u = userdata(choose(100), choose(3) - 1)
  if choose(2) == 1 then debug_setmetatable(u, metatable()) end
  return u
end

-- A random value.  `inner` is the depth at which it stands in another one.
function value(inner)
  local n = choose(24)
  if n <= 6 then return number() end
  if n <= 11 then return string_value() end
  if n == 12 then return nil end
  if n == 13 then return choose(2) == 1 end
  if n == 14 and #pool > 0 then return pool[choose(#pool)] end
  if inner and choose(3) ~= 1 or depth > 3 then return choose(10) end
  if n <= 17 then return table_value() end
  if n <= 20 then return function_value() end
  if n == 21 then return coroutine_value() end
  if n == 22 then return userdata_value() end
  return callback()
end

-- -- Calls -------------------------------------------------------------------

-- Without metamethods, and short.
local function describe(v)
  if type(v) == "string" then
    return #v > 40 and format("%q..(%d)", sub(v, 1, 40), #v) or format("%q", v)
  end
  if type(v) == "number" then return format("%q", v) end
  if v == nil or v == true or v == false then return tostring(v) end
  return type(v)
end

-- What the functions of a library want as their first argument, most often.
local first = {
  string = string_value, utf8 = string_value, table = table_value,
  math = number, coroutine = coroutine_value, ["FILE*"] = userdata_value,
  io = userdata_value, debug = function_value, os = number,
}

local function arguments(name)
  local args = {n = choose(6) - 1}
  for i = 1, args.n do args[i] = value() end
  local maker = first[match(name, "^(.-)[.:]")]
  if args.n > 0 and maker and choose(4) > 1 then args[1] = maker() end
  return args
end

local function keep(...)
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if v ~= nil and not leads_out(v) then pool[choose(24)] = v end
  end
  for i = 1, 24 do -- without holes
    if pool[i] == nil then
      pool[i] = pool[i + 1]
      pool[i + 1] = nil
    end
  end
  return ...
end

local function plainly(f, args) return f(unpack(args, 1, args.n)) end

-- Ways to call a function.
local ways = {
  plainly, plainly, plainly, plainly, plainly, plainly, plainly, plainly,
  function(f, args) return pcall(f, unpack(args, 1, args.n)) end,
  function(f, args) return xpcall(f, callback(), unpack(args, 1, args.n)) end,
  function(f, args) return wrap(f)(unpack(args, 1, args.n)) end,
  function(f, args)
    local co = create(function(...) return f(...) end)
    for _ = 1, choose(4) do
      resume(co, unpack(args, 1, args.n))
      if choose(3) == 1 then change(pick(tables)) end
    end
    return co, choose(2) == 1 and close(co)
  end,
  function(f, args) return setmetatable({}, {__index = f})[args[1]] end,
  function(f, args) return setmetatable({}, {__concat = f, __add = f}) .. (args[1] or 1) end,
  function(f, args) return setmetatable({}, {__lt = f, __le = f}) < (args[1] or 1) end,
  function(f, args)
    for a in f, args[1], args[2] do
      if choose(3) == 1 then break end
      keep(a)
    end
  end,
  function(f, args) local c <close> = setmetatable({}, {__close = f}) return args[1] end,
  function(f) setmetatable({}, {__gc = f}) collectgarbage() end,
  function(f, args) return string.gsub(string_value(), pick {".", "%w", "()"}, f) end,
  function(f, args) local t = table_value() sort(t, f) return t end,
  function(f, args) return load(f) end,
  function(f, args)
    debug.sethook(f, pick {"c", "r", "l", "crl", ""}, choose(10))
    pcall(pick(actions), args[1], args[2])
    debug.sethook()
  end,
  function(f, args) return xpcall(error, f, args[1]) end,
}

local operators = {
  function(a, b) return a + b end, function(a, b) return a - b end,
  function(a, b) return a * b end, function(a, b) return a / b end,
  function(a, b) return a % b end, function(a, b) return a ^ b end,
  function(a, b) return a // b end, function(a, b) return a & b end,
  function(a, b) return a | b end, function(a, b) return a ~ b end,
  function(a, b) return a << b end, function(a, b) return a >> b end,
  function(a, b) return a .. b end, function(a, b) return a == b end,
  function(a, b) return a < b end, function(a, b) return a <= b end,
  function(a) return -a end, function(a) return ~a end,
  function(a) return #a end, function(a, b) return a[b] end,
  function(a, b) a[b] = b end, function(a, b) return a(b) end,
  function(a, b) return a:b(b) end,
  function(a, b) for i = a, b do keep(i) end end,
  function(a) for k, v in pairs(a) do change(a) keep(k, v) end end,
  function(a) for k, v in next, a do a[k] = nil end end,
  function(a) for i, v in ipairs(a) do change(a) end end,
  function(a, b) return {a, b, a}, {[b] = a} end,
  function(a, b) return a .. b .. a .. b .. 1 end,
}

-- Calls a library function; or, rarely, computes something.
function call_something()
  if depth > 4 then return choose(10) end
  depth = depth + 1
  if choose(8) == 1 then
    local f, a, b = pick(operators), value(), value()
    note(format("operator with %s, %s", describe(a), describe(b)))
    keep(f(a, b))
    depth = depth - 1
    return a
  end
  local name, way = pick(names), choose(#ways)
  local args = arguments(name)
  local text = {}
  for i = 1, args.n do text[i] = describe(args[i]) end
  note(format("%s(%s), way %d, depth %d", name, concat(text, ", "), way, depth))
  local result = keep(ways[way](functions[name], args))
  depth = depth - 1
  return result
end

return function()
  depth = 0
  return call_something()
end, names
