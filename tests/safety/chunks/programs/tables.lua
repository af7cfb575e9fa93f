-- Tables, constructors, fields, methods, lists.
local Point = {}
Point.__index = Point
Point.__add = function(p, q) return setmetatable({x = p.x + q.x, y = p.y + q.y}, Point) end
Point.__eq = function(p, q) return p.x == q.x end
Point.__lt = function(p, q) return p.x < q.x end
Point.__le = function(p, q) return p.x <= q.x end
Point.__concat = function(p, q) return "point" end
Point.__len = function(p) return 2 end
Point.__call = function(p, n, ...) return n, ... end
Point.__close = function(p, e) p.closed = true end
function Point.new(x, y)
  local p = {x = x, y = y, name = "point", n = 0}
  return setmetatable(p, Point)
end
function Point:move(dx, dy)
  self.x = self.x + dx
  self.y = self.y * dy - self.x
  self.n = nil
  return self
end
local p, q = Point.new(1, 2), Point.new(3, 4)
local r = p + q
r = r:move(1, 2):move(3, 4)
local list = {10, 20, 30, 40, x = 1, ["y z"] = 2, [1.5] = 3, 50}
for i = 1, 20 do list[#list + 1] = i * 2 end
for i = 1, #list do list[i] = list[i] + (i % 3) * 0.5 end
local sum = 0
for i = 1, #list do sum = sum + list[i] * 2.5 end
for i, v in ipairs(list) do sum = sum + v end
for k, v in pairs(list) do if k == "x" then list[k] = nil end sum = sum + v end
local m = {}
for i = 1, 4 do m[i] = {0, 0, 0, i} end
for i = 1, 4 do for j = 1, 4 do m[i][j] = m[i][j] + m[j][i] * 0.5 end end
local copy = {table.unpack(list, 1, 5)}
local joined = table.concat({"a", "b", "c"}, ",") .. p .. q
table.sort(copy)
global_value = p == q or p < q or p <= q
global_table = {f = global_value, [1] = #p, p(5, 6, 7)}
global_table.f, global_table[1] = global_table[1], global_table.f
return sum, joined, r.x, #copy, select("#", p(1, 2, 3))
