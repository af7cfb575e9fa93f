-- SPDX-License-Identifier: MIT
--
-- Tables with array parts: made, filled, emptied, copied, dropped.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled, random = memory.case, memory.scaled, memory.random

-- One array of 1.6 MB after the other.
case("fill", "both", function()
  for _ = 1, scaled(2000) do
    local t = {}
    for j = 1, 100000 do t[j] = j end
  end
end)

-- The same with table.move.
case("move", "both", function()
  local source = {}
  for j = 1, 100000 do source[j] = j end
  for _ = 1, scaled(2000) do table.move(source, 1, 100000, 1, {}) end
end)

-- Arrays of all sizes; the last ten stay alive.
case("array_sizes", "both", function()
  local ring = {}
  for i = 1, scaled(3000) do
    local t = {}
    for j = 1, random(60000) do t[j] = j end
    ring[i % 10] = t
  end
end)

case("pack_unpack", "both", function()
  local source = {}
  for j = 1, 40000 do source[j] = j end
  for _ = 1, scaled(2500) do
    local t = table.pack(table.unpack(source, 1, 40000))
    assert(t.n == 40000)
  end
end)

-- Sums of matrices of floats: rows of 4 KB.
case("matrices", "both", function()
  local size = 256
  local function matrix(value)
    local m = {}
    for i = 1, size do
      local row = {}
      for j = 1, size do row[j] = value + j end
      m[i] = row
    end
    return m
  end
  local function add(a, b)
    local m = {}
    for i = 1, size do
      local x, y, row = a[i], b[i], {}
      for j = 1, size do row[j] = x[j] + y[j] end
      m[i] = row
    end
    return m
  end
  local sum, one = matrix(0.0), matrix(1.0)
  for _ = 1, scaled(600) do sum = add(sum, one) end
end)

-- One table that is repeatedly emptied element by element and refilled.
case("empty_and_refill", "both", function()
  local t = {}
  for _ = 1, scaled(60) do
    for j = 1, 400000 do t[j] = { j } end
    for j = 400000, 1, -1 do t[j] = nil end
  end
end)

-- An array that grows to 64 MB, several times.
case("growing_array", "both", function()
  for _ = 1, scaled(10, 4) do
    local t = {}
    for j = 1, 4000000 do t[j] = j end
  end
end)

-- Insertion and removal at the end, between zero and 32 MB.
case("stack", "both", function()
  local t = {}
  for _ = 1, scaled(10, 3) do
    for j = 1, 2000000 do t[#t + 1] = j end
    for _ = 1, 2000000 do t[#t] = nil end
  end
end)

-- A table constructor with a list, as in records.
case("small_arrays", "both", function()
  local ring = {}
  for i = 1, scaled(8000000) do ring[i % 20000] = { i, i, i, i } end
end)

-- Half of the elements of an array die at random times.
case("array_of_objects", "both", function()
  local t = {}
  for i = 1, 200000 do t[i] = { i } end
  for i = 1, scaled(8000000) do t[random(200000)] = { i } end
end)

memory.run()
