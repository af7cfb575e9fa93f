-- SPDX-License-Identifier: MIT
-- tonumber and the conversion of strings to numbers (manual 3.4.3, 6.1).
local texts = {"0", "10", "-10", "+10", "- 10", "--10", "+-1", " 10", "10 ",
  "\t10\n", "\v10\f", "10a", "", " ", "0x", "0x10", "-0x10", "0xg", "0X1F",
    "1e1",
  "1e", "1e+", "e1", ".", ".5", "5.", "-.5", "0x.8", "0x8.", "0x.p1", "0x1p4",
  "0x1p", "inf", "nan", "INF", "NaN", "-nan", "infinity", "1e400", "-1e400",
  "0x1p99999", "1e-400", "9223372036854775807", "9223372036854775808",
  "-9223372036854775808", "-9223372036854775809", "0x7fffffffffffffff",
  "0xffffffffffffffff", "0x10000000000000000", "-0xffffffffffffffff", "1 2",
  "1\0", "\0001", "1,5", "1_0", "0b1", "1.5.2", "1d", "1f", "0x1.8", "1e1.5",
  "0x1e1", "00", "007", "1" .. ("0"):rep(30), "0." .. ("0"):rep(300) .. "1",
  ("1"):rep(400), "0x" .. ("f"):rep(40), ("0"):rep(250) .. "7", "1e0000001",
  "0x1p-1074", "0x0.0000001p0", "3.", "1e+5", "1E-5"}
for _, text in ipairs(texts) do
  local n = tonumber(text)
  print(("%q"):format(text):sub(1, 60), n, math.type(n))
end
for _, base in ipairs {2, 8, 10, 16, 36} do
  for _, text in ipairs {"10", "-11", " 101 ", "7", "8", "9", "ff", "FF", "z",
    "Z",
      "", "-", "1.0", "1e1", "0x10", "1 1", "zzzzzzzzzzzzzzz", "\t1\n", "+1"} do
    io.write(tostring(tonumber(text, base)), " ")
  end
  print()
end
for _, args in ipairs {{10, 10}, {"10", 1}, {"10", 37}, {"10", "16"},
  {"10", 16.0},
    {"10", 16.5}, {{}, 10}, {"10", {}}, {nil, 10}} do
  print(pcall(tonumber, args[1], args[2]))
end
print(pcall(tonumber)) print(tonumber(nil), tonumber({}), tonumber(true))
print(tonumber(12), tonumber(1.5), tonumber(print))
print("10" + 5, "0x10" * 1, "1e1" + 0, " 10 " - 1, "10" / 2, "7" // "2", "7" %
  "4")
print(pcall(function() return "a" + 1 end))
print(pcall(function() return "1a" + 1 end))
print(pcall(function() return {} + "1" end))
print(pcall(function() return "abc" .. {} end))
print(math.type("10" + 5), math.type("10.0" + 5), math.type("1e1" * 1))
