-- SPDX-License-Identifier: MIT
-- getlocal, setlocal, upvalues (manual 6.10).
local function list(level) local i, r = 1, {} while true do
local n, v = debug.getlocal(level + 1, i) if not n then break
end r[#r + 1] = n .. "=" .. (type(v) == "table" and "table" or type(v) ==
  "function" and "function" or tostring(v)) i = i + 1 end
return table.concat(r, " ") end local function f(a, b, ...) local x, y = 10 do
local inner = "i" print(list(1)) end local z <const>, w <close> = 5, nil
print(list(1))
for k, v in pairs {1} do
print(list(1)) end print(debug.getlocal(1, -1)) print(debug.getlocal(1, -2))
print(debug.getlocal(1, -3)) print(debug.getlocal(1, 100))
print(debug.setlocal(1, 1, "new a"), a)
print(debug.setlocal(1, -1, "new vararg"), ...) print(debug.setlocal(1, 100, 1))
print(debug.setlocal(1, -100, 1)) return x end f(1, 2, "v1", "v2")
print(debug.getlocal(f, 1), debug.getlocal(f, 2), debug.getlocal(f, 3),
  debug.getlocal(print, 1)) print(pcall(debug.getlocal, 100, 1))
print(pcall(debug.setlocal, 100, 1, 1)) print(pcall(debug.getlocal, 1))
print(pcall(debug.getlocal, f, -1)) local u1, u2 = "u1", {} local
function g() u1 = u1 return u2 end print(debug.getupvalue(g, 1))
print((debug.getupvalue(g, 2))) print(debug.getupvalue(g, 3))
print(debug.setupvalue(g, 1, "changed"), u1) print(debug.setupvalue(g, 9, 1))
local function h() return u1 end
print(debug.upvalueid(g, 1) == debug.upvalueid(h, 1), debug.upvalueid(g, 2) ==
  debug.upvalueid(h, 1), debug.upvalueid(h, 2)) local v = "other" local
function k() return v end debug.upvaluejoin(h, 1, k, 1) print(h())
print(pcall(debug.upvaluejoin, h, 2, k, 1))
print(pcall(debug.upvaluejoin, h, 1, k, 2)) print(pcall(debug.upvalueid, h, 0))
print(pcall(debug.upvaluejoin, print, 1, k, 1))
print((debug.getupvalue(string.gmatch("x", "x"), 1)))
print(debug.getupvalue(load("return x"), 1))
local co = coroutine.create(function(p) local q = p + 1 coroutine.yield(q)
  print(q) end) coroutine.resume(co, 1) print(debug.getlocal(co, 1, 1))
print(debug.getlocal(co, 1, 2))
print(debug.setlocal(co, 1, 2, 99)) coroutine.resume(co)
print(pcall(debug.getlocal, co, 1, 1)) local temp = {debug.getlocal(1, 1)}
print(#temp)
