-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 300000
--
-- Method calls: objects of several classes, inheritance three levels deep by
-- chains of __index, methods that call others of the same object, accessors.
-- Argument: number of rounds.

local rounds = tonumber(arg and arg[1]) or 3200000

local function class(parent)
  local methods = {}
  methods.__index = methods
  return setmetatable(methods, parent and { __index = parent })
end

local Shape = class()
function Shape:init(name) self.name, self.scale = name, 1; return self end
function Shape:get_scale() return self.scale end
function Shape:set_scale(scale) self.scale = scale end
function Shape:area() return 0 end
function Shape:scaled_area() return self:area() * self:get_scale() end

local Rectangle = class(Shape)
function Rectangle:init(width, height)
  Shape.init(self, "rectangle")
  self.width, self.height = width, height
  return self
end
function Rectangle:area() return self.width * self.height end

local Square = class(Rectangle)
function Square:init(side) return Rectangle.init(self, side, side) end
function Square:grow(by)
  self.width = self.width + by
  self.height = self.width
end

local Triangle = class(Shape)
function Triangle:init(base, height)
  Shape.init(self, "triangle")
  self.base, self.height = base, height
  return self
end
function Triangle:area() return self.base * self.height / 2 end

local function new(of, ...) return setmetatable({}, of):init(...) end

local square = new(Square, 2)
local shapes = { new(Rectangle, 3, 4), square, new(Triangle, 6, 5),
                 new(Shape, "point") }

local sum = 0
for i = 1, rounds do
  local shape = shapes[i % 4 + 1]
  shape:set_scale(i % 5)
  sum = (sum + shape:scaled_area() + shape:get_scale()) % 1000003
  if i % 16 == 0 then
    square:grow(1)
    if square:area() > 1000 then square:grow(2 - square.width) end
  end
end
print(string.format("checksum %d %d", sum, square:area()))
