-- SPDX-License-Identifier: MIT
-- len, sub, byte, char, rep, reverse, upper, lower (manual 6.4).
local s = "hello world"
for i = -13, 13 do io.write(("[%s|%s]"):format(s:sub(i), s:sub(i, i + 2))) end
print()
for i = -3, 3 do for j = -3, 3 do io.write("[", ("abc"):sub(i, j), "]") end end
print()
local max, min = math.maxinteger, math.mininteger
print(("abc"):sub(min, max), ("abc"):sub(max, max), ("abc"):sub(min, min),
  ("abc"):sub(0), ("abc"):sub(2, min), ("abc"):sub("2"), ("abc"):sub(2.0, "3"))
print(("abc"):byte(), ("abc"):byte(2), ("abc"):byte(-1), ("abc"):byte(10),
  ("abc"):byte(1, -1)) print(("abc"):byte(0, 2)) print((""):byte())
print(("\0\255"):byte(1, 2))
print(select("#", ("abc"):byte(5)), select("#", ("x"):rep(300):byte(1, -1)))
print(string.char(), string.char(72, 105), #string.char(0, 0),
  string.char(255):byte()) print(pcall(string.char, -1))
print(pcall(string.char, 256)) print(pcall(string.char, 1, 2, "x"))
print(("ab"):rep(3), ("ab"):rep(0), ("ab"):rep(-1), ("ab"):rep(1),
  ("ab"):rep(3, ","), ("ab"):rep(1, ","), ("ab"):rep(0, ","), (""):rep(100),
  #(""):rep(5, "xy"), #("x"):rep(10000))
print(s:upper(), s:lower(), ("MiXeD 123 é"):upper(), ("MiXeD"):lower(),
  (""):upper())
print(s:reverse(), (""):reverse(), ("a"):reverse(), ("a\0b"):reverse() ==
  "b\0a") print(s:len(), #"", ("\0\0"):len())
print(string.len(123), string.upper(12.5), string.rep(5, 2), (5 .. ""):rep(2),
  string.reverse(123)) print(pcall(string.len)) print(pcall(string.len, nil))
print(pcall(string.upper, {}))
print("a" < "b", "a" < "B", "" < "a", "a\0b" < "a\0c", "Z" < "a", "10" < "9",
  ("x"):rep(50) < ("x"):rep(51))
local big = ("0123456789"):rep(1000)
print(#big, big:sub(5000, 5010), big:byte(9999), big:reverse():sub(1, 12),
  #big:upper())
for i = 0, 255 do local c = string.char(i) assert(c:byte() == i and #c == 1) end
local t = {} for i = 32, 126 do t[#t + 1] = string.char(i) end
local all = table.concat(t) print(all, all:upper(), all:lower())
