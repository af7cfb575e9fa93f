-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 130
--
-- Matrix products: three nested loops over arrays of arrays of floats.  The
-- second factor is transposed, so that the inner loop walks along rows.
-- Argument: rows and columns.

local n = tonumber(arg and arg[1]) or 300

local function matrix(seed)
  local out = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do
      seed = (seed * 16807) % 2147483647
      row[j] = (seed % 2000) / 1000.0 - 1.0
    end
    out[i] = row
  end
  return out
end

local function transpose(a)
  local out = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do row[j] = a[j][i] end
    out[i] = row
  end
  return out
end

local function product(a, b)
  local columns, out = transpose(b), {}
  for i = 1, n do
    local row, line = a[i], {}
    for j = 1, n do
      local column, sum = columns[j], 0.0
      for k = 1, n do sum = sum + row[k] * column[k] end
      line[j] = sum
    end
    out[i] = line
  end
  return out
end

local c = product(product(matrix(17), matrix(91)), matrix(5))
local trace = 0.0
for i = 1, n do trace = trace + c[i][i] end
print(string.format("checksum %.5f %.5f", trace, c[1][n]))
