-- SPDX-License-Identifier: MIT
-- How a chunk's name appears in messages (lua_load, luaL_loadbuffer).
local names = {
  "=name", "@file.lua", "return 1", "one line\nand more", "", "=", "@",
  "\nstarts with newline", "=" .. ("n"):rep(58), "=" .. ("n"):rep(59),
  "=" .. ("n"):rep(60), "=" .. ("n"):rep(80), "@" .. ("f"):rep(58),
  "@" .. ("f"):rep(59), "@" .. ("f"):rep(60), "@" .. ("f"):rep(100),
  ("s"):rep(40), ("s"):rep(44), ("s"):rep(45), ("s"):rep(46), ("s"):rep(47),
  ("s"):rep(100), ("s"):rep(30) .. "\n" .. ("t"):rep(30),
  "=a\nb", "@a\nb", "\r\nx",
}
for _, name in ipairs(names) do
  print(select(2, load("x =", name)))
  local f = load("error('here')", name)
  print(select(2, pcall(f)))
  local info = debug.getinfo(f, "S")
  print(#info.short_src, info.short_src, #info.source, info.what)
end
print(select(2, load("x =")))
print(select(2, load("local a\nlocal b\nx =")))
print(select(2, load(function() return nil end)))
local pieces = {"return", " ", "1 +", nil}
local i = 0
print(select(2, load(function() i = i + 1; return pieces[i] end)))
