-- SPDX-License-Identifier: MIT
-- Conway's game of life, with metatables for the missing cells.
local W, H = 20, 12 local function grid()
return setmetatable({}, {__index = function(t, y) local row =
  setmetatable({}, {__index = function() return 0 end}) rawset(t, y, row) return
  row end}) end local g = grid()
for _, p in ipairs {{2, 1}, {3, 2}, {1, 3}, {2, 3}, {3, 3}, {10, 5}, {11, 5},
  {12, 5}, {15, 8}, {16, 8}, {15, 9}, {16, 9}} do g[p[2]][p[1]] = 1 end local
function step(a) local b = grid() for y = 1, H do for x = 1, W do local n = 0
for dy = -1, 1 do for dx = -1, 1 do
if dx ~= 0 or dy ~= 0 then n = n + a[(y + dy - 1) % H + 1][(x + dx - 1) % W + 1]
end end end b[y][x] = (n == 3 or n == 2 and a[y][x] == 1) and 1 or 0 end end
return b end for i = 1, 30 do g = step(g) if i % 10 == 0 then for y = 1, H do
local r = {} for x = 1, W do r[x] = g[y][x] == 1 and "#" or "." end
print(table.concat(r)) end print() end end
