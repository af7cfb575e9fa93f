-- SPDX-License-Identifier: MIT
-- and, or, not as values and as conditions, with calls in between.
local trace = {}
local function T(n, v) trace[#trace + 1] = n return v end
local function flush() print(table.concat(trace, " ")) trace = {} end
local values = {n = 4, false, 0, "", nil}
for i = 1, 4 do for j = 1, 4 do for k = 1, 4 do
  local a, b, c = values[i], values[j], values[k]
  local r = {a and b, a or b, not a, a and b or c, a or b and c, (a or b) and c,
    not (a and b), not a and not b}
  local row = {}
  for n = 1, 8 do row[n] = tostring(r[n]) end
  print(i, j, k, table.concat(row, " "))
  if T(1, a) and T(2, b) or T(3, c) then T("t") else T("e") end
  while not (T(4, a) or T(5, b)) do T("w") break end
  local x = T(6, a) and T(7, b) and T(8, c)
  local y = T(9, a) or T(10, b) or T(11, c)
  local z = not T(12, a) == not T(13, b)
  T(tostring(x)) T(tostring(y)) T(tostring(z))
  flush()
end end end
local t = {x = nil, y = false}
print(t.x == nil, t.y == nil, t.x or "default", t.y or "default", t.x and t.x.z)
print((t.x or {}).z, (nil == false) or 1, 1 == 1 and 2 < 3 and "chain")
local function multi() return 1, 2, 3 end
print((multi()), multi() and 5, multi() or 6, (multi()) or 7, not multi())
print(1 < 2 and 2 < 3, 1 < 2 and 3 < 2, not (1 < 2), not (1 == 1.0), 1 ~= 1 or
  nil)
local n = 0
repeat local done = n > 3; n = n + 1 until done or n > 100
print(n)
