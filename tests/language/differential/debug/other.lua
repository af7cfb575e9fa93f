-- SPDX-License-Identifier: MIT
-- getmetatable, uservalues, registry (manual 6.10).
print(debug.getmetatable("").__index == string, debug.getmetatable(1),
  debug.getmetatable(nil))
print(debug.setmetatable(5, {__index = {x = "number"}}), (7).x)
  debug.setmetatable(5, nil)
print(pcall(function() return (7).x end))
  debug.setmetatable(print, {__index = {y = "function"}})
print(print.y, type.y) debug.setmetatable(print, nil)
  debug.setmetatable(true, {__tostring = function(b) return "bool!" end})
print(true, tostring(false)) debug.setmetatable(true, nil)
local t = setmetatable({}, {__metatable = "protected"})
print(getmetatable(t), type(debug.getmetatable(t)))
print(debug.setmetatable(t, nil) == t, getmetatable(t))
print(pcall(debug.setmetatable, {}, 5))
print(type(debug.getregistry()), debug.getregistry()[2] == _G,
  type(debug.getregistry()[1]), debug.getregistry()._LOADED == package.loaded,
  debug.getregistry()._PRELOAD == package.preload)
print(debug.getuservalue(io.stdout), debug.getuservalue(io.stdout, 5),
  debug.getuservalue(5), pcall(debug.getuservalue))
print(pcall(debug.setuservalue, {}, 1))
print(debug.setuservalue(io.stdout, 1, 1))
print(type(debug.upvalueid(function() return t end, 1)))
print(debug.traceback("x", 1):match "^x\nstack traceback:")
  debug.setmetatable(coroutine.create(print), {__index = coroutine})
print(coroutine.create(print):status())
  debug.setmetatable(coroutine.create(print), nil)
  debug.setmetatable(nil, {__call = function(_, ...) return "nil called", ...
  end}) print((nil)(1)) debug.setmetatable(nil, nil)
print(pcall(debug.setcstacklimit or print, 200))
local mt = {__index = function(s, i) return "i" .. i end}
local str = getmetatable("") print(("abc").x, #"abc")
