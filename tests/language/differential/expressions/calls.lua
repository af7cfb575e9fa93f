-- SPDX-License-Identifier: MIT
-- Calls: adjustment of results, methods, order of arguments (manual 3.4.10-12).
local function f(...) return ... end
local function count(...) return select("#", ...) end
local function none() end
print(count(), count(nil), count(nil, nil), count(f()), count((f())),
  count(f(1, 2)))
print(count(f(1, 2), f(3, 4)), count((f(1, 2)), (f(3, 4))), count(f(1, 2), nil))
print(count(none()), count(none(), none()), count((none())), count(none(), 1))
print(#{f(1, 2, 3)}, #{f(1, 2, 3), 4}, #{(f(1, 2, 3))}, #{4, f(1, 2, 3)})
local a, b, c = f(1, 2) print(a, b, c)
a, b, c = f(1, 2), 10 print(a, b, c)
a, b, c = 10, f(1, 2, 3) print(a, b, c)
a, b, c = (f(1, 2)) print(a, b, c)
a = f() print(a)

local object = {value = 5}
function object:get(...) return self.value, ... end
function object.static(...) return ... end
object.inner = {deep = {}}
function object.inner.deep:name() return self == object.inner.deep end
print(object:get(1, 2), object.get(object, 3), object.static(4),
  object.inner.deep:name())
print(("x"):rep(3), ("%d"):format(7), #("abc"):upper(),
  ("a,b"):find(",", 1, true))
local s = "method" print(s:len(), s:sub(2, 3):upper():lower())
print(f "string", f [[long]], #f {1, 2}, type(f {}), f "a" .. "b", (f "x"))

local order = {}
local function at(n) order[#order + 1] = n return n end
local t = setmetatable({}, {__index = function(_, k) at("i" .. k) return k end,
  __newindex = function(_, k, v) at("n" .. k .. "=" .. tostring(v)) end,
  __call = function(self, ...) at("call") return ... end})
print(t(at(1), at(2), t.x, at(3)))
t.a, t.b = at(4), at(5)
t[at("k1")], t[at("k2")] = at("v1"), at("v2")
print(table.concat(order, " "))

local function sum(n, ...)
  if n == 0 then return 0 end
  local x = ... return x + sum(n - 1, select(2, ...))
end
print(sum(5, 1, 2, 3, 4, 5))
local function tail(n) if n == 0 then return "done" end return tail(n - 1) end
print(tail(200000))
local mutual = {}
function mutual.even(n) if n == 0 then return true end return mutual.odd(n - 1)
end
function mutual.odd(n) if n == 0 then return false end return mutual.even(n - 1)
end
print(mutual.even(100001))
print(pcall(function() local x = 1; x() end))
print(pcall(function() object.nothing() end))
print(pcall(function() object:nothing() end))
print(pcall(function() return object.inner.none.x() end))
print(pcall(function() undefined_global() end))
print(pcall(function() ("x")() end))
print(pcall(function() (1)() end))
print(pcall(function() ({})() end))
print(pcall(function() f()() end))
print(select("#", table.unpack({}, 1, 250)),
  (select(250, table.unpack({}, 1, 250))))
print(pcall(table.unpack, {}, 1, 1e7))
print((function(a, b, ...) return a, b, ... end)(1))
print((function(a, b, ...) return a, b, ... end)(1, 2, 3, 4))
print((function(a, b) return b, a end)(1, 2, 3))
