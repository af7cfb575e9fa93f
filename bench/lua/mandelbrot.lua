-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 300
--
-- The Mandelbrot set on a square grid: float arithmetic in local variables, in
-- a loop of unpredictable length.
-- Argument: points along a side.

local side = tonumber(arg and arg[1]) or 1000
local limit = 50

-- The number of steps until the point is known to be outside, or the limit.
local function escape(cr, ci)
  local zr, zi, rr, ii = 0.0, 0.0, 0.0, 0.0
  for step = 1, limit do
    zi = 2.0 * zr * zi + ci
    zr = rr - ii + cr
    rr, ii = zr * zr, zi * zi
    if rr + ii > 4.0 then return step end
  end
  return limit
end

local inside, sum = 0, 0
for y = 0, side - 1 do
  local ci = 2.0 * y / side - 1.0
  for x = 0, side - 1 do
    local steps = escape(2.0 * x / side - 1.5, ci)
    if steps == limit then inside = inside + 1 end
    sum = sum + steps
  end
end
-- The last digits depend on the rounding of products and sums.
print(string.format("checksum %.3f %.2f", inside / (side * side),
                    sum / (side * side)))
