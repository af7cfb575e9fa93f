-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 25000
--
-- Sorting: table.sort with and without a comparison function, on numbers and on
-- strings, and a quicksort and a heapsort written in Lua.
-- Argument: number of elements.

local size = tonumber(arg and arg[1]) or 250000

local seed = 2024
local function random()
  seed = (seed * 16807) % 2147483647
  return seed
end

local function numbers()
  local out = {}
  for i = 1, size do out[i] = random() end
  return out
end

local function insertion_sort(a, low, high)
  for i = low + 1, high do
    local value, k = a[i], i - 1
    while k >= low and a[k] > value do
      a[k + 1] = a[k]
      k = k - 1
    end
    a[k + 1] = value
  end
end

local function quicksort(a, low, high)
  while high - low > 12 do
    local pivot = a[math.floor((low + high) / 2)]
    local i, k = low, high
    repeat
      while a[i] < pivot do i = i + 1 end
      while a[k] > pivot do k = k - 1 end
      if i <= k then
        a[i], a[k] = a[k], a[i]
        i, k = i + 1, k - 1
      end
    until i > k
    quicksort(a, low, k)
    low = i
  end
  insertion_sort(a, low, high)
end

local function sift_down(a, root, count)
  local value = a[root]
  local child = root * 2
  while child <= count do
    if child < count and a[child] < a[child + 1] then child = child + 1 end
    if value >= a[child] then break end
    a[root] = a[child]
    root, child = child, child * 2
  end
  a[root] = value
end

local function heapsort(a)
  local count = #a
  for i = math.floor(count / 2), 1, -1 do sift_down(a, i, count) end
  for i = count, 2, -1 do
    a[1], a[i] = a[i], a[1]
    sift_down(a, 1, i - 1)
  end
end

-- Checks the order and reduces the array to a number.
local function digest(a, before)
  local sum = 0
  for i = 1, #a do
    assert(i == 1 or not before(a[i], a[i - 1]))
    if i % 100 == 0 then sum = (sum * 31 + #tostring(a[i])) % 1000000007 end
  end
  return sum
end

local function less(x, y) return x < y end
local function greater(x, y) return x > y end
local sum = 0

local a = numbers()
table.sort(a)
sum = sum + digest(a, less)

a = numbers()
table.sort(a, greater)
sum = sum + digest(a, greater)

a = numbers()
quicksort(a, 1, #a)
sum = sum + digest(a, less)

a = numbers()
heapsort(a)
sum = sum + digest(a, less)

a = {}
for i = 1, size / 4 do a[i] = "name " .. random() end
table.sort(a)
sum = sum + digest(a, less)

print(string.format("checksum %d", sum))
