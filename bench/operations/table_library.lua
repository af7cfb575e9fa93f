-- SPDX-License-Identifier: MIT
-- The table library.

local op = ...

local function filled(n) return ("local t = {} for j = 1, %d do t[j] = j end "):format(n) end
op("insert at the end", "local t = {}", "table.insert(t, i); if i % 100 == 0 then t = {} end")
op("insert and remove", "local t = { 1, 2, 3 }", "table.insert(t, i); table.remove(t)")
for _, n in ipairs { 10, 100, 1000 } do
  op("insert at the front of " .. n, filled(n), "table.insert(t, 1, i); table.remove(t)")
  op("remove from the front of " .. n, filled(n), "table.remove(t, 1); t[#t + 1] = i")
  op("insert in the middle of " .. n, filled(n), ("table.insert(t, %d, i); t[#t] = nil"):format(n // 2))
end
op("remove at the end", filled(3), "table.remove(t); t[3] = i")
op("remove of an empty table", "local t = {}", "table.remove(t)")
for _, n in ipairs { 0, 1, 3, 10, 100, 1000, 10000 } do
  op("concat " .. n .. " strings", ("local t, x = {} for j = 1, %d do t[j] = 'word' .. j end"):format(n), "x = table.concat(t)")
end
op("concat with a separator", "local t, x = {} for j = 1, 100 do t[j] = 'word' .. j end", "x = table.concat(t, ', ')")
op("concat numbers", filled(100) .. "local x", "x = table.concat(t, ',')")
op("concat floats", "local t, x = {} for j = 1, 20 do t[j] = j + 0.5 end", "x = table.concat(t, ',')")
op("concat a part", filled(100) .. "local x", "x = table.concat(t, ',', 10, 20)")
op("concat long strings", "local t, x = {} for j = 1, 100 do t[j] = ('x'):rep(1000) end", "x = table.concat(t)")
for _, n in ipairs { 1, 3, 10, 100, 200 } do
  op("unpack " .. n, filled(n), "local a, b = table.unpack(t)")
end
op("unpack a part", filled(100), "local a, b = table.unpack(t, 10, 12)")
op("unpack into a table", filled(20), "local c = { table.unpack(t) }")
op("pack 3", "local x", "x = table.pack(1, 2, 3)")
op("pack 20", filled(20) .. "local x", "x = table.pack(table.unpack(t))")
for _, n in ipairs { 3, 100, 10000 } do
  op("move " .. n, filled(n) .. "local c = {}", ("table.move(t, 1, %d, 1, c)"):format(n))
  op("move " .. n .. " within", filled(n), ("table.move(t, 1, %d, 2)"):format(n - 1))
end
op("move to a new table", filled(100), "local c = table.move(t, 1, 100, 1, {})")
for _, n in ipairs { 3, 10, 100, 1000 } do
  local copy = ("local c = table.move(t, 1, %d, 1, {}) "):format(n)
  op("sort " .. n .. " sorted", filled(n), "table.sort(t)")
  op("sort " .. n .. " reversed", ("local t = {} for j = 1, %d do t[j] = -j end "):format(n), copy .. "table.sort(c)")
  op("sort " .. n .. " random", ("local t, s = {}, 1 for j = 1, %d do s = s * 16807 %% 2147483647 t[j] = s end "):format(n), copy .. "table.sort(c)")
end
op("sort 1000 floats", "local t, s = {}, 1 for j = 1, 1000 do s = s * 16807 % 2147483647 t[j] = s / 7 end", "local c = table.move(t, 1, 1000, 1, {}) table.sort(c)")
op("sort 1000 strings", "local t, s = {}, 1 for j = 1, 1000 do s = s * 16807 % 2147483647 t[j] = 'k' .. s end", "local c = table.move(t, 1, 1000, 1, {}) table.sort(c)")
op("sort 100 by a function", "local t, s = {}, 1 for j = 1, 100 do s = s * 16807 % 2147483647 t[j] = s end", "local c = table.move(t, 1, 100, 1, {}) table.sort(c, function(a, b) return a > b end)")
op("sort 100 records", "local t, s = {}, 1 for j = 1, 100 do s = s * 16807 % 2147483647 t[j] = { key = s } end", "local c = table.move(t, 1, 100, 1, {}) table.sort(c, function(a, b) return a.key < b.key end)")
op("sort 100 with __lt", "local mt = { __lt = function(a, b) return a.v < b.v end } local t, s = {}, 1 for j = 1, 100 do s = s * 16807 % 2147483647 t[j] = setmetatable({ v = s }, mt) end",
   "local c = table.move(t, 1, 100, 1, {}) table.sort(c)")
op("sort 1000 equal", "local t = {} for j = 1, 1000 do t[j] = 5 end", "table.sort(t)")
op("insert through a proxy", "local s = {} local p = setmetatable({}, { __index = s, __newindex = s, __len = function() return #s end })", "table.insert(p, i); s[#s] = nil")
op("a heap, push and pop", [[local h, n = {}, 0
   local function push(v) n = n + 1 local j = n while j > 1 do local p = j // 2 if h[p] <= v then break end h[j] = h[p] j = p end h[j] = v end
   local function pop() local top, v = h[1], h[n] h[n] = nil n = n - 1 local j = 1 while true do local c = 2 * j if c > n then break end
     if c < n and h[c + 1] < h[c] then c = c + 1 end if v <= h[c] then break end h[j] = h[c] j = c end if n > 0 then h[j] = v end return top end
   for j = 1, 100 do push(j * 7919 % 1000) end]], "push(i * 7919 % 1000); pop()")
