-- SPDX-License-Identifier: MIT
-- Keys of all sorts: tables of them are built, read, overwritten and missed.

local op = ...

-- Key number j of each family, as an expression.
local families = {
  { "floats j + 0.5", "j + 0.5" },
  { "floats j / 7", "j / 7" },
  { "floats j * 1e10 + 0.5", "j * 1e10 + 0.5" },
  { "floats j * 0.125", "j * 0.125 + 0.0625" },
  { "negative floats", "-j - 0.25" },
  { "integers j * 7", "j * 7" },
  { "integers j * 10", "j * 10" },
  { "integers j * 64", "j * 64" },
  { "integers j * 1000", "j * 1000" },
  { "integers j << 20", "j << 20" },
  { "integers j << 32", "j << 32" },
  { "negative integers", "-j" },
  { "points x * 1000 + y", "j // 32 * 1000 + j % 32" },
  { "strings k1, k2", "'k' .. j" },
  { "strings with a long beginning", "'a_rather_long_beginning_' .. j" },
  { "strings with a long end", "j .. '_with_a_rather_long_end'" },
  { "strings of 100 bytes", "('x'):rep(95) .. j" },
  { "tables", "o[j]", "for j = 1, 1000 do o[j] = {} end" },
  { "tables with fields", "o[j]", "for j = 1, 1000 do o[j] = { x = j } end" },
  { "functions", "o[j]", "for j = 1, 1000 do o[j] = function() return j end end" },
  { "coroutines", "o[j]", "for j = 1, 1000 do o[j] = coroutine.create(print) end" },
}
for _, family in ipairs(families) do
  local name, key, objects = family[1], family[2], family[3] or ""
  local keys = "local o, k = {}, {} " .. objects ..
    " for j = 1, 1000 do k[j] = " .. key .. " end "
  local filled = keys .. "local t = {} for j = 1, 1000 do t[k[j]] = j end "
  op("insert 1000, " .. name, keys,
     "local t = {} for j = 1, 1000 do t[k[j]] = j end")
  op("read 1000, " .. name, filled .. "local x",
     "for j = 1, 1000 do x = t[k[j]] end")
  op("overwrite 1000, " .. name, filled,
     "for j = 1, 1000 do t[k[j]] = i end")
end
for _, family in ipairs {
  { "floats", "j + 0.5", "j + 0.75" }, { "integers", "j * 7", "j * 7 + 1" },
  { "strings", "'k' .. j", "'m' .. j" }, { "tables", "{}", "{}" },
} do
  op("miss 1000, " .. family[1], "local t, k, x = {}, {} for j = 1, 1000 do t[" ..
     family[2] .. "] = j k[j] = " .. family[3] .. " end",
     "for j = 1, 1000 do x = t[k[j]] end")
end
op("read t[j + 0.5], computed", "local t, x = {} for j = 1, 1000 do t[j + 0.5] = j end",
   "for j = 1, 1000 do x = t[j + 0.5] end")
op("read floats that are integers", "local t, x = {} for j = 1, 1000 do t[j] = j end",
   "for j = 1.0, 1000.0 do x = t[j] end")
op("write floats that are integers", "local t = {} for j = 1, 1000 do t[j] = j end",
   "for j = 1.0, 1000.0 do t[j] = 1 end")
op("booleans", "local t, x = { [true] = 1, [false] = 2 }", "x = t[i > 5]")
op("keys of mixed types", "local o = {} local t, x = { 1, 2, a = 3, [o] = 4, [1.5] = 5, [true] = 6 }",
   "x = t[1] + t.a + t[o] + t[1.5] + t[true]")
op("a name by variable", "local t, k, x = { name = 1, other = 2 }, 'name'", "x = t[k]")
op("keys joined from two numbers", "local t, x = {} for a = 1, 30 do for b = 1, 30 do t[a .. ',' .. b] = 1 end end",
   "x = t[(i % 30 + 1) .. ',' .. 7]")
for _, stride in ipairs { 1, 2, 3, 7, 10, 64, 1000, 4096, 65536 } do
  op("build 200000 integers by " .. stride, "",
     ("local t = {} for j = 1, 200000 do t[j * %d] = j end"):format(stride))
end
op("t[j * 7] to a million", "", "local t = {} for j = 1, 1000000, 7 do t[j] = j end")
op("build 200000 strings", "local k = {} for j = 1, 200000 do k[j] = 'k' .. j end",
   "local t = {} for j = 1, 200000 do t[k[j]] = j end")
op("build 200000 floats", "", "local t = {} for j = 1, 200000 do t[j + 0.5] = j end")
op("build 200000 tables", "local k = {} for j = 1, 200000 do k[j] = {} end",
   "local t = {} for j = 1, 200000 do t[k[j]] = j end")
op("build 20000 integers by 7", "", "local t = {} for j = 1, 20000 do t[j * 7] = j end")
op("build 5000 integers by 7", "", "local t = {} for j = 1, 5000 do t[j * 7] = j end")
op("read 200000 integers by 7", "local t, x = {} for j = 1, 200000 do t[j * 7] = j end",
   "for j = 1, 200000 do x = t[j * 7] end")
op("read 200000 strings", "local t, k, x = {}, {} for j = 1, 200000 do k[j] = 'k' .. j t[k[j]] = j end",
   "for j = 1, 200000 do x = t[k[j]] end")
op("read 200000 floats", "local t, x = {} for j = 1, 200000 do t[j + 0.5] = j end",
   "for j = 1, 200000 do x = t[j + 0.5] end")
op("a random integer of a million", "local t, x, s = {}, nil, 1 for j = 1, 300000 do t[j * 3] = j end",
   "s = s * 16807 % 2147483647; x = t[s % 300000 * 3 + 3]")
