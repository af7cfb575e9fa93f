-- SPDX-License-Identifier: MIT
-- __call, __len, __tostring, __name, __metatable, __pairs, __close, __concat.
local callable = setmetatable({}, {__call = function(self, ...) return
  select("#", ...), ... end})
print(callable(), callable(1), callable(nil, nil)) print(pcall(callable, 5))
local second = setmetatable({}, {__call = callable}) print(second(1, 2))
local third = setmetatable({}, {__call = second}) print(third("x"))
print(pcall(setmetatable({}, {__call = 5})))
print(pcall(setmetatable({}, {__call = {}})))
local function tail(...) return callable(...) end print(tail(1, 2, 3))
for a, b in setmetatable({}, {__call = function(_, s, c) if c < 3 then return c
  + 1, s end end}), "s", 0 do io.write(a, b, " ") end print()
print(tostring(setmetatable({}, {__tostring = function() return "custom" end})))
print(pcall(tostring, setmetatable({}, {__tostring = function() return 5 end})))
print(pcall(tostring, setmetatable({}, {__tostring = function() end})))
print(tostring(setmetatable({}, {__name = "My.Type"})):match "^My%.Type: " ~=
  nil)
print((tostring(setmetatable({}, {__name = 5})):gsub("0x%x+", "ADDR")))
print(tostring(setmetatable({}, {__tostring = function() return "s\0z" end})) ==
  "s\0z")
local named = setmetatable({}, {__name = "My.Type"})
print(pcall(string.rep, named)) print(pcall(function() return named + 1 end))
print(pcall(function() return #named < named end))
print(pcall(function() return named < 1 end))
print(pcall(function() return named .. "x" end))
print(pcall(function() named() end))
print(pcall(ipairs)) print(pcall(math.floor, named))
print(pcall(setmetatable, named, 5))
local locked = setmetatable({}, {__metatable = "locked"})
print(getmetatable(locked)) print(pcall(setmetatable, locked, {}))
local hidden = setmetatable({}, {__metatable = false})
print(getmetatable(hidden)) print(pcall(setmetatable, hidden, nil))
print(getmetatable("").__index == string, getmetatable("").__name,
  getmetatable(1), getmetatable(nil), getmetatable(print))
print(pcall(setmetatable, {}, "x")) print(pcall(setmetatable, 1, {}))
print(pcall(setmetatable, {})) print(pcall(getmetatable))
local p = setmetatable({}, {__pairs = function(t) return function(_, k) k =
  (k or 0) + 1 if k < 4 then return k, k * k end end, t, nil, "extra" end})
for k, v in pairs(p) do io.write(k, "=", v, " ") end print()
print(select("#", pairs(p)))
print(pcall(pairs, setmetatable({}, {__pairs = 5})))
print(#setmetatable({1, 2}, {__len = function(t) return rawlen(t) * 10 end}))
print(#setmetatable({}, {__len = function() return nil end}),
  pcall(table.unpack, setmetatable({}, {__len = function() return "x" end})))
print(pcall(ipairs, setmetatable({}, {__index = function(_, i) if i < 3 then
  return i end end})))
print(table.concat(setmetatable({}, {__len = function() return 3 end, __index =
  function(_, i) return "v" .. i end}), ","))
print(table.unpack(setmetatable({}, {__len = function() return 3 end, __index =
  function(_, i) return i * i end})))
local m = setmetatable({}, {})
print(getmetatable(m).__index, setmetatable(m, nil) == m, getmetatable(m))
print(print == print, tostring(print):match "^builtin" or tostring(print):match
  "^function")
