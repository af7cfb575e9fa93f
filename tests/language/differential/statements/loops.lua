-- SPDX-License-Identifier: MIT
-- while, repeat, generic for, break (manual 3.3.4, 3.3.5).
local i = 0 while i < 3 do i = i + 1 io.write(i, " ") end print()
repeat local last = i i = i - 1 until last == 1 print(i)
while true do break end repeat break until false for _ = 1, 2 do break end
local n = 0 while n < 5 do n = n + 1 if n == 2 then goto c end
io.write(n, " ") ::c:: end print()
for k, v in next, {10, 20, 30} do io.write(k, "=", v, " ") end print()
for i, v in ipairs {1, 2, nil, 4} do io.write(i, "=", v, " ") end print()
for w in ("a b c"):gmatch "%a" do io.write(w, ".") end print()
local function iter(max, x) if x < max then return x + 1, x * x end end
for a, b in iter, 3, 0 do io.write(a, ":", b, " ") end print()
for a, b, c, d in function(s, c) if c == nil then return 1, 2 end end do
print(a, b, c, d) end
local callable = setmetatable({}, {__call = function(self, s, c) c = c + 1 if c
  < 4 then return c end end})
for v in callable, nil, 0 do io.write(v, " ") end print()
local fs = {} for k, v in ipairs {"a", "b"} do fs[k] = function() v = v .. "!"
return k, v end end
print(fs[1]()) print(fs[1]()) print(fs[2]())
for k in pairs(setmetatable({}, {__pairs = function(t) return function(_, k) if
  not k then return "only" end end, t, nil end})) do print(k) end
local t = {} for k = 1, 10 do t[k] = k end
for k in pairs(t) do t[k] = nil end print(next(t))
t = {a = 1, b = 2, c = 3} for k, v in pairs(t) do t[k] = v * 2 end
print(t.a, t.b, t.c)
for i, v in ipairs(setmetatable({}, {__index = function(_, k) if k < 4 then
  return k * k end end})) do io.write(i, ":", v, " ") end print()
for _, f in ipairs {
  function() for x in 5 do end end, function() for x in nil do end end,
  function() for x in {} do end end, function() local t = {} for x in t.x do end
  end,
  function() for k in pairs(nil) do end end, function() for k in ipairs() do end
  end,
  function() for k in next, {}, "nokey" do end end, function() for x in pairs(5)
  do end end,
  function() for a, b in pairs {}, 1, 2, 3 do end end,
} do print(pcall(f)) end
local x = 0 for i = 1, 3 do for j = 1, 3 do if j == 2 then break
end x = x + 10 * i + j end end print(x)
local r = 0 repeat local z = r; r = r + 1; local f = function() return z
end until f() >= 2 print(r)
do local k = "outer" for k = 1, 1 do print(k) end print(k) end
