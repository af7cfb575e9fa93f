-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: patterns

local try, show = dofile("try.lua")

for _, p in ipairs{"", "a", "^a", "a$", ".", "[a-c]+", "[^a]", "[]]", "[^]]",
  "[a-]", "[-a]", "[%a-z]", "[a", "[", "[]", "[^", "%", "%1", "(a", "a)", "()",
  "(()", "%b", "%bx", "%bxy", "%f", "%f[a]", "%f[%w]", "a*", "a-", "a?", "*",
  "-", "?", "+a", "a**", "%a%d%l%s%u%w%x%p%c%g", "[%]]", "(a)(b)%2%1", "%0",
  "%9", "(.)%1", "[a-%z]", "[z-a]", "\0", "%z", "[%z]", "(", ")", "%)", "^*",
  "^^", "$$", "a$b", "[[:alpha:]]", ".-b", ".*b", "(.-)(b)", "%f[^a]x" } do
 for _, s in ipairs{"", "abc", "aab ab", "hello b a 123 \0 x]y[z-", "(a(b)c)"}
   do
  try("find "..p.." "..s, string.find, s, p)
try("match", string.match, s, p)
try("match2", string.match, s, p, -2)
try("gsub", string.gsub, s, p, "<%0>")
try("gmatch", function() local r = {} for a, b in string.gmatch(s, p) do r[#r+1
  ] = tostring(a).."/"..tostring(b) if #r > 20 then break end end return table.
  concat(r, ",") end) end end
for _, r in ipairs{"%0", "%1", "%2", "%", "%x", "%%", "a%", "%10", "\0", {}, {a
  ="x"}, {a=1}, {a=false}, {a={}}, {a=true}, function() end, function() return
  1 end, function() return {} end, function() return nil end, function() return
  false end, function() return true end, 1, 1.5, true, print and nil} do try(
  "repl "..show(r), string.gsub, "abc", "a", r) try("repl2", string.gsub, "abc"
  , "(a)(b)", r) end
try("gsub n", string.gsub, "aaa", "a", "b", 2)
try("gsub n0", string.gsub, "aaa", "a", "b", 0)
try("gsub -1", string.gsub, "aaa", "a", "b", -1)
try("gsub 1.5", string.gsub, "aaa", "a", "b", 1.5)
try("gsub empty", string.gsub, "abc", "", "-")
try("gsub anchor", string.gsub, "aaa", "^a", "b")
try("find init", string.find, "abc", "b", 10)
try("find plain", string.find, "a.c", ".", 1, true)
try("find init -", string.find, "abc", "b", -10)
try("find empty end", string.find, "abc", "", 4)
try("find empty end", string.find, "abc", "", 5)
try("gmatch init", function() local r={} for a in string.gmatch("abcabc", "a",
  3) do r[#r+1]=a end return #r end)
try("gmatch anchor", function() local r={} for a in string.gmatch("aa", "^a")
  do r[#r+1]=a end return #r end)
