-- SPDX-License-Identifier: MIT
-- Numeric for: ranges, overflow, floats, errors (manual 3.3.5).
local max, min = math.maxinteger, math.mininteger
local function loop(a, b, c)
  local out, n = {}, 0
  local ok, message = pcall(function()
    for i = a, b, c do
      n = n + 1
      if n > 6 then out[#out + 1] = "..." break end
      out[#out + 1] = tostring(i)
    end
  end)
  print(a, b, c, table.concat(out, " "), not ok and message or "")
end
loop(1, 3, 1) loop(3, 1, 1) loop(3, 1, -1) loop(1, 1, 1) loop(1, 0, 1)
loop(max - 2, max, 1) loop(min + 2, min, -1) loop(max - 1, math.huge, 1)
loop(min, max, max) loop(max, min, min) loop(1, max, max) loop(-1, min, min)
loop(1, 3.9, 1) loop(1, -math.huge, 1) loop(1, -math.huge, -1) loop(3, 1.1, -1)
loop(1.0, 3, 1) loop(1, 3, 1.0) loop(1, 2, 0.25) loop(0.1, 0.5, 0.1)
loop(1, 0/0, 1)
loop(1, math.huge, 1) loop(math.huge, 1, -1) loop(1.5, 1.5, 1) loop(-0.0, 0, 1)
loop(1, 10, 0) loop(1.0, 10, 0) loop(1, 10, 0.0) loop("1", 2, 1) loop(1, "2", 1)
loop(1, 2, "1") loop({}, 2, 1) loop(1, nil, 1) loop(1, 2, {}) loop("x", 1, 1)
loop(1, 2^53, 2^52) loop(2^53, 2^53 + 3, 1) loop(max, max + 1.0, 1)
loop(1, 3, nil)
loop(min, min, 1) loop(max, max, -1) loop(1, 2, max) loop(min, max, min)
loop(3, 3.5, 2)
for i = 1, 3 do local j = i; i = i * 10; io.write(i, " ", j, " ") end print()
local f = {} for i = 1, 3 do f[i] = function() i = i + 1; return i end end
print(f[1](), f[1](), f[2](), f[3]())
for i = 3, 1, -1 do io.write(i, " ") end
for i = 1, 3 do for j = i, 3 do io.write(i * j, ",") end end print()
local n = 0 for _ = 1, 0 do n = n + 1 end print(n)
