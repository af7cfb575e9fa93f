-- SPDX-License-Identifier: MIT
-- goto, labels, and the scope of locals (manual 3.3.4).
do local i = 1 ::top:: io.write(i, " ") i = i + 1 if i <= 3 then goto top end
print() end
for i = 1, 3 do
  for j = 1, 3 do if j == 2 then goto continue end
  io.write(i, j, " ") ::continue:: end
end print()
do goto skip; print "not printed"; ::skip:: end
local closures = {}
do
  local i = 1
  ::again::
  local x = i * 10
  closures[i] = function() x = x + 1 return x end
  i = i + 1
  if i <= 3 then goto again end
end
print(closures[1](), closures[2](), closures[3](), closures[1]())
for i = 1, 5 do while true do if i % 2 == 0 then break end io.write(i, " ")
goto out end ::out:: end print()
do ::a:: do ::b:: goto c end ::c:: end
local n = 0 while n < 10 do n = n + 1 if n == 5 then goto leave end
end ::leave:: print(n)
do local t = {} for i = 1, 10 do if i % 3 ~= 0 then goto next
end t[#t + 1] = i ::next:: end print(table.concat(t, ",")) end
local function find(t, x) for i = 1, #t do if t[i] == x then goto found end end
  do return nil end ::found:: return true end
print(find({1, 2, 3}, 2), find({1, 2, 3}, 9))
for _, text in ipairs {
  "goto x", "do ::x:: end goto x", "::x:: ::x::",
    "goto x; local a; ::x:: print(a)",
  "goto x; local a; ::x::", "goto x; local a; ::x:: ;;",
    "do goto x; local a; ::x:: end",
  "repeat goto x; local a; ::x:: until a",
    "repeat if x then goto y end; local a; ::y:: until true",
  "break", "do break end", "if x then break end",
    "while true do local function f() break end end",
  "function f() goto x end ::x::", "goto = 1", "local goto = 1", "::1::",
    ":: x ::", "::x", "goto 1",
  "for i = 1, 2 do goto continue; local z; ::continue:: end",
    "goto x; do ::x:: end",
  "::a:: goto b; local x; ::b:: goto a; local y",
    "local x <close> = nil; goto l; ::l::",
  "goto f; local function f() end ::f::",
    "do goto l1 end; ::l1:: ::l2:: goto l2x",
} do print(load(text, "=t")) end
