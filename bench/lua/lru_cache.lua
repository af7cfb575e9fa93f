-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 50000
--
-- A cache that drops the least recently used entry: a hash from string keys to
-- the nodes of a doubly linked list.  Keys leave and enter the hash at every
-- miss, so deletions and insertions are constant.
-- Argument: number of lookups.

local lookups = tonumber(arg and arg[1]) or 280000
local capacity = 20000
local key_range = 60000

local seed = 42
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n
end

local Cache = {}
Cache.__index = Cache

function Cache.new(limit)
  local ring = {}
  ring.before, ring.after = ring, ring
  return setmetatable({ ring = ring, nodes = {}, count = 0, limit = limit },
                      Cache)
end

local function unlink(node)
  node.before.after, node.after.before = node.after, node.before
end

local function link_front(ring, node)
  node.before, node.after = ring, ring.after
  ring.after.before, ring.after = node, node
end

function Cache:get(key)
  local node = self.nodes[key]
  if not node then return nil end
  unlink(node)
  link_front(self.ring, node)
  return node.value
end

function Cache:put(key, value)
  if self.count >= self.limit then
    local oldest = self.ring.before
    unlink(oldest)
    self.nodes[oldest.key] = nil
    self.count = self.count - 1
  end
  local node = { key = key, value = value }
  self.nodes[key] = node
  link_front(self.ring, node)
  self.count = self.count + 1
end

local cache = Cache.new(capacity)
local hits, sum = 0, 0
for i = 1, lookups do
  -- Two dice: low numbers are requested more often than high ones.
  local number = math.min(random(key_range), random(key_range))
  local key = "key:" .. number
  local value = cache:get(key)
  if value then
    hits = hits + 1
    sum = (sum + value.number) % 1000000007
  else
    cache:put(key, { number = number, born = i })
  end
end

print(string.format("checksum %d %d %d", hits, sum, cache.count))
