-- SPDX-License-Identifier: MIT
-- Bitwise operators, with the conversions they make (manual 3.4.2, 3.4.3).
local max, min = math.maxinteger, math.mininteger
local values = {0, 1, -1, 2, 63, 64, 65, -63, -64, -65, max, min, 0xF0F0, 3.0,
  -1.0, 2^53}
local wrong = {1.5, 2^63, -2^63 - 2^11, 1/0, 0/0, "1.5", "abc", "", {}, nil,
  true,
  "9223372036854775808", "1e100", print, "7", "0xff", "3.0", " 7 "}
local operators = {
  {"&", function(a, b) return a & b end},
    {"|", function(a, b) return a | b end},
  {"~", function(a, b) return a ~ b end},
    {"<<", function(a, b) return a << b end},
  {">>", function(a, b) return a >> b end},
}
for _, op in ipairs(operators) do
  for _, a in ipairs(values) do
    local row = {}
    for _, b in ipairs(values) do row[#row + 1] = tostring(op[2](a, b)) end
    print(op[1], a, table.concat(row, " "))
  end
  for i = 1, 18 do
    print(op[1], pcall(op[2], wrong[i], 1))
    print(op[1], pcall(op[2], 1, wrong[i]))
  end
end
for _, a in ipairs(values) do print("~", a, ~a) end
for i = 1, 18 do print("~", pcall(function(x) return ~x end, wrong[i])) end
print(1 << 62, 1 << 63, 1 << 64, 1 >> 1, -1 >> 1, -1 >> 63, -1 >> 64, -1 << -1)
print(5 // 0.0, -5 // 0.0, 0x7fffffffffffffff + 1 == min, 1 << -min == 0)
print(3 & 5 | 8 ~ 1 << 2, ~5 & 0xF, 2 ^ 3 | 1)
