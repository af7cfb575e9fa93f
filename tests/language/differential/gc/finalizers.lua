-- SPDX-License-Identifier: MIT
-- Finalizers: order, resurrection, errors, the end of the program (2.5.3).
-- Only explicit collections: otherwise the order would be that of death.
collectgarbage("stop")
local log = {} local function obj(name, f)
return setmetatable({name = name}, {__gc = function(o) log[#log + 1] = o.name if
  f then f(o) end end}) end for i = 1, 5 do obj("o" .. i) end collectgarbage()
print(table.concat(log, " ")) log = {}
local a, b, c = obj "a", obj "b", obj "c" b = nil collectgarbage()
print(table.concat(log, " ")) a, c = nil collectgarbage()
print(table.concat(log, " ")) log = {}
local back obj("resurrected", function(o) back = o end) collectgarbage()
print(back and back.name, table.concat(log, " ")) back = nil collectgarbage()
collectgarbage() print(table.concat(log, " "), back) log = {}
local again = setmetatable({}, {}) getmetatable(again).__gc =
function() log[#log + 1] = "not marked" end again = nil collectgarbage()
print(table.concat(log, " "))
local marked = setmetatable({}, {__gc = true}) getmetatable(marked).__gc =
function() log[#log + 1] = "marked" end marked = nil collectgarbage()
print(table.concat(log, " ")) log = {}
local re re = setmetatable({}, {__gc = function(o) log[#log + 1] = "again"
  setmetatable(o, getmetatable(o)) end}) re = nil collectgarbage()
collectgarbage() collectgarbage() print(table.concat(log, " ")) log = {}
local cyc1, cyc2 = obj "cyc1", obj "cyc2" cyc1.other, cyc2.other = cyc2, cyc1
  cyc1, cyc2 = nil collectgarbage() print(table.concat(log, " ")) log = {}
local parent = obj("parent", function(o) log[#log + 1] = "child is " ..
  o.child.name end) parent.child = obj "child" parent = nil collectgarbage()
print(table.concat(log, " ")) log = {} for i = 1, 3
do setmetatable({}, {__gc = function() log[#log + 1] = "e" .. i
  error("in finalizer " .. i) end}) end collectgarbage()
print(table.concat(log, " ")) log = {}
local wk, wv = setmetatable({}, {__mode = "k"}),
  setmetatable({}, {__mode = "v"}) do
local o = obj("weakly held", function(o) log[#log + 1] = "key:" ..
  tostring(wk[o]) .. " value:" .. tostring(wv[1]) end) wk[o] = "still" wv[1] = o
end collectgarbage() print(table.concat(log, " "), next(wk), wv[1])
collectgarbage()
print(next(wk)) log = {} obj("creator", function() obj("created") end)
collectgarbage() print(table.concat(log, " ")) collectgarbage()
print(table.concat(log, " ")) log = {}
  obj("collects", function() log[#log + 1] = tostring(collectgarbage())
  log[#log + 1] = tostring(collectgarbage("count") ~= nil) log[#log + 1] =
  tostring(collectgarbage("step")) end) collectgarbage()
print(table.concat(log, " ")) log = {}
local co = coroutine.wrap(function() local o = obj "in coroutine"
  coroutine.yield() end) co() co = nil collectgarbage()
print(table.concat(log, " ")) log = {} do local x = obj "upvalue" local f =
function() return x end f() end collectgarbage()
print(table.concat(log, " ")) log = {} obj("yields", function() log[#log + 1] =
  tostring(pcall(coroutine.yield)) end)
  coroutine.wrap(function() collectgarbage() end)()
print(table.concat(log, " ")) log = {} collectgarbage("stop") obj "stopped"
collectgarbage() print(table.concat(log, " ")) collectgarbage("restart")
local t = setmetatable({}, {__gc = function(o, ...) log =
  {select("#", ...), type(o)} end}) t = nil collectgarbage()
print(log[1], log[2]) setmetatable({},
  {__gc = setmetatable({}, {__call = function(self, o)
  print("callable table", type(o)) end})}) collectgarbage()
for i = 1, 3
do _G["end" .. i] = setmetatable({},
  {__gc = function() print("at the end " .. i, _G.end1 ~= nil) end})
end held = setmetatable({}, {__gc = function() print("last created");
  setmetatable({}, {__gc = function() print("created while closing") end})
  error("while closing") end})
local thread = coroutine.create(function() local x <close> =
  setmetatable({}, {__close = function() print("never closed") end, __gc =
  function() print("but finalized") end}) coroutine.yield() end)
  coroutine.resume(thread) print("end of script")
