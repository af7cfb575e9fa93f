-- SPDX-License-Identifier: MIT
-- Comparison across integers, floats, strings (manual 3.4.4).
local max, min = math.maxinteger, math.mininteger
local values = {0, -0.0, 1, 1.0, 0.5, -1, max, min, max + 0.0, min + 0.0, 2^53,
  2^53 + 1, (1 << 53) + 1, 1/0, -1/0, 0/0, 2^63, -2^63, max - 1, 1e308,
  -0.5, max // 2, (max // 2) + 0.0}
for i, a in ipairs(values) do
  local row = {}
  for j, b in ipairs(values) do
    row[j] = (a < b and "<" or "") .. (a <= b and "l" or "") ..
      (a == b and "=" or "") .. (a > b and ">" or "") .. (a >= b and "g" or "")
        ..
      (a ~= b and "~" or "")
  end
  print(i, table.concat(row, " "))
end
local strings = {"", "a", "b", "ab", "A", "a\0b", "a\0", "a\0c", "\0", "\255",
  "10", "9", "é"}
for i, a in ipairs(strings) do
  local row = {}
  for j, b in ipairs(strings) do
    row[j] = a < b and "<" or a == b and "=" or ">"
  end
  print(i, table.concat(row, " "))
end
local f, g = function() return 1 < "2" end, function() return {} < {} end
print(pcall(f)) print(pcall(g))
print(pcall(function() return "1" <= 2 end))
print(pcall(function() return nil > 1 end))
print(pcall(function() return true < false end))
print(pcall(function() return print < print end))
print(pcall(function() return {} < 1 end))
print(pcall(function() local t = {} return t.x.y < 2 end))
print(1 == "1", "0" == 0, 0 == false, nil == false, "" == false, 1 == 1.0)
print(math.maxinteger < math.huge, math.mininteger > -math.huge)
print((2^53) == (1 << 53), (2^53 + 1) == ((1 << 53) + 1))
print(rawequal(1, 1.0), rawequal("a" .. 1, "a1"), rawequal({}, {}))
