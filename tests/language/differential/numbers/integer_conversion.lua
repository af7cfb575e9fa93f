-- SPDX-License-Identifier: MIT
-- Where an integer is required (manual 3.4.3): keys, shifts, arguments.
local max, min = math.maxinteger, math.mininteger
for _, n in ipairs {1, 1.0, 1.5, -0.0, 2^53, 2^63, -2^63, 1e100, 1/0, -1/0,
    "1", "1.0", "1.5", "x", "0x10", " 2 ", "", max, min} do
  print(n, math.type(n), pcall(string.char, n))
  print(pcall(string.sub, "abc", n))
  print(pcall(select, n, "a", "b"))
  print(pcall(string.format, "%d", n))
end
for _, n in ipairs {1, 1.0, 1.5, -0.0, 2^53, 2^63, -2^63, 1e100, 1/0, max, min,
    "3", "3.0", "3.5", "x", " 3 "} do
  print(n, math.tointeger(n))
end
print(math.tointeger({}), math.tointeger(nil), math.tointeger(true))

local t = {}
t[1.0] = "one" t[2^53] = "big" t["1"] = "string"
print(t[1], t[1 << 53], t["1"], next({[3.0] = 1}), math.type(next({[3.0] = 1})))
t[0.0] = "zero" print(t[0], t[-0.0], t[-0])
t[1.5] = "half" print(t[1.5], t[3/2])
print(pcall(function() t[0/0] = 1 end)) print(t[0/0], t[nil])
print(pcall(function() t[nil] = 1 end))
print(pcall(rawset, t, nil, 1)) print(pcall(rawset, t, 0/0, 1))
print(pcall(function() return {[nil] = 1} end))
print(pcall(function() return {[0/0] = 1} end))
t[2^63] = "f" print(t[2^63], t[min])
print(#{n = 1}, #{1, 2, nil, 4} >= 2, #"abc", #"")
