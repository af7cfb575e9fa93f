-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 200
--
-- The spectral norm of an infinite matrix with entries 1, 1/2, 1/3 ... along
-- its diagonals, by the power method.  Float division and array access.
-- Argument: size of the part of the matrix that is used.

local n = tonumber(arg and arg[1]) or 700

local function entry(i, j)
  local diagonal = i + j - 1
  return 1.0 / (diagonal * (diagonal - 1) * 0.5 + i)
end

local function times(v, out)
  for i = 1, n do
    local sum = 0.0
    for j = 1, n do sum = sum + v[j] * entry(i, j) end
    out[i] = sum
  end
end

local function times_transposed(v, out)
  for i = 1, n do
    local sum = 0.0
    for j = 1, n do sum = sum + v[j] * entry(j, i) end
    out[i] = sum
  end
end

local u, v, between = {}, {}, {}
for i = 1, n do u[i] = 1.0 end
for _ = 1, 10 do
  times(u, between)
  times_transposed(between, v)
  times(v, between)
  times_transposed(between, u)
end

local uv, vv = 0.0, 0.0
for i = 1, n do
  uv = uv + u[i] * v[i]
  vv = vv + v[i] * v[i]
end
print(string.format("checksum %.9f", math.sqrt(uv / vv)))
