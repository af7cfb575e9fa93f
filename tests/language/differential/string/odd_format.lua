-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: format

local try, show = dofile("try.lua")

for _, c in ipairs{"d","i","u","c","x","X","o","e","E","f","F","g","G","a","A",
  "s","q","p","%","y","","5"} do
 for _, m in ipairs{"","-","+"," ","#","0","5","-5","05","+5",".3","5.3","-5.3"
   ,"#5.3",".","5.",".0","-+ #0","99","100",".99",".100","-05","  ","++", "123"
   } do
  for _, v in ipairs{1, -1, 0, 1.5, 1.0, "x", "12", {}, true, 1e300, -0.0, 0/0,
    1/0, math.mininteger, 255} do
   try("fmt %"..m..c.." "..show(v), string.format, "%"..m..c, v) end end end
try("fmt none", string.format, "%d")
try("fmt end", string.format, "%")
try("fmt nul", string.format, "a\0b%s", "x\0y")
try("fmt s0", string.format, "%10s|", "a\0b")
try("fmt q", string.format, "%q", "a\nb\0c\r\t\"\\\1271\200")
try("q float", string.format, "%q", 0.1)
try("q big", string.format, "%q", 1e400)
try("q nan", string.format, "%q", 0/0)
try("q min", string.format, "%q", math.mininteger)
try("q tab", string.format, "%q", {})
try("s meta", string.format, "%s %5s %.2s", setmetatable({}, {__tostring=
  function() return "hello" end}), nil, true)
