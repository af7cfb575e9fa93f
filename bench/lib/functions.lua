-- SPDX-License-Identifier: MIT
-- Measures a call of each library function of this Lua.  Prints a line with its
-- name and nanoseconds.
--
--    lua functions.lua [<seconds for each>] [<pattern of names>]
--    lua functions.lua --check        checks that every function has a call

-- A call of each function, after its preparation. `f` is the function.
local calls = {
  {"assert", "f(i, 'message')"},
  {"collectgarbage", "f('count')"},
  {"error", "pcall(f)"},
  {"getmetatable", "f(t)", "local t = setmetatable({}, {})"},
  {"ipairs", "f(t)", "local t = {1}"},
  {"load", "f('return 1')"},
  {"next", "f(t, 1)", "local t = {1, 2}"},
  {"pairs", "f(t)", "local t = {1}"},
  {"pcall", "f(g)", "local function g() end"},
  {"rawequal", "f(i, 1)"},
  {"rawget", "f(t, 'x')", "local t = {x = 1}"},
  {"rawlen", "f(t)", "local t = {1, 2, 3}"},
  {"rawset", "f(t, 'x', i)", "local t = {x = 1}"},
  {"select", "f(2, i, i, i)"},
  {"setmetatable", "f(t, m)", "local t, m = {}, {}"},
  {"tonumber", "f('17')"},
  {"tostring", "f(i)"},
  {"type", "f(i)"},
  {"xpcall", "f(g, h)", "local function g() end local function h() end"},
  {"require", "f('string')"},

  {"coroutine.close", "f(co)", "local co = coroutine.create(print)"},
  {"coroutine.create", "f(g)", "local function g() end"},
  {"coroutine.isyieldable", "f()"},
  {"coroutine.resume", "f(co)",
   "local y = coroutine.yield local co = coroutine.create(function() while true do y() end end)"},
  {"coroutine.running", "f()"},
  {"coroutine.status", "f(co)", "local co = coroutine.create(print)"},
  {"coroutine.wrap", "f(g)", "local function g() end"},
  {"coroutine.yield", "w()",
   "local w = coroutine.wrap(function() while true do f() end end)"},

  {"math.abs", "f(-i)"},
  {"math.acos", "f(0.5)"},
  {"math.asin", "f(0.5)"},
  {"math.atan", "f(0.5)"},
  {"math.ceil", "f(x)", "local x = 1.5"},
  {"math.cos", "f(0.5)"},
  {"math.deg", "f(0.5)"},
  {"math.exp", "f(0.5)"},
  {"math.floor", "f(x)", "local x = 1.5"},
  {"math.fmod", "f(i, 7)"},
  {"math.log", "f(2.5)"},
  {"math.max", "f(i, 7)"},
  {"math.min", "f(i, 7)"},
  {"math.modf", "f(2.5)"},
  {"math.rad", "f(0.5)"},
  {"math.random", "f(100)"},
  {"math.randomseed", "f(i)"},
  {"math.sin", "f(0.5)"},
  {"math.sqrt", "f(i)"},
  {"math.tan", "f(0.5)"},
  {"math.tointeger", "f(3.0)"},
  {"math.type", "f(i)"},
  {"math.ult", "f(i, 7)"},

  {"string.byte", "f(s, 2)", "local s = 'some text'"},
  {"string.char", "f(65, 66, 67)"},
  {"string.dump", "f(g)", "local function g() end"},
  {"string.find", "f(s, 'text')", "local s = 'some text'"},
  {"string.find", "f(s, 't%w+')", "local s = 'some text'", "pattern"},
  {"string.format", "f('%d %s', i, 'x')"},
  {"string.gmatch", "for w in f(s, '%a+') do end", "local s = 'some text'"},
  {"string.gsub", "f(s, 't', 'd')", "local s = 'some text'"},
  {"string.len", "f(s)", "local s = 'some text'"},
  {"string.lower", "f(s)", "local s = 'Some Text'"},
  {"string.match", "f(s, '%a+')", "local s = 'some text'"},
  {"string.pack", "f('<i4', i)"},
  {"string.packsize", "f('<i4')"},
  {"string.rep", "f('ab', 10)"},
  {"string.reverse", "f(s)", "local s = 'some text'"},
  {"string.sub", "f(s, 3, 6)", "local s = 'some text'"},
  {"string.unpack", "f('<i4', 'abcd')"},
  {"string.upper", "f(s)", "local s = 'Some Text'"},

  {"table.concat", "f(t, ',')", "local t = {'a', 'b', 'c', 'd'}"},
  {"table.insert", "t[3] = nil f(t, i)", "local t = {1, 2}"},
  {"table.insert", "f(t, 1, i) t[11] = nil",
   "local t = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", "first of 10"},
  {"table.move", "f(t, 1, 10, 2, u)",
   "local t, u = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {}"},
  {"table.pack", "f(i, i, i)"},
  {"table.remove", "t[3] = i f(t)", "local t = {1, 2}"},
  {"table.remove", "t[10] = i f(t, 1)",
   "local t = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", "first of 10"},
  {"table.sort", "t[1], t[8] = t[8], t[1] f(t)",
   "local t = {1, 2, 3, 4, 5, 6, 7, 8}"},
  {"table.sort", "t[1], t[8] = t[8], t[1] f(t, g)",
   "local t = {1, 2, 3, 4, 5, 6, 7, 8} local function g(a, b) return a < b end",
   "by a function"},
  {"table.unpack", "f(t)", "local t = {1, 2, 3}"},

  {"utf8.char", "f(228, 8364)"},
  {"utf8.codepoint", "f(s)", "local s = '\195\164\226\130\172'"},
  {"utf8.codes", "for p, c in f(s) do end", "local s = '\195\164\226\130\172'"},
  {"utf8.len", "f(s)", "local s = '\195\164\226\130\172'"},
  {"utf8.offset", "f(s, 2)", "local s = '\195\164\226\130\172'"},

  {"os.clock", "f()"},
  {"os.date", "f('!%Y', 0)"},
  {"os.difftime", "f(2, 1)"},
  {"os.getenv", "f('HOME')"},
  {"os.setlocale", "f()"},
  {"os.time", "f()"},

  {"io.open", "f('/dev/null'):close()"},
  {"io.type", "f(io.stdout)"},
  {"io.write", "f('x')", "io.output('/dev/null')"},
  {"io.read", "f(0)", "io.input('/dev/zero')"},

  {"debug.gethook", "f()"},
  {"debug.getinfo", "f(1, 'l')"},
  {"debug.getlocal", "f(1, 1)"},
  {"debug.getmetatable", "f(t)", "local t = setmetatable({}, {})"},
  {"debug.getregistry", "f()"},
  {"debug.getupvalue", "f(g, 1)", "local x local function g() return x end"},
  {"debug.getuservalue", "f(io.stdout, 1)"},
  {"debug.sethook", "f()"},
  {"debug.setlocal", "f(1, 1, 1)"},
  {"debug.setmetatable", "f(t, m)", "local t, m = {}, {}"},
  {"debug.setupvalue", "f(g, 1, 1)", "local x local function g() return x end"},
  {"debug.setuservalue", "f(io.stdout, 1, 1)"},
  {"debug.traceback", "f('x')"},
  {"debug.upvalueid", "f(g, 1)", "local x local function g() return x end"},
  {"debug.upvaluejoin", "f(g, 1, g, 1)",
   "local x local function g() return x end"},
}

-- Functions that are not called: they end the program, start another one, wait
-- for input, change files, or report something that is seldom available.
local left_out = [[
  dofile loadfile print warn os.execute os.exit os.remove os.rename os.tmpname
  io.close io.flush io.input io.lines io.output io.popen io.tmpfile debug.debug
  debug.setcstacklimit package.loadlib package.searchpath
  math.atan2 math.cosh math.frexp math.ldexp math.log10 math.pow math.sinh
  math.tanh
]]

local load = loadstring or load

local function function_of(name)
  local library, field = name:match("^(%w+)%.(%w+)$")
  if not library then return _G[name] end
  return _G[library] and _G[library][field]
end

local function check()
  local known, missing = {}, {}
  for name in left_out:gmatch("%S+") do known[name] = true end
  for _, call in ipairs(calls) do known[call[1]] = true end
  local function look(prefix, library)
    for name, value in pairs(library) do
      if type(value) == "function" and not known[prefix .. name] then
        missing[#missing + 1] = prefix .. name
      end
    end
  end
  look("", _G)
  for _, name in ipairs { "coroutine", "debug", "io", "math", "os", "package",
                          "string", "table", "utf8" } do
    look(name .. ".", _G[name])
  end
  if #missing > 0 then error("not measured: " .. table.concat(missing, " ")) end
  for _, call in ipairs(calls) do
    assert(function_of(call[1]), call[1] .. " does not exist")
  end
  print("all functions are measured")
end

-- A function that makes n calls, four in each iteration.
local function loop_of(call, f)
  local text = ("local f = ... %s return function(n) for i = 1, n do %s end end")
    :format(call[3] or "", (call[2] .. " "):rep(4))
  return assert(load(text, "=" .. call[1]))(f)
end

-- Nanoseconds of the fastest of several rounds.
local function measure(loop, seconds)
  local n, time = 16, 0
  repeat
    n = n * 2
    local start = os.clock()
    loop(n)
    time = os.clock() - start
  until time > seconds / 16
  local best = time / n
  local stop = os.clock() + seconds
  repeat
    local start = os.clock()
    loop(n)
    best = math.min(best, (os.clock() - start) / n)
  until os.clock() > stop
  return best / 4 * 1e9
end

if arg[1] == "--check" then return check() end

local seconds, pattern = tonumber(arg[1]) or 0.1, arg[2] or ""
for _, call in ipairs(calls) do
  local f = function_of(call[1])
  local name = call[4] and ("%s (%s)"):format(call[1], call[4]) or call[1]
  if f and name:find(pattern) then
    local out = io.output()
    local ns = measure(loop_of(call, f), seconds)
    io.output(out)
    debug.sethook()
    print(("%s\t%.2f"):format(name, ns))
  end
end
