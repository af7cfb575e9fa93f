-- SPDX-License-Identifier: MIT
-- Vararg expressions (manual 3.4.11).
local function pack(...) return {n = select("#", ...), ...} end
local function show(...)
  local p, row = pack(...), {}
  for i = 1, p.n do row[i] = tostring(p[i]) end
  print(p.n, table.concat(row, ","))
end
show(...) show() show(nil) show(nil, nil, nil) show(1, nil, 3)
local function pass(...) show(...) show(..., 1) show(1, ...) show((...))
return ... end
show(pass()) show(pass(1)) show(pass(1, 2, 3)) show(pass(nil, nil))
local function drop(_, ...) return ... end
show(drop(1, 2, 3)) show(drop()) show(drop(1))
local function fixed(a, b, ...) show(a, b) show(...) local c, d = ... show(c, d)
end
fixed() fixed(1) fixed(1, 2) fixed(1, 2, 3) fixed(1, 2, 3, 4, 5)
print(select(-1, 1, 2, 3), select(2, "a", "b", "c"))
print(pcall(select, 0, 1)) print(pcall(select, -5, 1)) print(select(5, 1))
print(select("#"), select("#", nil), select("#", ...))
local function closure(...)
  local a, b = ...
  return function(...) return a, b, ... end
end
show(closure(1, 2, 3)(4, 5))
local function count(...) return select("#", ...) end
for n = 0, 260, 65 do print(n, count(table.unpack({}, 1, n))) end
local big = {} for i = 1, 5000 do big[i] = i end
print(count(table.unpack(big)), (select(4999, table.unpack(big))),
  select(-1, table.unpack(big)))
local function recurse(n, ...) if n == 0 then return select("#", ...) end
return recurse(n - 1, n, ...) end
print(recurse(200))
print((function(...) local t = table.pack(...) return t.n, #t end)(1, 2, nil))
print((function(...) for i, v in ipairs {...} do
  io.write(i, "=", tostring(v), " ") end end)(7, 8, nil, 9))
print(string.format("%s %s", (function(...) return ... end)("a", "b", "c")))
local function swap(a, b, ...) return b, a, ... end
show(swap(swap(swap(1, 2, 3))))
local main = pack(...) print(main.n)
