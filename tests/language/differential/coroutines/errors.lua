-- SPDX-License-Identifier: MIT
-- Errors inside coroutines, their tracebacks, stack overflow.
local co = coroutine.create(function() local function inner()
  error("deep error") end inner() end)
print(coroutine.resume(co)) print(debug.traceback(co))
print(debug.traceback(co, "message")) print(debug.traceback(co, nil, 1))
co = coroutine.create(function() local x = 1 coroutine.yield() end)
  coroutine.resume(co) print(debug.traceback(co))
print(debug.traceback(co, "m", 0)) print(debug.traceback(co, "m", 1))
print(debug.traceback("here", 1))
print(debug.traceback(coroutine.create(print)))
co = coroutine.wrap(function() return pcall(error) end) print(co())
co = coroutine.create(function() local t = nil; t.x = 1 end)
print(coroutine.resume(co))
local function overflow() return 1 + overflow() end
print(coroutine.resume(coroutine.create(function() local ok, m = pcall(overflow)
  return ok, m:match "stack overflow" end)))
local ok, m = coroutine.resume(coroutine.create(overflow))
print(ok, m:match "stack overflow")
local function nest() return coroutine.wrap(nest)() end
local ok, m = pcall(nest) print(ok, m:match "C stack overflow")
print(select(2, pcall(coroutine.wrap(function()
  coroutine.wrap(function() error "inner wrap" end)() end))))
print(xpcall(coroutine.wrap(function() error("x", 0) end), function(m) return
  "H:" .. m end))
local c = coroutine.create(function() return
  xpcall(function() local y = coroutine.yield() return y.z.w end,
  debug.traceback) end) coroutine.resume(c) print(coroutine.resume(c, {}))
print(coroutine.resume(coroutine.create(function() error() end)))
print(coroutine.resume(coroutine.create(function() error(nil) end)))
print(coroutine.resume(coroutine.create(function() error(12) end)))
print(pcall(coroutine.wrap(function()
  error(setmetatable({}, {__tostring = function() return "obj" end})) end)))
local main = coroutine.running() print(coroutine.resume(main))
print(coroutine.resume(coroutine.create(function() return coroutine.resume(main)
  end))) print(coroutine.status(main))
