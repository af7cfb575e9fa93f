-- SPDX-License-Identifier: MIT
-- Numerals in source text (manual 3.1).
for _, text in ipairs {
  "3", "345", "0xff", "0xBEBADA", "3.0", "3.1416", "314.16e-2", "0.31416E1",
  "34e1", "0x0.1E", "0xA23p-4", "0X1.921FB54442D18P+1", ".5", "5.", "0x.8",
  "0x8.", "1e1", "1E+1", "1e-1", "0x1p4", "0x1P-4", "00012", "000.10",
  "9223372036854775807", "9223372036854775808", "0x7fffffffffffffff",
  "0x8000000000000000", "0xffffffffffffffff", "0x1ffffffffffffffff",
  "0x123456789abcdef0123", "1e308", "1e309", "1e-320", "5e-324", "2e-324",
  "1e400", "0x1p-1074", "0x1p-1075", "0x1.8p-1074", "0x1p1023", "0x1p1024",
  "0x1.fffffffffffff8p1023", "0x1.fffffffffffff7p1023",
  "123456789012345678901234567890", "0.1", "0.2", "0.30000000000000004",
  "1e23", "8.5e22", "2.2250738585072011e-308", "4.35", "9007199254740993",
  "9007199254740993.0", "0e12", ".0", "0.", "0xep1", "0xe+1", "0x1e+1", "1..2",
  "0x", "0xg", "1e", "1e+", "0x1p", "0x1p+", "1.2.3", "3x", "08", "1_000",
  "0b1", "0xep", "3.e", "0x.", "0x.p1", ".", "..", "1...2", "12abc",
  "3=", "0x1.p1", "1.e1", ".e1",
} do
  local f, message = load("return " .. text, "=text")
  if f then
    local ok, value = pcall(f)
    print(text, ok, math.type(value), value,
          math.type(value) == "float" and string.format("%a", value) or "")
  else
    print(text, message)
  end
end
