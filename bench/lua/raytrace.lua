-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 210
--
-- Ray tracing: spheres over a checkered floor, with shadows and mirrors.
-- Vectors are held as three local numbers, so this is float arithmetic, field
-- access and calls with many arguments and results, and little allocation.
-- Argument: width and height of the picture.

local side = tonumber(arg and arg[1]) or 660
local sqrt, floor, max = math.sqrt, math.floor, math.max

local function sphere(x, y, z, radius, red, green, blue, mirror)
  return { x = x, y = y, z = z, radius = radius, square = radius * radius,
           red = red, green = green, blue = blue, mirror = mirror }
end

local spheres = {
  sphere(0.0, 1.0, 6.0, 1.0, 0.9, 0.2, 0.2, 0.3),
  sphere(2.2, 0.8, 5.0, 0.8, 0.2, 0.9, 0.3, 0.2),
  sphere(-2.0, 0.7, 4.6, 0.7, 0.2, 0.3, 0.9, 0.4),
  sphere(0.6, 0.4, 3.6, 0.4, 0.9, 0.9, 0.2, 0.1),
  sphere(-0.7, 2.4, 6.5, 0.8, 0.8, 0.8, 0.8, 0.8),
}
local light_x, light_y, light_z = 5.0, 8.0, -3.0

-- Distance along the ray to the sphere, or nil.
local function hit_sphere(s, ox, oy, oz, dx, dy, dz)
  local cx, cy, cz = s.x - ox, s.y - oy, s.z - oz
  local along = cx * dx + cy * dy + cz * dz
  if along < 0.0 then return nil end
  local off = cx * cx + cy * cy + cz * cz - along * along
  if off > s.square then return nil end
  local distance = along - sqrt(s.square - off)
  return distance > 1e-6 and distance or nil
end

local function nearest(ox, oy, oz, dx, dy, dz)
  local best, found = 1e30, nil
  for i = 1, #spheres do
    local distance = hit_sphere(spheres[i], ox, oy, oz, dx, dy, dz)
    if distance and distance < best then best, found = distance, spheres[i] end
  end
  return found, best
end

local function unit(x, y, z)
  local scale = 1.0 / sqrt(x * x + y * y + z * z)
  return x * scale, y * scale, z * scale
end

local function in_shadow(x, y, z, lx, ly, lz)
  return nearest(x + lx * 1e-4, y + ly * 1e-4, z + lz * 1e-4,
                 lx, ly, lz) ~= nil
end

-- The brightness of a surface with this normal at this point.
local function brightness(x, y, z, nx, ny, nz)
  local lx, ly, lz = unit(light_x - x, light_y - y, light_z - z)
  local angle = nx * lx + ny * ly + nz * lz
  if angle <= 0.0 or in_shadow(x, y, z, lx, ly, lz) then return 0.1 end
  return 0.1 + 0.9 * angle
end

local function sky(dy)
  local share = max(dy, 0.0)
  return 0.6 - 0.3 * share, 0.8 - 0.3 * share, 1.0
end

local function floor_color(ox, oy, oz, dx, dy, dz)
  local distance = -oy / dy
  local x, z = ox + dx * distance, oz + dz * distance
  if distance > 60.0 then return sky(0.0) end
  local tile = (floor(x) + floor(z)) % 2 == 0 and 0.9 or 0.3
  local light = tile * brightness(x, 0.0, z, 0.0, 1.0, 0.0)
  return light, light, light
end

local function trace(ox, oy, oz, dx, dy, dz, depth)
  local s, distance = nearest(ox, oy, oz, dx, dy, dz)
  if not s then
    if dy < -1e-6 then return floor_color(ox, oy, oz, dx, dy, dz) end
    return sky(dy)
  end
  local x, y, z = ox + dx * distance, oy + dy * distance, oz + dz * distance
  local nx, ny, nz = unit(x - s.x, y - s.y, z - s.z)
  local light = brightness(x, y, z, nx, ny, nz)
  local red, green, blue = s.red * light, s.green * light, s.blue * light
  if depth == 0 then return red, green, blue end
  local twice = 2.0 * (dx * nx + dy * ny + dz * nz)
  local rx, ry, rz = dx - twice * nx, dy - twice * ny, dz - twice * nz
  local r2, g2, b2 = trace(x + nx * 1e-4, y + ny * 1e-4, z + nz * 1e-4,
                           rx, ry, rz, depth - 1)
  local m = s.mirror
  return red + (r2 - red) * m, green + (g2 - green) * m, blue + (b2 - blue) * m
end

local red, green, blue = 0.0, 0.0, 0.0
for row = 0, side - 1 do
  for column = 0, side - 1 do
    local dx, dy, dz = unit(column / side * 2.0 - 1.0, 0.6 - row / side * 1.2,
                            1.6)
    local r, g, b = trace(0.0, 1.4, 0.0, dx, dy, dz, 3)
    red, green, blue = red + r, green + g, blue + b
  end
end
-- Averages to three digits, because a pixel on an edge may fall either way.
local count = side * side
print(string.format("checksum %.3f %.3f %.3f", red / count, green / count,
                    blue / count))
