-- SPDX-License-Identifier: MIT
-- Exponentiation and unary minus.
local values = {0, 1, -1, 2, -2, 0.5, -0.5, 3, 10, 63, 64, -64, 1/0, -1/0, 0.0,
  -0.0, "2", "0x10", 1e10}
for _, a in ipairs(values) do
  local row = {}
  for _, b in ipairs(values) do
    local r = a ^ b
    row[#row + 1] = r ~= r and "nan" or string.format("%.14g", r)
  end
  print(a, table.concat(row, " "))
end
print(2^3^2, -2^2, (-2)^2, 2^-1, -2^-2, not 1 == 2, -"2", -"0x10", - -3, -"1.5")
print(-math.mininteger, math.mininteger == -math.mininteger, -0, -0.0, 0.0 ==
  -0.0)
print(1/-0.0, 1/0.0, -"0", -"-0.0", - "  5  ")
print(pcall(function() return -"abc" end))
print(pcall(function() return -{} end))
print(pcall(function() return -nil end))
print(pcall(function() local t = {} return -t.x end))
