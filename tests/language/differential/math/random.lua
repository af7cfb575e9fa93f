-- SPDX-License-Identifier: MIT
-- math.random with a known seed is xoshiro256** (manual 6.7).
local function seq(...) math.randomseed(...) local t = {} for i = 1, 5
do t[i] = ("%.17g"):format(math.random()) end for i = 6, 10
do t[i] = math.random(100) end for i = 11, 15 do t[i] = math.random(-5, 5) end
for i = 16, 18 do t[i] = math.random(0)
end t[19] = math.random(math.mininteger, math.maxinteger) t[20] =
  math.random(1 << 40) t[21] = math.random(3.0) print(table.concat(t, " ")) end
seq(42) seq(42) seq(0) seq(1, 2) seq(-1) seq(42.0) seq(math.maxinteger)
  seq(123456789012345) seq(1, 0) seq("7")
print(math.randomseed(5)) print(math.randomseed(5, 6))
print(pcall(math.randomseed, "x"))
print(select("#", math.randomseed())) math.randomseed(7)
for _, a in ipairs {{1}, {1, 1}, {5, 5}, {math.maxinteger},
  {math.mininteger, math.mininteger}, {0, 1}, {-10, -5}} do
print(math.random(table.unpack(a))) end
for _, a in ipairs {{-1}, {2, 1}, {1, 2, 3}, {"x"}, {1.5}, {1, 2.5}, {{}},
  {math.maxinteger, math.mininteger}} do
print(pcall(math.random, table.unpack(a))) end math.randomseed(99)
local c = {0, 0, 0, 0, 0, 0} for i = 1, 6000 do
local r = math.random(6) c[r] = c[r] + 1 end print(table.concat(c, " "))
local lo, hi = 1, 0 for i = 1, 1000 do
local r = math.random() lo, hi = math.min(lo, r), math.max(hi, r) end
print(("%.17g %.17g"):format(lo, hi)) print(math.random(0) ~= math.random(0))
for i = 1, 64 do io.write(math.random(1 << i - 1 > 0 and 1 << i - 1 or 1), " ")
end print()
