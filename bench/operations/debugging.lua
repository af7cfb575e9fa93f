-- SPDX-License-Identifier: MIT
-- The debug library.

local op = ...

for _, what in ipairs { "n", "S", "l", "u", "f", "t", "r", "L", "nSl", "nSltufrL" } do
  op("getinfo(1, '" .. what .. "')", "local x", ("x = debug.getinfo(1, '%s')"):format(what))
end
op("getinfo(1)", "local x", "x = debug.getinfo(1)")
op("getinfo(2, 'n') in a function", "local function f() return debug.getinfo(1, 'n') end", "local x = f()")
op("getinfo(1, 'n') at the end of a long function", "local function g() return debug.getinfo(1, 'n') end local x local function f() " ..
   ("do local a = 1; a = a + 1; end "):rep(300) .. " x = g() end", "f()")
op("getinfo(1, 'l') at the end of a long function", "local x local function f() " ..
   ("do local a = 1; a = a + 1; end "):rep(300) .. " x = debug.getinfo(1, 'l') end", "f()")
op("getinfo of a function", "local f, x = function() end", "x = debug.getinfo(f)")
op("getinfo of a function, 'S'", "local f, x = function() end", "x = debug.getinfo(f, 'S')")
op("getinfo of a C function", "local x", "x = debug.getinfo(print)")
op("getinfo beyond the stack", "local x", "x = debug.getinfo(1000)")
op("getinfo ten calls up", "local function f(n) if n > 0 then return (f(n - 1)) end return debug.getinfo(10, 'Sl') end", "f(12)")
op("the current line", "local x", "x = debug.getinfo(1, 'l').currentline")
op("traceback", "local x", "x = debug.traceback()")
op("traceback with a message", "local x", "x = debug.traceback('message')")
op("traceback, 10 deep", "local x local function f(n) if n > 0 then f(n - 1) else x = debug.traceback() end return n end", "f(10)")
op("traceback, 100 deep", "local x local function f(n) if n > 0 then f(n - 1) else x = debug.traceback() end return n end", "f(100)")
op("traceback through methods", "local o = {} function o:m(n) if n > 0 then self:m(n - 1) else o.x = debug.traceback() end return n end", "o:m(8)")
op("traceback of a coroutine", "local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) local x", "x = debug.traceback(co)")
op("traceback that is no string", "local x, t = nil, {}", "x = debug.traceback(t)")
op("getlocal", "local x, y", "x, y = debug.getlocal(1, 1)")
op("getlocal, the 20th", "local a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20 local x", "x = debug.getlocal(1, 20)")
op("getlocal, all", "local a, b, c, d = 1, 2, 3, 4", "local j = 1 while debug.getlocal(1, j) do j = j + 1 end")
op("getlocal of a function", "local function f(a, b) end local x", "x = debug.getlocal(f, 2)")
op("setlocal", "local function f(a) debug.setlocal(1, 1, 5) return a end", "f(i)")
op("getupvalue", "local u = 1 local function f() return u end local x", "x = debug.getupvalue(f, 1)")
op("setupvalue", "local u = 1 local function f() return u end", "debug.setupvalue(f, 1, i)")
op("upvalueid", "local u = 1 local function f() return u end local x", "x = debug.upvalueid(f, 1)")
op("upvaluejoin", "local u, v = 1, 2 local function f() return u end local function g() return v end", "debug.upvaluejoin(f, 1, g, 1)")
op("debug.getmetatable", "local x", "x = debug.getmetatable('')")
op("debug.setmetatable", "local t, mt = {}, {}", "debug.setmetatable(t, mt)")
op("getregistry", "local x", "x = debug.getregistry()")
op("getuservalue", "local x", "x = debug.getuservalue(io.stdout, 1)")
op("gethook", "local x", "x = debug.gethook()")
op("sethook, on and off", "local h = function() end", "debug.sethook(h, 'c'); debug.sethook()")
op("a call hook", "local function f() end local n = 0", "debug.sethook(function() n = n + 1 end, 'c'); for j = 1, 20 do f() end debug.sethook()")
op("a line hook", "local n = 0", "debug.sethook(function() n = n + 1 end, 'l')\nlocal a = 1\na = a + 1\na = a + 1\na = a + 1\na = a + 1\na = a + 1\na = a + 1\na = a + 1\ndebug.sethook()")
op("a count hook", "local n = 0", "debug.sethook(function() n = n + 1 end, '', 100); for j = 1, 1000 do end debug.sethook()")
op("a hook that counts seldom", "local n = 0", "debug.sethook(function() n = n + 1 end, '', 1000000); for j = 1, 1000 do end debug.sethook()")
