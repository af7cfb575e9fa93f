-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 35
--
-- Conway's game of life on a torus: arrays of small integers, two boards used
-- in turn.  Starts from a random soup with a glider gun's worth of order.
-- Argument: number of generations.

local generations = tonumber(arg and arg[1]) or 400
local width, height = 200, 150

local function board()
  local rows = {}
  for y = 1, height do
    local row = {}
    for x = 1, width do row[x] = 0 end
    rows[y] = row
  end
  return rows
end

local function advance(from, to)
  for y = 1, height do
    local above = from[y > 1 and y - 1 or height]
    local here, out = from[y], to[y]
    local below = from[y < height and y + 1 or 1]
    for x = 1, width do
      local left = x > 1 and x - 1 or width
      local right = x < width and x + 1 or 1
      local around = above[left] + above[x] + above[right] + here[left] +
                     here[right] + below[left] + below[x] + below[right]
      if around == 3 or (around == 2 and here[x] == 1) then
        out[x] = 1
      else
        out[x] = 0
      end
    end
  end
end

local current, following = board(), board()
local seed = 31415
for y = 1, height do
  for x = 1, width do
    seed = (seed * 16807) % 2147483647
    if seed % 3 == 0 then current[y][x] = 1 end
  end
end

for _ = 1, generations do
  advance(current, following)
  current, following = following, current
end

local alive, sum = 0, 0
for y = 1, height do
  for x = 1, width do
    if current[y][x] == 1 then
      alive = alive + 1
      sum = (sum * 31 + y * width + x) % 1000000007
    end
  end
end
print(string.format("checksum %d %d", alive, sum))
