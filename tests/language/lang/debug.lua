-- SPDX-License-Identifier: MIT
-- The debug library (manual, 6.10)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- getinfo
local function sample(a, b, ...)
  local c = a
  return debug.getinfo(1, "nSlutf")
end
local i = sample(1, 2)
print(i.name, i.namewhat, i.what, i.short_src:match("[^/]*$"))
--> sample local Lua debug.lua
print(i.linedefined, i.lastlinedefined, i.currentline)           --> 7 10 9
print(i.nups, i.nparams, i.isvararg, i.istailcall, i.func == sample)
--> 1 2 true false true
i = debug.getinfo(print)
print(i.what, i.source, i.short_src, i.currentline, i.linedefined, i.lastlinedefined, i.nparams, i.isvararg)
--> C =[C] [C] -1 -1 -1 0 true
print(debug.getinfo(1, "S").what, debug.getinfo(100))            --> main nil
local lines = {}
for l in pairs(debug.getinfo(sample, "L").activelines) do lines[#lines + 1] = l end
table.sort(lines); print(table.concat(lines, " "))               --> 8 9 10
local function tail() return (function() return debug.getinfo(1, "t").istailcall end)() end
print(tail())                                     --> true
print(fails(debug.getinfo, 1, "X"))
--> bad argument #2 to 'debug.getinfo' (invalid option)
print(fails(debug.getinfo, 1, ">S"))
--> bad argument #2 to 'debug.getinfo' (invalid option '>')
print(fails(debug.getinfo, "x"))
--> bad argument #1 to 'debug.getinfo' (number expected, got string)
local t = {method = function() return debug.getinfo(1, "n") end}
print(t:method().namewhat, (t.method()).name)     --> method method
function globalfunction() return debug.getinfo(1, "n").namewhat end
print((globalfunction()))                         --> global
print(debug.getinfo(load("return 1", "=chunk"), "S").short_src)  --> chunk

-- locals
local function locals()
  local x, y = 1, "two"
  do local gone = true end
  local names = {}
  for n = 1, 10 do
    local name, value = debug.getlocal(1, n)
    if not name then break end
    if name:sub(1, 1) ~= "(" then names[#names + 1] = name .. "=" .. tostring(value):gsub(" .*", "") end
  end
  print(debug.setlocal(1, 1, 99), x)              --> x 99
  return table.concat(names, " ")
end
print((locals():gsub("table:", "table")))         -->~ ^x=1 y=two names=table
print(debug.getlocal(sample, 1), debug.getlocal(sample, 2), debug.getlocal(sample, 3))
--> a b nil
local function varargs(...) return debug.getlocal(1, -1), debug.getlocal(1, -2), debug.getlocal(1, -3) end
print(varargs("p", "q"))                          --> (vararg) (vararg) nil
print(fails(debug.getlocal, 100, 1))
--> bad argument #1 to 'debug.getlocal' (level out of range)
print(fails(debug.setlocal, 100, 1, 1))
--> bad argument #1 to 'debug.setlocal' (level out of range)
local co = coroutine.create(function(arg) local inner = arg * 2; coroutine.yield() end)
coroutine.resume(co, 21)
print(debug.getlocal(co, 1, 1))                   --> arg 21
print(debug.getlocal(co, 1, 2))                   --> inner 42
print(debug.setlocal(co, 1, 2, "set"), select(2, debug.getlocal(co, 1, 2)))
--> inner set
print(debug.getinfo(co, 1, "l").currentline ~= nil)              --> true

-- upvalues
local u1, u2 = 10, 20
local function f() return u1, u2 end
local function g() return u2 end
print(debug.getupvalue(f, 1))                     --> u1 10
print(debug.getupvalue(f, 2))                     --> u2 20
print(debug.getupvalue(f, 3), debug.getupvalue(print, 1))        --> nil
print(debug.setupvalue(f, 1, 11), u1, debug.setupvalue(f, 5, 1)) --> u1 11
print(debug.upvalueid(f, 2) == debug.upvalueid(g, 1), debug.upvalueid(f, 1) == debug.upvalueid(g, 1))
--> true false
debug.upvaluejoin(f, 1, g, 1)
print(f())                                        --> 20 20
print(debug.upvalueid(f, 9))                      --> nil
print(fails(debug.upvaluejoin, f, 9, g, 1))
--> bad argument #2 to 'debug.upvaluejoin' (invalid upvalue index)
print(fails(debug.upvaluejoin, f, 1, print, 1))
--> bad argument #4 to 'debug.upvaluejoin' (invalid upvalue index)
print(debug.getupvalue(string.gmatch("x", "x"), 1), select("#", debug.getupvalue(string.gmatch("x", "x"), 1)))
-->  2

-- metatables and user values
local mt = {__index = function() return "n" end}
print(debug.setmetatable(10, mt) == 10, (5).anything, debug.getmetatable(1) == mt)
--> true n true
debug.setmetatable(10, nil)
print(debug.getmetatable(1), debug.getmetatable("").__index == string)
--> nil true
print(fails(debug.setmetatable, 1, 1))
--> bad argument #2 to 'debug.setmetatable' (nil or table expected, got number)
print(debug.getuservalue(io.stdout, 1), debug.getuservalue(1))   --> nil nil
print(debug.setuservalue(io.stdout, 1, 1))        --> nil
print(fails(debug.setuservalue, {}, 1))
--> bad argument #1 to 'debug.setuservalue' (userdata expected, got table)
print(type(debug.getregistry()), debug.getregistry()[2] == _G)   --> table true

-- traceback
local function deep(n) if n == 0 then return debug.traceback("msg") end return (deep(n - 1)) end
local text = deep(1)
print((text:gsub("[^\n\t]*debug%.lua:%d+", "debug.lua:N"):gsub("\n\t%[C%]: in %?$", "")))
--> msg
--> stack traceback:
-->  debug.lua:N: in upvalue 'deep'
-->  debug.lua:N: in local 'deep'
-->  debug.lua:N: in main chunk
print(select(2, deep(3):gsub("in upvalue 'deep'", "")))          --> 3
print(select(2, deep(50):gsub("\n", "")), deep(50):find("skipping %d+ levels") ~= nil)
--> 23 true
print(debug.traceback({}) ~= nil, debug.traceback(nil) ~= nil)   --> true true
print(debug.traceback("only", 100))
--> only
--> stack traceback:
print((debug.traceback(co, "of co"):gsub("[^\n\t<]*debug%.lua:%d+", "debug.lua:N")))
--> of co
--> stack traceback:
-->  [C]: in function 'coroutine.yield'
-->  debug.lua:N: in function <debug.lua:N>

-- hooks
local log = {}
local function logged() log[#log + 1] = "ran" end
debug.sethook(function(event, line) log[#log + 1] = event end, "cr")
logged()
debug.sethook()
print(table.concat(log, " "))
--> return call ran return call
log = {}
debug.sethook(function(event, line) log[#log + 1] = line end, "l")
local dummy = 1
dummy = dummy + 1
debug.sethook()
print(#log, log[2] - log[1], log[3] - log[2])     --> 3 1 1
local count = 0
debug.sethook(function(event) count = count + 1 end, "", 100)
for n = 1, 10000 do end
debug.sethook()
print(count > 10)                                 --> true
print(debug.gethook())                            --> nil
local hook = function() end
debug.sethook(hook, "crl", 5)
local h, mask, n = debug.gethook()
debug.sethook()
print(h == hook, mask, n)                         --> true crl 5
local hooked = coroutine.create(function() local a = 1; return a end)
local inside = 0
debug.sethook(hooked, function() inside = inside + 1 end, "l")
print(debug.gethook(hooked) ~= nil, debug.gethook())             --> true nil
coroutine.resume(hooked)
print(inside > 0)                                 --> true
log = {}
debug.sethook(function(event) log[#log + 1] = event end, "c")
tail()
debug.sethook()
print(table.concat(log, ","))                     --> call,tail call,call,call
print(fails(debug.sethook, function() end))
--> bad argument #2 to 'debug.sethook' (string expected, got no value)
print(getmetatable(debug.getregistry()._HOOKKEY).__mode)         --> k
print(type(debug.setcstacklimit(200)))            --> number

-- calls of iterators are calls
do
  local seen = {}
  local function note(event)
    local info = debug.getinfo(2, "nf")
    if info.namewhat == "for iterator" then
      seen[#seen + 1] = event .. (info.func == next and " next" or "")
    end
  end
  debug.sethook(note, "cr")
  for _ in next, {1} do end
  for _ in ipairs {1} do end
  debug.sethook()
  print(table.concat(seen, ","))
end
--> call next,return next,call next,return next,call,return,call,return

-- An error of a hook is caught, whatever the coroutine did before: the hook goes
-- on afterwards.
for _, yields in ipairs {0, 1, 3} do
  local events, raise = 0, false
  local co = coroutine.create(function()
    local ok, message = pcall(function()
      for _ = 1, yields do coroutine.yield() end
      raise = true
      for _ = 1, 1000 do end
    end)
    events = 0
    for _ = 1, 1000 do end
    return ok, message:match("%a+$"), events > 0
  end)
  debug.sethook(co, function()
    events = events + 1
    if raise then raise = false error("raised") end
  end, "", 50)
  for _ = 1, yields do coroutine.resume(co) end
  print(coroutine.resume(co))
end
--> true false raised true
--> true false raised true
--> true false raised true
