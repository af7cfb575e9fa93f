-- SPDX-License-Identifier: MIT
-- __eq, __lt, __le (manual 2.4).
local log = {}
local function num(x) return type(x) == "table" and x.n or x end
local mt = {}
mt.__eq = function(a, b) log[#log + 1] = "eq" .. a.n .. b.n return a.n == b.n
end
mt.__lt = function(a, b) log[#log + 1] = "lt" return num(a) < num(b) end
mt.__le = function(a, b) log[#log + 1] = "le" return num(a) <= num(b)
end
local function v(n) return setmetatable({n = n}, mt) end
local a, b, c = v(1), v(2), v(1)
print(a == b, a == c, a ~= b, a ~= c, a == a, rawequal(a, c))
print(a < b, a > b, a <= b, a >= b, a <= c, not (a < b))
print(table.concat(log, " ")) log = {}
print(a == 1, 1 == a, a ~= nil, a == "x", table.concat(log, " ")) log = {}
local other = setmetatable({n = 1}, {__eq = function(x, y) return "other" end})
print(a == other, other == a, other == {}, {} == other, other ~= a)
print(setmetatable({}, {__lt = function() return nil end}) < {},
  setmetatable({}, {__lt = function() return 0 end}) < {})
local n = setmetatable({}, {__lt = function(x, y) return type(x) .. type(y) end,
  __le = function(x, y) return type(x) == "number" end})
print(n < 1, 1 < n, n > 1, n <= 1, 1 <= n, n >= 1, n < "s", "s" < n)
print(pcall(function() return {} < {} end))
print(pcall(function() return a < 1 end))
print(pcall(function() return {} <= 1 end))
print(pcall(function() return setmetatable({}, {__lt = true}) < 1 end))
local t = {v(3), v(1), v(2)} table.sort(t) print(t[1].n, t[2].n, t[3].n)
table.sort(t, function(x, y) return x > y end) print(t[1].n, t[2].n, t[3].n)
print(math.max ~= nil, pcall(math.max, a, b))
if a == c then print "then" else print "else" end while a < c do break end
print(a == b and 1 or 2)
local k = {[a] = "by identity"} print(k[a], k[c])
for _, x in ipairs {2, 0, 1.5} do local w = setmetatable({n = 1}, mt) log = {}
io.write(tostring(w < x), tostring(w <= x), tostring(x < w), " ") end print()
