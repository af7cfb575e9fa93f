-- SPDX-License-Identifier: MIT
-- An object system built from metatables, used intensively.
local Class = {}
local function class(name, super)
  local c = {name = name, super = super}
  c.__index = c
  c.__tostring = function(o) return name .. "(" .. tostring(o.v) .. ")" end
  c.__add = function(a, b)
  return c.new((type(a) == "table" and a.v or a) +
    (type(b) == "table" and b.v or b)) end
  c.__eq = function(a, b) return a.v == b.v end
  c.__lt = function(a, b) return a.v < b.v end
  c.__le = function(a, b) return a.v <= b.v end
  c.__len = function(a) return a.v end
  c.__call = function(a, f, ...) return f(a.v, ...) end
  c.__concat = function(a, b) return tostring(a) .. tostring(b) end
  c.__unm = function(a) return c.new(-a.v) end
  c.new = function(v) return setmetatable({v = v}, c) end
  return setmetatable(c, {__index = super, __call = function(_, ...) return
    c.new(...) end})
end
local A = class "A" function A:hello() return "hello " .. tostring(self) end
function A.static() return "static" end
local B = class("B", A) function B:hello() return "B " .. A.hello(self) end
local C = class("C", B)
local a, b, c = A(1), B(2), C(3)
print(a, b, c, a:hello(), b:hello(), c:hello(), C.static(), c.static())
print(a + 1, 1 + a, a + b, b + a, -c, #c, a .. b, a .. "x", "x" .. a,
  c(function(v, w) return v * w end, 5))
print(a == A(1), a == B(1), a < b, b <= a, a ~= c, getmetatable(c) == C, C.super
  == B, rawequal(a, a))
local list = {} for i = 1, 50 do list[i] = A((i * 37) % 50) end table.sort(list)
local row = {} for i, o in ipairs(list) do row[i] = tostring(o.v) end
print(table.concat(row, " "))
local total = A(0) for _, o in ipairs(list) do total = total + o end
print(total)
local function isa(o, k) local m = getmetatable(o) while m do if m == k then
return true end m = m.super end return false end
print(isa(c, A), isa(a, C), isa(b, B)) function A:late()
return self.v .. " late" end print(c:late())
C.hello = nil print(c:hello()) B.hello = nil print(c:hello())
