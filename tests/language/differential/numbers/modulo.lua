-- SPDX-License-Identifier: MIT
-- Floor division and modulo: signs, zero, overflow, floats.
local max, min = math.maxinteger, math.mininteger
for a = -7, 7 do
  local row = {}
  for b = -4, 4 do
    if b ~= 0 then
      assert(a == (a // b) * b + a % b)
      assert((a + 0.0) // b == a // b and (a + 0.0) % b == a % b)
      row[#row + 1] = a // b .. ":" .. a % b .. ":" .. a / b
    end
  end
  print(a, table.concat(row, " "))
end
print(min // -1, min % -1, max // -1, max % -1, min // 1, min % min, max % min,
  min % max)
print(pcall(function() return 1 // 0 end))
print(pcall(function() return 1 % 0 end))
print(pcall(function() local z = 0 return 1 // z end))
print(pcall(function() local z = 0 return 1 % z end))
print(pcall(function(a, b) return a % b end, min, 0))
print(1 // 0.0, -1 // 0.0, 1.0 // 0, 5.5 // 2, -5.5 // 2, 5.5 % 2, -5.5 % 2, 5.5
  % -2)
print(1 % math.huge, -1 % math.huge, 1 % -math.huge, -1 % -math.huge, 0.0 % 5,
  -0.0 % 5)
print(5 % 3.0, -5 % 3.0, 5 % -3.0, -6 % 3.0, 6 % -3.0, 1e308 % 3, 2^53 % 3)
local nan = 1 % 0.0 print(nan ~= nan)
print(math.fmod(-6, 4), math.fmod(6, -4), math.fmod(-6.5, 4),
  math.fmod(min, -1))
print(pcall(math.fmod, 1, 0)) local m = math.fmod(1, 0.0) print(m ~= m)
print(math.fmod(5, math.huge), math.fmod(max, min), math.fmod(min, max),
  math.ult(1, -1))
print(7 // 1.5, -7 // 1.5, 7 % 1.5, -7 % 1.5, 0.1 % 0.01, 1e15 // 0.1)
