-- SPDX-License-Identifier: MIT
-- The string library (manual, 6.4): its plain functions. Patterns, format and
-- pack have files of their own.

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- len, sub
print(("abc"):len(), #"a\0b", ("\0"):len())       --> 3 3 1
print(("hello"):sub(2, 4), ("hello"):sub(2), ("hello"):sub(-3), ("hello"):sub(-3, -2))
--> ell ello llo ll
print(("hello"):sub(0), ("hello"):sub(-100, 2), ("hello"):sub(4, 100))
--> hello he lo
print("[" .. ("hello"):sub(4, 2) .. ("hello"):sub(6) .. "]")            --> []
print(("hello"):sub(math.mininteger, math.maxinteger))
--> hello
print(("hello"):sub("2", 3.0))                    --> el
print(fails(string.sub))
--> bad argument #1 to 'string.sub' (string expected, got no value)
print(fails(string.sub, "x", 1.5))
--> bad argument #2 to 'string.sub' (number has no integer representation)
print(fails(function() return ("x"):sub({}) end))
-->~ bad argument #1 to 'sub' %(number expected, got table%)$

-- byte, char
print(("ABC"):byte(), ("ABC"):byte(2), ("ABC"):byte(-1), ("ABC"):byte(10))
--> 65 66 67
print(("ABC"):byte(1, -1))                        --> 65 66 67
print(("\xff\0"):byte(1, 2))                      --> 255 0
print(string.char(72, 105), #string.char())       --> Hi 0
print(fails(string.char, 256))
--> bad argument #1 to 'string.char' (value out of range)
print(fails(string.char, -1))
--> bad argument #1 to 'string.char' (value out of range)
print(fails(function() return #{("x"):rep(1e7):byte(1, -1)} end))
-->~ string slice too long

-- rep, reverse, lower, upper
print(("ab"):rep(3), ("ab"):rep(3, "-"), ("ab"):rep(1, "-"))
--> ababab ab-ab-ab ab
print("[" .. ("x"):rep(0) .. ("x"):rep(-1) .. (""):rep(100) .. "]")  --> []
print(#("abc"):rep(100000), #("x"):rep(1000, ", "))  --> 300000 2998
print(fails(string.rep, "x", 1 << 40))            --> resulting string too large
print(fails(string.rep, "x", math.maxinteger, "yy"))
--> resulting string too large
print(("abc"):reverse(), (""):reverse() == "", ("a\0b"):reverse() == "b\0a")
--> cba true true
print(("MiXed 1"):lower(), ("MiXed 1"):upper())   --> mixed 1 MIXED 1

-- methods, indexing, comparison
print(("x").len == string.len, ("x").nothing)     --> true nil
print("a" < "b", "a" < "B", "" < "a", "a\0b" < "a\0c", "Z" < "a")
--> true false true true true
print("10" + 5, "0x10" * 2, "3" // "2", 10 .. 20) --> 15 32 1 1020
print("1e1" + 0, -"2", "5" % 3, "2" ^ 2)          --> 10.0 -2 2 4.0
print(fails(function() return "a" + 1 end))
-->~ attempt to add a 'string' with a 'number'$
print(fails(function() return {} + "1" end))
-->~ attempt to add a 'table' with a 'string'$
print(fails(function() return "1" < 1 end))
-->~ attempt to compare string with number$
print(setmetatable({}, {__add = function(a, b) return b end}) + "x") --> x
print("x" + setmetatable({}, {__add = function(a, b) return a end})) --> x
print(fails(function() return "10" | 1 end))
-->~ attempt to perform bitwise operation on a string value %(constant '10'%)$

-- Strings and integers of all lengths are joined, two and more of them.
do
  local numbers = { 0, 9, 10, 99, 100, 999, 1000, 1001, 9999, 10000, 99999,
                    100000, 999999, 1000000, 1000001, 99999999, 100000000,
                    1234567890123, math.maxinteger, math.mininteger }
  for i = 1, #numbers do numbers[#numbers + 1] = -numbers[i] end
  local wrong, count = 0, 0
  local function check(joined, ...)
    local text = string.rep("%s", select("#", ...)):format(...)
    count = count + 1
    if joined ~= text or #joined ~= #text then wrong = wrong + 1 end
  end
  for length = 0, 44 do
    local s = ("abcdefghijk"):rep(4):sub(1, length)
    for _, n in ipairs(numbers) do
      check(s .. n, s, n)
      check(n .. s, n, s)
      check(n .. n, n, n)
      check(s .. n .. s, s, n, s)
      check(n .. "-" .. s .. "\0" .. n, n, "-", s, "\0", n)
    end
    for other = 0, 44 do
      local t = ("ABCDEFGHIJK"):rep(4):sub(1, other)
      check(s .. t, s, t)
      check(t .. s .. t, t, s, t)
    end
  end
  print(wrong, count)                       --> 0	13050
end

-- Two strings joined into a long one, around the length where it becomes long.
local wrong = 0
for left = 0, 90 do
  for right = 0, 90 do
    local a, b = ("a"):rep(left), ("b"):rep(right)
    local s = a .. b
    if #s ~= left + right or s:gsub("^a*b*$", "") ~= "" then wrong = wrong + 1 end
    if s:find("b", 1, true) ~= (right > 0 and left + 1 or nil) then wrong = wrong + 1 end
  end
end
print(wrong)                                       --> 0
local long, empty = ("x"):rep(3000), ""
print(long .. empty == long, empty .. long == long, #(long .. long))  --> true	true	6000
print(#(long .. 12), #(1.5 .. long))               --> 3002	3003
local huge = ("y"):rep(1000000)
print(#(huge .. "z"), (huge .. "z"):sub(-2), #(huge .. huge))  --> 1000001	yz	2000000
-- Concatenations of many numbers, with and without strings between them.
for count = 1, 40 do
  local plain, mixed, list = {}, {}, {}
  for i = 1, count do
    plain[i] = "n[" .. i .. "]"
    mixed[i] = i % 3 == 0 and "'x'" or plain[i]
    list[i] = i % 2 == 0 and i or i + 0.5
  end
  for _, parts in ipairs {plain, mixed} do
    local f = load("local n = ... return '' .. " .. table.concat(parts, " .. "))
    local expected = {}
    for i = 1, count do expected[i] = parts[i] == "'x'" and "x" or list[i] end
    if f(list) ~= table.concat(expected) then print(count, f(list)) end
  end
end

-- Strings with many zeros are ordered by their bytes.
do
  local parts = {"", ("\0"):rep(40), ("\0"):rep(3000), "a", ("a"):rep(41), ("a"):rep(2000) .. "b", "\0a\0"}
  local all = {}
  for _, a in ipairs(parts) do
    for _, b in ipairs(parts) do
      for _, c in ipairs(parts) do all[#all + 1] = a .. b .. c end
    end
  end
  local function order(a, b)
    for k = 1, math.min(#a, #b), 500 do
      local x, y = {a:byte(k, k + 499)}, {b:byte(k, k + 499)}
      for i = 1, math.min(#x, #y) do
        if x[i] ~= y[i] then return x[i] - y[i] end
      end
    end
    return #a - #b
  end
  local wrong = 0
  for i = 1, #all, 5 do
    for j = 3, #all, 17 do
      local a, b, o = all[i], all[j], order(all[i], all[j])
      if (a < b) ~= (o < 0) or (a <= b) ~= (o <= 0) then wrong = wrong + 1 end
    end
  end
  print(wrong)                                    --> 0
end
