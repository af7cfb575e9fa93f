-- SPDX-License-Identifier: MIT
-- next with keys that the table does not have, or has in another form

local try = dofile("try.lua")
local keys = {3.0, 1.0, 0, -1, 2.5, 0/0, "1", "x", true, false, print, {},
              io.stdout, math.huge, -math.huge, 2^53, -0.0, 2^63, -2^63,
              coroutine.create(print), math.mininteger, math.maxinteger,
              ("long"):rep(20)}
local tables = {
  array = {1, 2, 3},
  mixed = {1, 2, 3, x = 1},
  empty = {},
  hash = {[2^53] = 1, [-1] = 1, [2.5] = 1},
  holes = {1, nil, 3, [1000] = 1},
  strings = {x = 1, [("long"):rep(20)] = 2},
}
local names = {"array", "mixed", "empty", "hash", "holes", "strings"}
for _, name in ipairs(names) do
  for i, key in ipairs(keys) do
    local ok, r = pcall(next, tables[name], key)
    print(name, i, ok, ok and "" or r)
    local seen = pcall(function()
      for k in next, tables[name], key do break end
    end)
    print("loop", seen)
  end
end

-- The same in a table that has grown step by step, and in one that shrinks.
local t = {}
for i = 1, 100 do t[i] = i end
try("float", next, t, 50.0)
for i = 100, 1, -1 do t[i] = nil end
for i = 1, 40 do t["k" .. i] = i end
try("float", next, t, 1.0)
t.k7 = nil
print((pcall(next, t, "k7")))
