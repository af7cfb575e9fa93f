-- SPDX-License-Identifier: MIT
-- package: lua-rex-pcre2 lua-rex-onig lua-rex-posix lua-rex-gnu lua-rex-tre
-- module: rex_pcre2
-- module: rex_onig
-- module: rex_posix
-- module: rex_gnu
-- module: rex_tre
-- Lrexlib: five regular expression engines with one interface.
for _, engine in ipairs {"pcre2", "onig", "posix", "gnu", "tre"} do
  local name = "rex_" .. engine
  local rex = require(name)
  print(name, rex.match("the year 2024 ends", "([0-9]+) ([a-z]+)"))
  print(rex.find("abcabc", "c", 4), rex.find("none", "x"))
  print(rex.gsub("hello world", "[a-z]+", function(w) return w:upper() end))
  print(rex.gsub("k=v, k2=v2", "([a-z0-9]+)=([a-z0-9]+)", "%2=%1"))
  print(rex.gsub("a b c", "[a-z]", {a = "1", b = "2"}))
  local words = {}
  for w in rex.gmatch("one two three", "[a-z]+") do words[#words + 1] = w end
  print(table.concat(words, ","))
  local pieces = {}
  for part, sep in rex.split("a, b;c", "[,;] *") do
    pieces[#pieces + 1] = part .. (sep or "")
  end
  print(table.concat(pieces, "|"))

  -- Thousands of dropped compiled expressions.
  local n = 0
  for i = 1, 1500 do
    local r = rex.new("(x+)" .. i)
    if r:match("xx" .. i) == "xx" then n = n + 1 end
  end
  print(n)
  local ok, e = pcall(rex.new, "(unclosed")
  print(ok, type(e))
  -- An error leaves gsub while its buffers are in use.
  ok, e = pcall(rex.gsub, ("x"):rep(5000), "x",
                function() error("inside", 0) end)
  print(ok, e)
  local long = ("ab"):rep(20000)
  print(#rex.gsub(long, "a", "cd"), rex.count(long, "b"))
end
