-- SPDX-License-Identifier: MIT
-- __index and __newindex: chains, functions, raw access (manual 2.4).
local base = {x = 1, y = 2}
local mid = setmetatable({y = 20}, {__index = base})
local top = setmetatable({}, {__index = mid})
print(top.x, top.y, top.z, rawget(top, "x"), rawget(mid, "y"))
top.x = 100 print(top.x, base.x) top.x = nil print(top.x)
local calls = {}
local f = setmetatable({}, {__index = function(t, k) calls[#calls + 1] =
  tostring(k) return k, "extra" end})
print(f.a, f[1], f[1.5], f[true], (f.b)) print(table.concat(calls, " "))
local store = {}
local w = setmetatable({present = 1}, {__newindex = store}) w.new = 5 w.present
  = 2
print(rawget(w, "new"), store.new, w.present)
local log = {}
local g = setmetatable({}, {__newindex = function(t, k, v) log[#log + 1] = k ..
  "=" .. tostring(v) rawset(t, k, v) end})
g.a = 1 g.a = 2 g.b = nil g.b = 3 g[1] = "x"
print(table.concat(log, " "), g.a, g.b)
local deep = {} local last = deep for i = 1, 100 do
local n = {} setmetatable(last, {__index = n}) last = n end
last.found = "at the end" print(deep.found)
local loop = {} setmetatable(loop, {__index = loop})
print(pcall(function() return loop.x end))
local a, b = {}, {} setmetatable(a, {__index = b})
  setmetatable(b, {__index = a}) print(pcall(function() return a.x end))
local nl = setmetatable({}, {}) getmetatable(nl).__newindex = nl
print(pcall(function() nl.x = 1 end))
print(pcall(function() local t = setmetatable({}, {__index = 5}) return t.x
  end))
print(pcall(function() local t = setmetatable({}, {__newindex = true}) t.x = 1
  end))
print(pcall(function() local t = setmetatable({}, {__index = "string"}) return
  t.len, t:len() end))
print(("x").len == string.len, ("x").nothing, #"abc", ("abc").x)
print(pcall(function() return ("x").y.z end))
print(pcall(function() local s = "x"; s.y = 1 end))
print(pcall(function() return (5).x end))
print(pcall(function() return (nil).x end))
print(pcall(function() local t; t.x = 1 end))
print(pcall(function() local t = {} t.x.y = 1 end))
local defaults = setmetatable({}, {__index = function(t, k) local v = {}
  rawset(t, k, v) return v end})
defaults.a.b = 5 print(defaults.a.b, rawget(defaults, "a") == defaults.a)
local class = {} class.__index = class function class.new(v)
return setmetatable({v = v}, class) end
function class:get() return self.v end
local derived = setmetatable({}, {__index = class}) derived.__index = derived
function derived.new(v) local o = class.new(v) return setmetatable(o, derived)
end function derived:get() return "derived " .. class.get(self) end
print(class.new(1):get(), derived.new(2):get())
local mt = {} local t = setmetatable({}, mt) print(t.x) mt.__index = function()
return "late" end print(t.x) mt.__index = nil print(t.x)
mt.__newindex = function(t, k, v) rawset(t, k, v * 2) end t.y = 5
print(t.y) t.y = 6 print(t.y) mt.__newindex = nil t.z = 7 print(t.z)
for i = 1, 3 do
local o = setmetatable({}, {__index = function(_, k) return k + i end})
io.write(o[10], " ") end print()
print(rawequal(rawset(t, "q", 1), t), pcall(rawset, 1, 2, 3))
print(pcall(rawget, "s", "len"))
