-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 24
--
-- Small vector objects with metatables: a cloud of particles on springs where
-- every sum, difference and product is a new object made by a metamethod.
-- Argument: number of time steps.

local steps = tonumber(arg and arg[1]) or 240
local particles = 1000

local Vector = {}
Vector.__index = Vector

local function vector(x, y, z)
  return setmetatable({ x = x, y = y, z = z }, Vector)
end

function Vector.__add(a, b) return vector(a.x + b.x, a.y + b.y, a.z + b.z) end
function Vector.__sub(a, b) return vector(a.x - b.x, a.y - b.y, a.z - b.z) end
function Vector.__mul(a, s) return vector(a.x * s, a.y * s, a.z * s) end
function Vector.__unm(a) return vector(-a.x, -a.y, -a.z) end
function Vector:dot(b) return self.x * b.x + self.y * b.y + self.z * b.z end
function Vector:length() return math.sqrt(self:dot(self)) end

local cloud = {}
for i = 1, particles do
  cloud[i] = {
    place = vector(math.sin(i), math.cos(i), i / particles),
    speed = vector(0.0, 0.0, 0.0),
  }
end

-- Each particle is pulled to the origin and to its two neighbors in the list.
local function pull(i)
  local here = cloud[i].place
  local before = cloud[i > 1 and i - 1 or particles].place
  local after = cloud[i < particles and i + 1 or 1].place
  local force = (before - here) + (after - here)
  return force * 0.5 + -here
end

local dt = 0.01
for _ = 1, steps do
  for i = 1, particles do
    local particle = cloud[i]
    particle.speed = (particle.speed + pull(i) * dt) * 0.999
    particle.place = particle.place + particle.speed * dt
  end
end

local sum = 0
for i = 1, particles do
  sum = sum + cloud[i].place:length() + cloud[i].speed:length()
end
print(string.format("checksum %.6f", sum))
