-- SPDX-License-Identifier: MIT
-- methods_of_userdata.lua -- a method call on a userdata, with all kinds of __index
local mt = getmetatable(io.stdout)
local f = io.tmpfile()
print(pcall(function() return f:nothing() end))
print(pcall(function() return f:x(1) end))
local old = mt.__index
mt.__index = function(self, k) return function(s, ...) return k, s == f, ... end end
print(f:anything(1, 2))
mt.__index = setmetatable({}, {__index = function(t, k) return function(s, ...) return "deep", k, ... end end})
print(f:more(3))
mt.__index = setmetatable({}, {__index = old})
print(f:seek("set", 0))
for _, v in ipairs{1, 2, 3} do mt.__index = v == 2 and {seek = function() return "mine" end} or old print(f:seek("set", 0)) end
mt.__index = nil
print(pcall(function() return f:seek() end))
mt.__index = 5
print(pcall(function() return f:seek() end))
mt.__index = old
debug.setmetatable(f, nil)
print(pcall(function() return f:seek() end))
debug.setmetatable(f, mt) print(f:close())
