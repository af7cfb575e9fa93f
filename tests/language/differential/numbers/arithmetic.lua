-- SPDX-License-Identifier: MIT
-- Every arithmetic operator on a grid of corner cases (manual 3.4.1).
local max, min = math.maxinteger, math.mininteger
local inf, nan = math.huge, 0/0
local values = {0, 1, -1, 2, -2, 3, -3, 7, 10, -10, max, min, max - 1, min + 1,
  0.0, -0.0, 0.5, -0.5, 1.5, -2.5, 3.0, 1e15, 2^53, 2^63, -2^63, 1e308, -1e308,
  5e-324, inf, -inf, nan, "10", "-3", "0x10", "1.5", " 7 "}
local operators = {
  {"+", function(a, b) return a + b end},
    {"-", function(a, b) return a - b end},
  {"*", function(a, b) return a * b end},
    {"/", function(a, b) return a / b end},
  {"//", function(a, b) return a // b end},
    {"%", function(a, b) return a % b end},
}
-- The sign of a NaN says which processor made it, nothing about Lua.
local function text(v)
  if v ~= v then return "nan" end
  if math.type(v) == "float" then return string.format("%.17g", v) .. "f" end
  return tostring(v)
end
for _, op in ipairs(operators) do
  for _, a in ipairs(values) do
    local row = {}
    for _, b in ipairs(values) do
      local ok, result = pcall(op[2], a, b)
      row[#row + 1] = ok and text(result) or result:gsub("^.-:%d+: ", "")
    end
    print(op[1], text(a), table.concat(row, " "))
  end
end
