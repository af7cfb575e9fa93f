-- SPDX-License-Identifier: MIT
-- a <= b where there is __lt, but no __le
local mt = {}
mt.__lt = function(a, b) return a.v < b.v end
local function new(v) return setmetatable({v = v}, mt) end
print(new(1) <= new(2), new(2) <= new(1), new(1)<=new(1), new(1)>=new(2), not (new(1)<=new(2)))
local mt2 = {__lt = function(a, b) coroutine.yield(debug.getinfo(1,"n").name); return (type(a)=="table" and a.v or a) < (type(b)=="table" and b.v or b) end}
local function n2(v) return setmetatable({v=v}, mt2) end
local co = coroutine.wrap(function() local a, b = n2(1), n2(2)
  if a <= b then print"yes" else print"no" end
  if a >= b then print"yes" else print"no" end
  print(a <= 1, a<=0, 1 <= a, 2<=a, 5 >= a, a>=1.0, a<=b and b<=a)
  return a < b end)
for i=1,12 do print(co()) end
print(pcall(function() return {} <= {} end))
print(pcall(function() return new(1) <= 1 end))
print(pcall(function() return {} <= 1 end))
print(pcall(function() return 1 <= {} end))
mt.__le = function() return "le" end
print(new(2)<=new(1))
