-- Moves, constants, arithmetic, bits, comparisons.
local a, b, c, d = 1, 2.5, "text", nil
local long = ("a long constant string that is not short at all, indeed"):upper()
local e, f, g
local function arith(x, y)
  local s = x + y - 3 * x / 4 % 5 // 2 ^ 2 + 1000000 - 0.5 * y
  s = s + 2 - (7 - x) * (0.25 * y) + 3 * x + 100 / y + x / 8 + y / 0.5 + x % 8
  s = s + x % 1000 + x // 1000 + 2 ^ x + (x & 12) + (x | 3) + (x ~ 5)
  s = s + (x << 3) + (x >> 2) + (1 << x) + (x << y) + (x >> y) + ~x + -x
  return s, not s
end
local function compare(x, y)
  local n = 0
  if x == y then n = n + 1 end
  if x ~= y then n = n + 2 end
  if x < y then n = n + 4 end
  if x <= y then n = n + 8 end
  if x > 1 then n = n + 16 end
  if x >= 2.0 then n = n + 32 end
  if x < 7 or y > 3 and not (x <= 9) then n = n + 64 end
  if x == "k" or y == 1.5 or x == 4 or x ~= nil then n = n + 128 end
  local t = x and y or n
  return x == y, x < y, n, t
end
e, f, g = arith(5, 3), compare(1, 2), compare(1.5, 1)
local list = {1, 2, 3, a, b, c, nil, f, g}
local text = c .. a .. b .. #list .. (c .. "x")
for i = 1, 3 do e = e + arith(i, i + 1) end
for i = 3.0, 1, -0.5 do e = e + i end
for i = 10, 1, -3 do e = e + i % 4 end
local i = 0
while i < 5 do i = i + 1 if i == 4 then break end end
repeat i = i - 1 local z = i until z <= 0
goto out
do i = 1 end
::out::
return e, f, g, text, long, d
