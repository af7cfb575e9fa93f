-- SPDX-License-Identifier: MIT
-- Constants at compile time (manual 3.3.7).
local a <const>, b <const>, c <const> = 1, 2.5, "text"
local n <const>, t <const>, f <const> = nil, true, false
print(a, b, c, n, t, f, a + b, c .. a, -a, a << 3, not n, t and f)
local function up() return a, b, c, n, t, f end print(up())
local sum <const> = a + 1 local calc <const> = 2^10 local tbl <const> = {1}
tbl[2] = 2 print(sum, calc, #tbl)
if f then print "no" else print "else" end if t then print "then" end
while n do end for i = a, 3 do io.write(i, " ") end print()
print(a == 1, 1 == a, b < a, a < b, b // a, a .. "", ({10, 20})[a], ({x = 1}).x
  == a)
do local a <const> = a + 10 print(a) end
local x <const> = 0.0 local y <const> = -0.0 print(1/x, 1/y, x == y)
local big <const> = 1 << 62 print(big, big * 2, big * 4)
for _, text in ipairs {
  "local a <const> = 1; a = 2", "local a <const> = 1; a, b = 2",
    "local a <const> = 1; function a() end",
  "local a <const> = 1; local function f() a = 2 end",
    "local a <const> = {}; a.x = 1",
  "local a <const> = 1; for a = 1, 2 do end", "local a <close> = nil; a = 1",
  "local a <const> = 1; local a = 2; a = 3", "local a <const>; a = 1",
    "local x <foo> = 1",
  "local x <const> y = 1", "local function f <const> () end",
    "for i <const> = 1, 2 do end",
  "local a <const> = 1 do a = 5 end", "local a<close>, b<close> = 1, 2",
    "local a <const>, b = 1, 2; b = 3",
} do print(load(text, "=t")) end
