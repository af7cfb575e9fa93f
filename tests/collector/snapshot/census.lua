-- SPDX-License-Identifier: MIT
--
-- census.lua -- gc.census counts live objects, gc.diff reports changes

local gc = require "penumbra.gc"

local function total(part)
  local count, bytes = 0, 0
  for _, line in pairs(part) do
    count, bytes = count + line.count, bytes + line.bytes
  end
  return count, bytes
end

local function check(census)
  local count, bytes = total(census.types)
  for kind, line in pairs(census.types) do assert(line.count > 0, kind) end
  for _, part in ipairs {"sizes", "names"} do
    local c, b = total(census[part])
    assert(c == count and b == bytes, part)
  end
  return count, bytes
end

Account = {}
local accounts = {}
for i = 1, 500 do accounts[i] = setmetatable({i, {}}, Account) end
local first = gc.census()
local live = gc.stats().live
local _, bytes = check(first)
assert(bytes == live, ("%d and %d bytes"):format(bytes, live))
assert(first.names.Account.count == 501)
assert(first.types.table.count > 1000)
assert(first.types.thread.count == 1)

-- A hundred forgotten listeners.
local listeners = {}
for i = 1, 100 do listeners[i] = function() return i end end
accounts[500] = nil
local second = gc.census()
check(second)
local by = {}
local last = math.huge
for _, line in ipairs(gc.diff(first, second)) do
  by[line.name] = line
  assert(line.bytes <= last)
  last = line.bytes
end
assert(by.Account.count == -1 and by.Account.bytes < 0)
local found
for name, line in pairs(by) do
  if name:find("^function <.*census.lua:%d+>$") then found = line.count end
end
assert(found == 100, found)
assert(#gc.diff(second, second) == 0)

-- A size stands for objects that are not larger, but larger than the half.
do
  local MANY = 500
  local function count(census, size)
    local line = census.sizes[tostring(size)]
    return line and line.count or 0
  end
  local exact = 0
  for length = 1, 1100, 7 do
    local size = select(2, gc.why(("x"):rep(length) .. "000000")).size
    local class = 1
    while class < size do class = class * 2 end
    if size == class or length % 91 == 1 then
      local before, list = gc.census(), {}
      for i = 1, MANY do list[i] = ("x"):rep(length) .. ("%06d"):format(i) end
      local after = gc.census()
      for k = 5, 12 do
        local more = count(after, 1 << k) - count(before, 1 << k)
        assert((more >= MANY) == (1 << k == class),
               ("%d more of %d for %d bytes"):format(more, 1 << k, size))
      end
      exact = exact + (size == class and 1 or 0)
    end
  end
  assert(exact > 4, exact)
end

-- Many names: some share a slot in the table of sorts.
local many = {}
for i = 1, 1000 do
  local class = {__name = "Class" .. i}
  for j = 1, i % 3 + 1 do many[#many + 1] = setmetatable({}, class) end
end
local names = gc.census().names
for i = 1, 1000 do
  local line = names["Class" .. i]
  assert(line and line.count == i % 3 + 1, i)
end
many = nil

-- While the program runs.
assert(gc.census("steps"))
assert(not gc.census("steps"))
local rounds = 0
while gc.census("result") == false do
  local _ = {{}, {}}
  rounds = rounds + 1
end
local third = gc.census("result")
check(third)
assert(third.names.Account.count == 500 and rounds > 0)
assert(not pcall(gc.diff, {}, {}) and not pcall(gc.census, "often"))
print "ok"
