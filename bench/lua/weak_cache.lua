-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 50000
--
-- Weak tables in common use: a cache of computed objects with weak values,
-- which the collector may remove when they are unused, and properties of
-- objects kept outside of them in a table with weak keys.  What the collector
-- removes, and when, differs between interpreters.  The checksum depends only
-- on what the program holds.
-- Argument: number of requests.

local requests = tonumber(arg and arg[1]) or 500000
local key_range = 40000
local in_use = 5000

local seed = 7
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

local cache = setmetatable({}, { __mode = "v" })
local owners = setmetatable({}, { __mode = "k" })

local function compute(key)
  return { key = key, cells = { key, key * 2, key * 3 } }
end

local function request(key)
  local object = cache[key]
  if not object then
    object = compute(key)
    cache[key] = object
  end
  return object
end

local held = {}
local sum = 0
for i = 1, requests do
  local object = request(random(key_range))
  sum = (sum + object.cells[2]) % 1000000007
  local slot = random(in_use)
  held[slot] = object
  if not owners[object] then owners[object] = { slot = object.key } end
  if i % 4 == 0 then
    local other = held[random(in_use)]
    if other then sum = (sum + owners[other].slot) % 1000000007 end
  end
end

for i = 1, in_use do
  local object = held[i]
  if object then
    assert(cache[object.key] == object)
    sum = (sum + owners[object].slot) % 1000000007
  end
end
print(string.format("checksum %d", sum))
