-- SPDX-License-Identifier: MIT
-- Assignment: order, adjustment, targets (manual 3.3.3).
local a, b, c = 1 print(a, b, c)
a, b, c = 1, 2, 3, 4 print(a, b, c)
a, b = b, a print(a, b)
a, b, c = c, a, b print(a, b, c)
local i, t = 3, {}
i, t[i] = i + 1, 20 print(i, t[3], t[4])
local p = {x = 1} local q = p
p.x, p = 2, {x = 9} print(p.x, q.x)
local u = {{}, {}} local n = 1
n, u[n].v = 2, "first" print(n, u[1].v, u[2].v)
do local a, a = 1, 2 print(a) end
local function f() return 1, 2, 3 end
a, b, c = f() print(a, b, c) a, b, c = f(), 5 print(a, b, c) a, b, c = 0, f()
print(a, b, c)
x, y, z = 10 print(x, y, z) x, y = y, x print(x, y) x, y, z = nil
_G.named = 5 print(named, _G["named"]) named = nil print(_G.named)
local log = {}
local proxy = setmetatable({}, {__newindex = function(_, k, v) log[#log + 1] = k
  .. "=" .. tostring(v) end})
proxy.a, proxy.b, proxy.c = 1, 2 print(table.concat(log, " "))
local s = {1, 2, 3} s[1], s[2], s[3] = s[3], s[1], s[2]
print(table.concat(s, " "))
local k = 1 k, s[k], s[k + 1] = 2, "a", "b" print(k, table.concat(s, " "))
do local _ENV = {print = print} v = 1 print(v, _ENV.v) end print(v)
local function env() local _ENV <const> = {y = 5} return y end print(env())
print(pcall(function() local _ENV = nil; return x end))
print(pcall(function() local _ENV = 5; x = 1 end))
local up1, up2 = 1, 2
local function swap() up1, up2 = up2, up1 return up1, up2 end print(swap())
print(up1, up2)
local m = {} m.x, m.y, m.z = (function() return 1, 2 end)() print(m.x, m.y, m.z)
local w = {10, 20} local j = 1 w[j], j, w[j] = "p", 2, "q" print(w[1], w[2], j)
