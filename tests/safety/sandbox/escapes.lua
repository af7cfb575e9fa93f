-- Scripts that try to run forever, to use up memory, or to leave a sandbox.
--
--    penumbra escapes.lua [--table] [milliseconds late]
--
-- Each script runs with 50 ms and 16 MB.  The second field says what must stop
-- it: "budget", "memory" (or the budget, where a build is slow) or "error".
-- "nothing" is for tricks that end by themselves and must return false.
-- Afterwards the host must be unchanged.  With --table, prints what stopped
-- each script, and after how long.
local sandbox = require "penumbra.sandbox"

local show = arg[1] == "--table"
local late = tonumber(arg[#arg]) or 10
local TIME, MEMORY = 0.05, 16e6

local scripts = {
  -- Running forever
  {"loop", "budget", [[while true do end]]},
  {"for", "budget", [[for i = 1, math.huge do end]]},
  {"goto", "budget", [[::a:: goto a]]},
  {"repeat", "budget", [[repeat local x = 1 until not x]]},
  {"tail call", "budget", [[local function f() return f() end return f()]]},
  {"generic for", "budget", [[for _ in function() return 1 end do end]]},
  {"pcall around", "budget",
   [[while true do pcall(function() while true do end end) end]]},
  {"pcall of pcall", "budget",
   [[local function f() pcall(f) while true do end end f()]]},
  {"xpcall handler", "budget", [[while true do
     xpcall(function() while true do end end,
            function() while true do end end) end]]},
  {"errors in a loop", "budget", [[while true do pcall(error, {}) end]]},
  {"coroutine", "budget",
   [[coroutine.wrap(function() while true do end end)()]]},
  {"coroutines", "budget", [[while true do
     coroutine.resume(coroutine.create(function() while true do end end)) end]]},
  {"nested coroutines", "budget", [[local function f(n)
     if n == 0 then while true do end end
     pcall(coroutine.wrap(function() pcall(f, n - 1) while true do end end))
     while true do end end f(20)]]},
  {"two coroutines", "budget", [[
     local co = coroutine.wrap(function() while true do coroutine.yield() end end)
     while true do co() end]]},
  {"__close", "budget", [[local x <close> = setmetatable({},
     {__close = function() while true do end end}) while true do end]]},
  {"__close in a coroutine", "budget", [[
     local co = coroutine.create(function()
       local x <close> = setmetatable({}, {__close = function()
         while true do end end}) coroutine.yield() end)
     coroutine.resume(co) coroutine.close(co) while true do end]]},
  {"__index chain", "budget", [[local t = setmetatable({}, {__index =
     function(t, k) while true do end end}) return t.x]]},
  {"__tostring", "budget", [[tostring(setmetatable({},
     {__tostring = function() while true do end end}))]]},
  {"__eq, __lt, __concat", "budget", [[local m = {} m.__lt = function()
     while true do end end local a = setmetatable({}, m) return a < a]]},
  {"sort", "budget", [[local t = {} for i = 1, 1e5 do t[i] = i end
     while true do table.sort(t, function(a, b) return a > b end) end]]},
  {"sort comparator", "budget",
   [[table.sort({1, 2, 3}, function() while true do end end)]]},
  {"gsub callback", "budget",
   [[("x"):rep(10):gsub(".", function() while true do end end)]]},
  {"pattern", "budget",
   [[return ("x"):rep(1e6):find((".-"):rep(30) .. "b")]]},
  {"pattern with captures", "budget",
   [[return ("a"):rep(1e5):match("(.-)(.-)(.-)(.-)%1%2b")]]},
  {"pattern that spans", "budget", [[local s = ("a"):rep(1e6)
     while true do s:find("[b-z]") end]]},
  {"balanced pattern", "budget",
   [[local s = ("("):rep(1e6) while true do s:find("%b()") end]]},
  {"plain find", "budget", [[local s = ("a"):rep(1e6)
     while true do s:find(("a"):rep(5e5) .. "b", 1, true) end]]},
  {"gsub", "budget",
   [[local s = ("ab"):rep(1e5) while true do s:gsub("a", "%0%0") end]]},
  {"gmatch", "budget", [[local s = ("a"):rep(1e5)
     while true do for w in s:gmatch(".-b") do end end]]},
  {"upper", "budget",
   [[local s = ("x"):rep(2e6) while true do s:upper() end]]},
  {"concatenation", "budget",
   [[local s = ("x"):rep(1e6) while true do local t = s .. s end]]},
  {"equality of strings", "budget", [[local s, r = ("x"):rep(2e6), ("x"):rep(2e6)
     while s == r do end]]},
  {"order of strings", "budget", [[local s, r = ("x"):rep(2e6), ("x"):rep(2e6)
     while s <= r do end]]},
  {"long keys", "budget", [[local s, t = ("x"):rep(2e6), {}
     while true do t[s .. 1] = nil end]]},
  {"table.concat", "budget", [[local t = {} for i = 1, 1e5 do t[i] = "abc" end
     while true do table.concat(t, ",") end]]},
  {"table.unpack", "budget", [[local t = {} for i = 1, 1e5 do t[i] = i end
     while true do table.unpack(t) end]]},
  {"table.move", "budget", [[local t = {} for i = 1, 1e5 do t[i] = i end
     while true do table.move(t, 1, #t, 2) end]]},
  {"table.move with __index", "budget", [[table.move(setmetatable({},
     {__index = function() return 1 end}), 1, 1e15, 1, setmetatable({},
     {__newindex = function() end}))]]},
  {"table.insert", "budget", [[local t = {} for i = 1, 1e5 do t[i] = i end
     while true do table.insert(t, 1, 0) end]]},
  {"next over an emptied table", "budget", [[local t = {}
     for i = 1, 3e5 do t[i] = i end for i = 1, 3e5 do t[i] = nil end
     while true do next(t) end]]},
  {"load", "budget",
   [[local s = ("x = x + 1 "):rep(1e5) while true do load(s) end]]},
  {"load a comment", "budget",
   [[local s = ("-"):rep(3e6) while true do load(s) end]]},
  {"load with a reader", "budget", [[load(function() return " " end)]]},
  {"string.format", "budget", [[local s = ("x"):rep(1e6)
     while true do string.format("%s%q", s, s) end]]},
  {"string.pack", "budget", [[local s = ("b"):rep(1e6)
     while true do string.packsize(s) end]]},
  {"zeros in a format of string.packsize", "budget",
   [[local s = "c" .. ("0"):rep(2e6) .. "1" while true do string.packsize(s) end]]},
  {"zeros in a format of string.pack", "budget",
   [[local s = "i" .. ("0"):rep(2e6) .. "4" while true do string.pack(s, 1) end]]},
  {"zeros in a format of string.unpack", "budget",
   [[local s = "!" .. ("0"):rep(2e6) .. "8" while true do string.unpack(s, "") end]]},
  {"string.unpack without a zero", "budget",
   [[local s = ("x"):rep(8e6) while true do pcall(string.unpack, "z", s) end]]},
  {"tonumber with a base", "budget",
   [[local s = ("x"):rep(8e6) while true do tonumber(s, 36) end]]},
  {"tostring with a long name", "budget",
   [[local o = setmetatable({}, {__name = ("x"):rep(2e6)})
     while true do pcall(tostring, o) pcall(math.abs, o) end]]},
  {"load with a long mode", "budget",
   [[local s = ("x"):rep(8e6) while true do load("", "", s) end]]},
  {"string.byte", "budget",
   [[local s = ("x"):rep(1e5) while true do s:byte(1, -1) end]]},
  {"tonumber", "budget",
   [[local s = ("1"):rep(1e6) while true do tonumber(s) end]]},
  {"a numeral of ten million digits", "budget", [[local s = ("1"):rep(1e7)
     while true do local _ = s + 0 end]]},
  {"a hexadecimal numeral of five million digits", "budget",
   [[local s = "0x" .. ("a"):rep(5e6) while true do math.abs(s) end]]},
  {"zeros compared", "budget", [[local a = ("\0"):rep(5e6) local b = a .. "x"
     while true do local _ = a < b end]]},
  {"errors", "budget", [[while true do pcall(error, {}) end]]},
  {"errors of a library without a name", "budget",
   [[local f = string.gmatch("x", "x") while true do pcall(f, pcall(f, {})) end]]},
  {"load of nothing", "budget", [[while true do load("") end]]},
  {"a long format of os.date", "budget", [[local s = ("x"):rep(7e6)
     while true do pcall(os.date, s) end]]},
  {"numerals for string.char", "budget", [[local n, t = (" "):rep(5e6) .. "65", {}
     for i = 1, 1000 do t[i] = n end string.char(table.unpack(t))]]},
  {"numerals for utf8.char", "budget", [[local n, t = (" "):rep(5e6) .. "65", {}
     for i = 1, 1000 do t[i] = n end utf8.char(table.unpack(t))]]},
  {"utf8.len", "budget",
   [[local s = ("\u{20ac}"):rep(1e5) while true do utf8.len(s) end]]},
  {"select", "budget", [[local t = {} for i = 1, 1e5 do t[i] = i end
     local function f(...) while true do select("#", ...) end end
     f(table.unpack(t))]]},
  -- Loops in C whose length the script chooses
  {"cycle of __call", "budget", [[local mt = {} local o = setmetatable({}, mt)
     mt.__call = o while true do pcall(o) end]]},
  {"chain of __call", "budget", [[local o = type
     for i = 1, 2000 do o = setmetatable({}, {__call = o}) end
     while true do pcall(o, table.unpack({}, 1, 2000)) end]]},
  {"gsub with many captures", "budget",
   [[("x"):rep(600):gsub("", ("%0"):rep(2e6))]]},
  {"gsub with many escapes", "budget",
   [[while true do ("x"):rep(100):gsub("", ("%%"):rep(2e4)) end]]},
  {"next with a long key", "budget", [[local t = {[("x"):rep(5e6)] = 1}
     local k = ("x"):rep(5e6) while true do next(t, k) end]]},
  {"rawget with a long key", "budget", [[local t = {[("x"):rep(5e6)] = 1}
     local k = ("x"):rep(5e6) while true do rawget(t, k) end]]},
  {"rawset with a long key", "budget", [[local t = {[("x"):rep(5e6)] = 1}
     local k = ("x"):rep(5e6) while true do rawset(t, k, 2) end]]},
  {"os.time at the end of time", "budget", [[while true do
     os.time {year = (1 << 31) + 1899, month = 1, day = 1, isdst = true}
     os.time {year = -(1 << 31) + 1900, month = 1, day = 1, isdst = true} end]]},
  {"os.time in summer", "budget", [[while true do
     os.time {year = 2000, month = 1, day = 1, isdst = true} end]]},
  {"format of long numerals", "budget", [[local n, t = ("1"):rep(2e6), {}
     for i = 1, 200 do t[i] = n end
     while true do pcall(string.format, ("%d"):rep(200), table.unpack(t)) end]]},
  {"format of long strings", "budget", [[local s = ("x"):rep(7e6)
     while true do string.format("%.1s", s) string.format("%.3s", s) end]]},
  {"format of percents", "budget", [[local s = ("%%"):rep(2e6)
     while true do string.format(s) end]]},
  {"format of huge floats", "budget",
   [[while true do string.format("%.99f", 1.7976931348623157e308) end]]},
  {"float remainder", "budget", [[local x, y = 1.7976931348623157e308, 2.3e-308
     while true do local _ = x % y _ = x % y _ = x % y _ = x % y end]]},
  {"arithmetic on numerals", "budget", [[local s = ("7"):rep(720) .. "e-300"
     while true do local _ = s + s _ = s * s end]]},
  {"text of denormals", "budget", [[local x = 5e-324
     while true do local _ = x .. "" .. x .. "" .. x .. "" .. x end]]},
  {"table.concat of denormals", "budget", [[local t = {}
     for i = 1, 700 do t[i] = 5e-324 end while true do table.concat(t) end]]},
  {"load of and, or", "budget", [[
     local a = "return " .. ("a and "):rep(6000) .. "a"
     local o = "return " .. ("a or "):rep(6000) .. "a"
     while true do load(a) load(o) end]]},
  {"load of gotos", "budget", [[
     local s = "::a:: " .. ("goto a "):rep(30000) while true do load(s) end]]},
  {"load of names in deep functions", "budget", [[local t = {}
     for i = 1, 190 do t[i] = "a" .. i end
     local s = "local " .. table.concat(t, ",") .. " local function f() "
     s = s:rep(150) .. ("x=1 "):rep(1e5) .. ("end "):rep(150)
     while true do load(s) end]]},
  {"pattern that fails late", "budget", [[local s = ("x"):rep(700)
     while true do s:find(s .. "[y]") end]]},
  {"pattern with many references", "budget", [[local s = ("xy"):rep(350)
     local p = "(xy)" .. ("%1"):rep(349) .. "z" while true do s:find(p) end]]},
  {"pattern with long sets", "budget", [[local s = ("x"):rep(30000)
     local p = ("[ax]"):rep(40) .. "[" .. ("a"):rep(30000) .. "]"
     while true do s:find(p) end]]},
  {"__index of tables", "budget", [[local o = {}
     for i = 1, 1000 do o = setmetatable({}, {__index = o}) end
     while true do local _ = o.x end]]},
  {"handlers that raise", "budget", [[local s = ("x"):rep(30000)
     while true do xpcall(error, error, s) end]]},
  -- Using up memory
  {"table of tables", "memory",
   [[local t = {} while true do t[#t + 1] = {} end]]},
  {"doubling string", "memory",
   [[local s = "x" while true do s = s .. s end]]},
  {"rep", "memory", [[return ("x"):rep(1e9)]]},
  {"rep of rep", "memory", [[return ("x"):rep(1e4):rep(1e5)]]},
  {"hash", "memory",
   [[local t = {} local i = 0 while true do i = i + 1 t["k" .. i] = i end]]},
  {"linked list", "memory", [[local t while true do t = {t} end]]},
  {"closures", "memory", [[local f = function() end
     while true do local g = f f = function() return g end end]]},
  {"coroutines kept", "memory", [[local t = {}
     while true do t[#t + 1] = coroutine.create(function() end) end]]},
  {"table.concat", "memory", [[local t = {} for i = 1, 1000 do t[i] = ("x"):rep(1000) end
     local s = table.concat(t) for i = 1, 30 do t[i] = s .. i end
     return table.concat(t)]]},
  {"gsub that grows", "memory",
   [[local s = ("x"):rep(1e4) for i = 1, 4 do s = s:gsub("x", s) end]]},
  {"pcall around memory", "memory", [[local t = {}
     while true do pcall(function() while true do t[#t + 1] = {} end end) end]]},
  {"deep recursion", "error|memory", [[local function f() return 1 + f() end f()]]},
  {"recursion in C", "error",
   [[local function f() return (("x"):gsub(".", f)) end f()]]},
  {"deep data", "error", [[return assert(load("return " .. ("("):rep(1e4) .. "1" .. (")"):rep(1e4)))]]},
  {"many arguments", "error", [[return select("#", table.unpack({}, 1, 1e6))]]},
  -- Leaving the sandbox
  {"io, os, debug, require", "nothing", [[return io or debug or require or
     package or dofile or loadfile or os.execute or os.exit or os.remove or
     os.getenv or os.setlocale or os.tmpname]]},
  {"string metatable", "nothing", [[return type(getmetatable("")) == "table"]]},
  {"setmetatable on a string", "error", [[setmetatable("", {})]]},
  {"change string methods", "nothing", [[string.rep = function() return "mine" end
     string.upper = nil return ("x"):rep(2) == "mine"]]},
  {"change other libraries", "nothing", [[table.insert = nil math.max = nil
     coroutine.wrap = nil _G.pairs = nil return false]]},
  {"binary chunk", "nothing",
   [[return load("\27Lua" .. ("\0"):rep(50)) ~= nil]]},
  {"binary chunk, mode b", "nothing", [[return load("x", "x", "b") ~= nil]]},
  {"binary chunk by a reader", "nothing", [[local sent
     return load(function() if not sent then sent = true return "\27Lua" end
       end, "x", "bt") ~= nil]]},
  {"load gives host globals", "nothing",
   [[local g = load("return _G")() return g ~= _G or g.io ~= nil or g.arg]]},
  {"load without _ENV", "nothing",
   [[local f = load("return x, _ENV", "x", "t", nil) return pcall(f)]]},
  {"load with an environment", "nothing",
   [[return load("return io", "x", "t", {})() ~= nil]]},
  {"string.dump", "nothing", [[return string.dump ~= nil]]},
  {"dump by a method", "nothing", [[return ("").dump ~= nil]]},
  {"method of the host", "nothing", [[return ("").host_method ~= nil]]},
  {"method of the host, called", "error", [[return (""):host_method()]]},
  {"method of the host, by __index", "nothing",
   [[return setmetatable({}, {__index = ""}).host_method ~= nil]]},
  {"method of the host, by load", "nothing",
   [[return load("return ('').host_method")() ~= nil]]},
  {"method of the host, in a coroutine", "nothing",
   [[return coroutine.wrap(function() return ("").host_method end)() ~= nil]]},
  {"method of the host, by gsub", "nothing", [[
     local words = setmetatable({}, {__index = ""})
     return not pcall(string.gsub, "host_method", "%w+", words)]]},
  {"method of the host, by gsub at the end", "nothing", [[
     local words = setmetatable({}, {__index = ""})
     local function look() return string.gsub("host_method", "[%w_]+", words) end
     return not pcall(look)]]},
  {"method of the host, by gsub in a coroutine", "nothing", [[
     local words = setmetatable({}, {__index = ""})
     return not coroutine.resume(coroutine.create(string.gsub),
       "host_method", "[%w_]+", words)]]},
  {"metatable by a message handler", "nothing", [[
     local _, m = xpcall(failing, getmetatable) return type(m) == "table"]]},
  {"metatable by a callback of the host", "nothing",
   [[return type(through(getmetatable, "")) == "table"]]},
  {"metatable by __concat in the host", "nothing", [[
     local m = through(concat, setmetatable({}, {__concat = getmetatable}))
     return type(m) == "table" and m.__index ~= nil]]},
  {"method of the host, by gsub in the host", "nothing", [[
     local words = setmetatable({}, {__index = ""})
     return not pcall(through, string.gsub, "host_method", "[%w_]+", words)]]},
  {"metatable of numbers", "nothing", [[return getmetatable(0) ~= nil]]},
  {"metatable of numbers, used", "error", [[return (1).host_method]]},
  {"metatable of functions, used", "error", [[return print.host_method]]},
  {"arithmetic of the host", "error", [[return "x" + 1]]},
  {"finalizer", "error", [[setmetatable({}, {__gc = function()
     while true do end end})]]},
  {"finalizer later", "nothing", [[local m = {} local t = setmetatable({}, m)
     m.__gc = function() while true do end end t = nil return false]]},
  {"finalizer by a proxy", "nothing", [[setmetatable({}, setmetatable({},
     {__index = function(_, k) if k == "__gc" then return print end end}))
     return false]]},
  {"collectgarbage stop", "error", [[collectgarbage("stop")]]},
  {"collectgarbage collect", "error", [[collectgarbage()]]},
  {"error object with __tostring", "error", [[error(setmetatable({},
     {__tostring = function() while true do end end}))]]},
  {"error object with __index", "error", [[error(setmetatable({},
     {__index = function() while true do end end}))]]},
  {"protected metatable", "nothing",
   [[return pcall(setmetatable, getmetatable(""), {})]]},
  {"rawset on _G", "nothing", [[rawset(_G, "print", nil) return false]]},
  {"_ENV", "nothing", [[local _ENV = {} return io ~= nil]]},
  {"main coroutine", "nothing", [[local co = coroutine.running()
     return (coroutine.resume(co)) or (pcall(coroutine.close, co))]]},
  {"yield to the host", "error", [[coroutine.yield(1)]]},
  {"host function's globals", "nothing",
   [[return host() ~= "host"]]},
  {"host function with a callback", "budget",
   [[callback(function() while true do end end)]]},
  {"pcall in a host function", "budget",
   [[protected(function() while true do end end) while true do end]]},
  {"warn", "nothing", [[return warn ~= nil]]},
  {"random seed", "nothing", [[return math.randomseed ~= nil]]},
}

-- What the host adds to strings is for the host only. A value that is no
-- string makes string.gsub fail, so that the scripts see it.
function string.host_method() return true end
getmetatable("").__add = function() return true end
debug.setmetatable(0, {__index = string})
debug.setmetatable(print, {__index = string})

-- Values that scripts must not change.
local sentinel = {}
host_value = sentinel
local function host_is_intact()
  assert(host_value == sentinel and x == nil)
  assert(("x"):rep(3) == "xxx" and ("x"):upper() == "X")
  assert(getmetatable("").__index == string and "x" + 1 == true)
  assert(("x"):host_method() and ("").dump)
  assert((1).host_method and print.host_method)
  assert(string.dump and table.insert and math.max and coroutine.wrap)
  assert(pairs and io and collectgarbage("isrunning"))
end

local function new_box()
  return sandbox.new {time = TIME, memory = MEMORY, globals = {
    host = function() return "host" end,
    callback = function(f) return ("x"):host_method() and f() end,
    through = function(f, ...) return f(...) end,
    concat = function(v) return "Hello, " .. v end,
    failing = function(v) return #v end,
    protected = function(f) return pcall(f) end,
  }}
end

-- Runs a script in a new sandbox. Returns what happened, and how long it took.
local function try(name, code)
  local box = new_box()
  collectgarbage()
  local start = os.clock()
  local ok, result, why = box:run(code, "=" .. name)
  return (os.clock() - start) * 1000, ok, result, why
end

local rows, worst, failures = {}, 0, 0
for _, script in ipairs(scripts) do
  local name, expected, code = table.unpack(script)
  local ms, ok, result, why = try(name, code)
  if ms - TIME * 1000 > late then -- the machine may have been busy
    ms, ok, result, why = try(name, code)
  end
  local stopped = ok and "nothing" or why
  local over = ms - TIME * 1000
  if over > worst then worst = over end
  if expected == "memory" then expected = "memory|budget" end
  local good = ("|" .. expected .. "|"):find("|" .. stopped .. "|", 1, true)
  if ok and result then good = false end
  if over > late then good = false end
  if not good then
    failures = failures + 1
    print(("%s: stopped by %s after %.1f ms, got %s"):format(
      name, stopped, ms, type(result) == "string" and result or type(result)))
  end
  local message = type(result) == "string" and not ok and result or ""
  rows[#rows + 1] = ("| %s | %s | %.1f | %s |"):format(
    name, stopped, ms, (message:gsub("[|\n].*", ""):sub(1, 60)))
  host_is_intact()
end

-- Long text that is no UTF-8: a single step passes over all of it, and is
-- counted all the same.
local odd = "a" .. ("\x80"):rep(1000000)
for _, code in ipairs {
  "return utf8.offset(..., 2)",
  "return utf8.offset(..., -1)",
  "local s = ... return utf8.offset(s, 0, #s)",
  "local f = utf8.codes('a') return f(..., 1)",
} do
  local ok, _, why = sandbox.new({units = 10000}):run(code, "=odd", odd)
  if ok or why ~= "budget" then
    failures = failures + 1
    print(("%s: not stopped by its budget"):format(code))
  end
end
-- Finalizers of the host that become due in a run end, and their time counts.
-- Without the sandbox they may be the code's own, and are stopped.
local begun, ended, failed = 0, 0, 0
local function long_finalizer()
  begun = begun + 1
  for _ = 1, 1000 do ("x"):host_method() end
  if not pcall(error) then ended = ended + 1 end
end
local handler = {__gc = long_finalizer}
for _, code in ipairs {
  "while true do local t = {} end",
  "local c <close> = setmetatable({}, {__close = function() t = {} end}) while true do t = {} end",
} do
  local box = sandbox.new {units = 300000}
  for _ = 1, 200 do setmetatable({}, handler) end
  local ok, _, why = box:run(code)
  if ok or why ~= "budget" then failed = failed + 1 end
end
if begun == 0 or ended ~= begun or failed > 0 then
  failures = failures + 1
  print(("%d finalizers of the host began, %d ended"):format(begun, ended))
end

-- Finalizers of the host that become due when the script has used up its memory
-- or the stack do not fail.
local text_size = 60000
local demanding = {__gc = function()
  begun = begun + 1
  local function deep(n) return n == 0 and 0 or 1 + deep(n - 1) end
  local text = ("x"):rep(text_size) .. begun
  if #text > text_size and deep(100) == 100 then
    local s = ("x"):gsub(".", function() return ("y"):gsub("y", "z") end)
    if s == "z" then ended = ended + 1 end
  end
end}
local function make() setmetatable({}, demanding) end
for _, code in ipairs {
  [[local t, n = {}, 0
    local function more() t[#t + 1] = ("x"):rep(1000) .. #t end
    while n < 300 do make() if not pcall(more) then n = n + 1 end end]],
  "local function f() make() return 1 + f() end pcall(f)",
  [[local function f(s) make() make() return (s:gsub(".", f)) end
    for _ = 1, 300 do pcall(f, "x") end]],
} do
  local box = sandbox.new {memory = 40000000, globals = {make = make}}
  begun, ended = 0, 0
  box:run(code)
  text_size = 1000
  if begun == 0 or ended ~= begun then
    failures = failures + 1
    print(("%d demanding finalizers of the host began, %d ended"):format(
      begun, ended))
  end
end

-- Finalizers that take longer than the script may: it ends after the first that
-- goes beyond its time.
do
  local called = 0
  local slow = {__gc = function()
    called = called + 1
    local start = os.clock()
    repeat until os.clock() - start > TIME / 5
  end}
  for _ = 1, 100 do setmetatable({}, slow) end
  local ok, _, why = new_box():run "while true do local t = {} end"
  if ok or why ~= "budget" or called > 20 then
    failures = failures + 1
    print(("%d slow finalizers of the host in one run"):format(called))
  end
end
-- At the limit the collector has no memory for its index of weak keys, and a whole
-- collection takes seconds. It is given up when the time is over. Whether there
-- is any memory left depends on the limit.
for memory = 6e6, 14e6, 1e6 do
  collectgarbage()
  local box, start = sandbox.new {time = 3 * TIME, memory = memory}, os.clock()
  local ok, _, why = box:run [[
    local key, mode = {}, {__mode = "k"}
    local first = setmetatable({}, mode)
    local last = first
    pcall(function()
      while true do
        local new = {}
        last.next = setmetatable({[new] = key}, mode)
        key, last = new, last.next
      end
    end)
    while true do pcall(string.rep, "x", 1e6) end]]
  local over = (os.clock() - start - 3 * TIME) * 1000
  if ok or why ~= "budget" or over > late then
    failures = failures + 1
    print(("a chain of weak keys, %d bytes: %s, %.1f ms too long"):format(memory, why, over))
  end
end
if not sandbox.new(nil):run "return 1" then
  failures = failures + 1
  print "a sandbox without limits does not run"
end

if show then
  print "| script | stopped by | after, ms | message |"
  print "|---|---|--:|---|"
  for _, row in ipairs(rows) do print(row) end
end
print(("%d scripts, %d failures; the worst was %.1f ms over its %d ms"):format(
  #scripts, failures, worst, TIME * 1000))
os.exit(failures == 0)
