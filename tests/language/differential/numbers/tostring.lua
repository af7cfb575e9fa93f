-- SPDX-License-Identifier: MIT
-- Numbers as strings: print, tostring, concatenation (manual 3.4.3).
for _, n in ipairs {0, -0, 0.0, -0.0, 1, 1.0, -1.0, 100, 1e2, 1e14, 1e15, 1e16,
  1e17, 123456789012345, 123456789012345.0, 1234567890123456.0, 2^53, 2^63,
    -2^63,
  0.1, 0.2, 0.1 + 0.2, 1/3, 2/3, 1e100, 1e-100, 1e-5, 1e-4, 0.0001234,
  3.14159265358979, 100000000000000, 1e308 * 10, -1e308 * 10, 5e-324,
  math.maxinteger, math.mininteger, math.pi, -math.pi, 99999999999999.9,
  999999999999999.9, 0.99999999999999, 0.999999999999999, 12345678.9,
  1e15 + 0.5, 2^31, 2^32, 2^-1, 1e21, 1e22} do
  print(n, tostring(n), n .. "", ("%s"):format(n), ("%.3f"):format(n),
        ("%g"):format(n), ("%.14g"):format(n))
end
print(1 .. "", 1.0 .. "|" .. -0.0 .. "|" .. 2^63, 1e15 .. "", 10 // 1.0 .. "")
print(#tostring(0.1), #(1e100 .. ""), tostring(1e15), tostring(-1e15))
