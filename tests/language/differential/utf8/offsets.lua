-- SPDX-License-Identifier: MIT
-- utf8.offset of strings that are well formed or not, at every distance
math.randomseed(42)
local pool = {"a", "é", "€", "𐍈", "\x80", "\xbf", "\xc3", "\xff", "b", "\0"}
local h = 0
for r = 1, 400 do
  local p = {}
  for i = 1, math.random(0, 40) do p[i] = pool[math.random(r % 3 == 0 and 4 or #pool)] end
  local s = table.concat(p)
  for n = -45, 45 do
    for _, i in ipairs {1, #s + 1, #s // 2 + 1} do
      local ok, v = pcall(utf8.offset, s, n, i)
      h = (h * 31 + (ok and (v or 7) or 13)) % 1000000007
    end
  end
end
print(h)
