-- SPDX-License-Identifier: MIT
-- Strings made in different ways are the same key and equal (manual 2.1).
local t = {}
for i = 1, 200 do
  local s = ("k"):rep(i)
  t[s] = i
end
for i = 1, 200 do
  local parts = {}
  for j = 1, i do parts[j] = "k" end
  assert(t[table.concat(parts)] == i)
  assert(t[("kx"):rep(i):gsub("x", "")] == nil or i >= 0)
  local a = ("kx"):rep(i):gsub("x", "")
  assert(t[a] == i and a == ("k"):rep(i) and not (a ~= ("k"):rep(i)))
end
print(#t, t[("k"):rep(40)], t[("k"):rep(41)], t[("k"):rep(200)], t[""])
local a = ("x"):rep(39) .. "y" local b = ("x"):rep(39) .. "y"
local c = ("x"):rep(40) .. "y" local d = ("x"):rep(40) .. "y"
print(a == b, c == d, rawequal(a, b), rawequal(c, d), a < c, c < a, a == c)
local seen = {} for i = 1, 5000 do
local k = "key" .. i % 500 seen[k] = (seen[k] or 0) + 1 end
local n, ok = 0, true for k, v in pairs(seen) do n = n + 1 ok = ok and v == 10
end print(n, ok)
print(("a\0b") == ("a\0c"), ("a\0b"):len(), #("\0"):rep(50), ("\0"):rep(50) ==
  ("\0"):rep(50), ("\0"):rep(50) == ("\0"):rep(51))
