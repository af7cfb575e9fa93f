-- SPDX-License-Identifier: MIT
-- coroutine.close and pending to-be-closed variables (manual 6.2, 3.3.8).
local function tbc(name, log, err)
return setmetatable({}, {__close = function(_, e) log[#log + 1] = name .. ":" ..
  tostring(e) if err then error(err, 0) end end}) end
local log = {}
local co = coroutine.create(function() local a <close> = tbc("a", log) local b
  <close> = tbc("b", log) coroutine.yield(1) end)
print(coroutine.resume(co)) print(coroutine.close(co))
print(table.concat(log, " "), coroutine.status(co)) log = {}
co = coroutine.create(function() local a <close> = tbc("a", log) local b <close>
  = tbc("b", log, "fail b") local c <close> = tbc("c", log) coroutine.yield(1)
  end)
coroutine.resume(co) print(coroutine.close(co)) print(table.concat(log, " "))
print(coroutine.close(co)) log = {}
co = coroutine.create(function() local a <close> = tbc("a", log)
  error("thrown", 0) end)
print(coroutine.resume(co)) print(table.concat(log, " "))
print(coroutine.close(co)) log = {}
local w = coroutine.wrap(function() local a <close> = tbc("a", log)
  error("in wrap", 0) end) print(pcall(w))
print(table.concat(log, " ")) log = {}
w = coroutine.wrap(function() local a <close> = tbc("a", log, "from close")
  error("first", 0) end) print(pcall(w)) print(table.concat(log, " ")) log = {}
co = coroutine.create(function() local x <close> =
  setmetatable({}, {__close = function() coroutine.yield "yielded in close"
  log[#log + 1] = "after" end}) coroutine.yield "first" end)
print(coroutine.resume(co)) print(coroutine.close(co))
print(coroutine.status(co), table.concat(log, " ")) log = {}
co = coroutine.create(function() pcall(function() local a <close> =
  tbc("inner", log) coroutine.yield() end) end) coroutine.resume(co)
print(coroutine.close(co)) print(table.concat(log, " ")) log = {}
co = coroutine.create(function() for i in (function() local t <close> =
  tbc("iter", log) return function() return 1 end end)(), nil, nil,
  tbc("for", log) do coroutine.yield(i) end end)
print(coroutine.resume(co)) print(table.concat(log, " "))
print(coroutine.close(co)) print(table.concat(log, " ")) log = {}
local outer = coroutine.create(function() local inner =
  coroutine.create(function() local a <close> = tbc("inner", log)
  coroutine.yield() end) coroutine.resume(inner) local x <close> =
  setmetatable({}, {__close = function()
  print("close inner", coroutine.close(inner)) end}) coroutine.yield() end)
coroutine.resume(outer) print(coroutine.close(outer))
print(table.concat(log, " "))
for i = 1, 3 do
local c = coroutine.wrap(function() local r <close> = tbc("loop" .. i, log)
  coroutine.yield(i) end) c() c() end print(table.concat(log, " "))
print(pcall(coroutine.close)) print(pcall(coroutine.close, 1))
