-- Long patterns: programs of two of them are kept, and of longer ones none.

local function long(n, last) return ("a"):rep(n - 1) .. last end

-- Around the lengths where a pattern becomes long, and too long to be kept.
local wrong = 0
for _, n in ipairs { 63, 64, 65, 95, 96, 97, 98, 254, 255, 256, 257, 1000 } do
  for round = 1, 3 do
    local s = ("a"):rep(n) .. "b"
    if s:find(long(n, "b")) ~= 2 then wrong = wrong + 1 end
    if s:find(long(n, "c")) then wrong = wrong + 1 end
    if s:match("^" .. long(n, "a") .. "(b)$") ~= "b" then wrong = wrong + 1 end
    if s:match(("a"):rep(n - 2) .. "%w") ~= ("a"):rep(n - 1) then wrong = wrong + 1 end
  end
end
print(wrong)                                       --> 0

-- More of them than are kept, in turns.
local patterns = {}
for i = 1, 5 do patterns[i] = ("x?"):rep(60) .. "(" .. i .. ")" end
local sum = 0
for round = 1, 4 do
  for i = 1, 5 do sum = sum + ("xxx" .. i):match(patterns[i]) end
end
print(sum)                                         --> 60

-- The function of a gsub replaces the program of the gsub itself.
local words = ("[abc]"):rep(20) .. "(%d)"
local subject = (("abcab"):rep(4) .. "7 "):rep(3)
print(subject:gsub(words, function(digit)
  for i = 1, 5 do assert((("xxx" .. i):match(patterns[i])) == tostring(i)) end
  return digit + 1
end))                                              --> 8 8 8 	3

-- Sets of a long pattern are kept with it.
local sets = ("[%w_]"):rep(25) .. "[^%s]"
for i = 1, 2 do
  print((("k"):rep(25) .. "!"):find(sets), (("k"):rep(25) .. " "):find(sets))
end
--> 1	nil
--> 1	nil

-- A replacement with and without captures, and one that is a number.
print(("hello"):gsub("", "-"))                     --> -h-e-l-l-o-	6
print(("hello"):gsub("l", "%%"))                   --> he%%o	2
print(("hello"):gsub("l", "<%0>"))                 --> he<l><l>o	2
print(("hello"):gsub("l", 7))                      --> he77o	2
print(("hello"):gsub("l", ""))                     --> heo	2
