-- SPDX-License-Identifier: MIT
-- Numbers to text and back, string.format.

local op = ...

local formats = {
  { "%d", "i" }, { "%5d", "i" }, { "%05d", "i" }, { "%i", "i" }, { "%x", "i" }, { "%X", "i" }, { "%o", "i" }, { "%c", "65" },
  { "%s", "'hello'" }, { "%s", "i", "%s of an integer" }, { "%s", "i + 0.5", "%s of a float" }, { "%s", "true", "%s of a boolean" },
  { "%10s", "'hello'" }, { "%-10s|", "'hello'" }, { "%.3s", "'hello'" }, { "%q", "'hello\\n\"world\"'" }, { "%q", "i", "%q of an integer" },
  { "%q", "1.5", "%q of a float" }, { "%f", "i + 0.5" }, { "%.2f", "i + 0.5" }, { "%10.3f", "i + 0.5" }, { "%e", "i + 0.5" }, { "%g", "i + 0.5" },
  { "%.14g", "i + 0.1" }, { "%.17g", "i + 0.1" }, { "%a", "1.5" }, { "%%", "1" }, { "plain", "1" }, { "%d", "3.0", "%d of a float" },
}
for _, f in ipairs(formats) do
  op("format " .. (f[3] or f[1]), "local x", ("x = string.format('%s', %s)"):format(f[1]:gsub("%%", "%%%%"), f[2]):gsub("%%%%", "%%"))
end
op("format of three", "local x", "x = ('%s: %d, %s'):format('name', i, 'end')")
op("format of ten", "local x", "x = ('%d %d %d %d %d %d %d %d %d %d'):format(1, 2, 3, 4, 5, 6, 7, 8, 9, i)")
op("format of a long string", "local s, x = ('x'):rep(1000)", "x = ('%s-%s'):format(s, s)")
op("format %s with __tostring", "local o, x = setmetatable({}, { __tostring = function() return 'obj' end })", "x = ('%s'):format(o)")
op("format %p", "local o, x = {}", "x = ('%p'):format(o)")
for _, case in ipairs {
  { "an integer", "i" }, { "a large integer", "i + (1 << 60)" }, { "a negative integer", "-i" }, { "a float", "i + 0.5" },
  { "1/3", "i / 3" }, { "a huge float", "i * 1e200" }, { "a tiny float", "i * 1e-200" }, { "a float that is an integer", "i + 0.0" },
  { "infinity", "math.huge" }, { "true", "true" }, { "nil", "nil" }, { "a string", "'x'" }, { "a table", "{}" }, { "a function", "print" },
} do
  op("tostring of " .. case[1], "local x", ("x = tostring(%s)"):format(case[2]))
end
for _, case in ipairs {
  { "an integer", "'12345'" }, { "a float", "'123.456'" }, { "1e10", "'1e10'" }, { "hexadecimal", "'0xff'" }, { "a hexadecimal float", "'0x1.8p3'" },
  { "spaces", "'  42  '" }, { "a word", "'hello'" }, { "an empty string", "''" }, { "a number", "42" }, { "a long fraction", "'3.14159265358979323846'" },
  { "a large integer", "'9223372036854775807'" }, { "beyond integers", "'9223372036854775808'" }, { "base 16", "'ff', 16" }, { "base 2", "'101010', 2" },
  { "base 36", "'zz', 36" }, { "nil", "nil" }, { "a negative one", "'-17'" }, { "digits and a letter", "'123abc'" }, { "1e300", "'1e300'" },
} do
  op("tonumber of " .. case[1], "local x", ("x = tonumber(%s)"):format(case[2]))
end
op("math.tointeger of a string", "local x", "x = math.tointeger('42')")
op("print-like concat", "local x", "x = tostring(i) .. '\\t' .. tostring(i + 0.5) .. '\\n'")
op("a line of a report", "local x", "x = string.format('%-20s %10.2f %5d', 'name', i * 1.5, i)")
op("json string", "local s, x = 'a \"quoted\" word\\n'", "x = '\"' .. s:gsub('[%c\"\\\\]', { ['\"'] = '\\\\\"', ['\\n'] = '\\\\n' }) .. '\"'")
