-- SPDX-License-Identifier: MIT
-- debug.getinfo in all its fields (manual 4.7, 6.10).
local function show(i, what)
  if not i then print(i) return end
  local keys = {}
  for k in pairs(i) do keys[#keys + 1] = k end
  table.sort(keys)
  for n, k in ipairs(keys) do
    local v = i[k]
    if k == "activelines" then
      local l = {} for line in pairs(v) do l[#l + 1] = line end
      table.sort(l) v = "{" .. table.concat(l, " ") .. "}"
    elseif type(v) == "function" then v = "function"
    end
    keys[n] = k .. "=" .. tostring(v)
  end
  print(table.concat(keys, " "))
end
local function f(a, b, ...)
  local x = 1

  return x
end
local function g(a) return a end
show(debug.getinfo(f)) show(debug.getinfo(g)) show(debug.getinfo(print))
show(debug.getinfo(1)) show(debug.getinfo(2)) show(debug.getinfo(3))
show(debug.getinfo(0)) show(debug.getinfo(f, "L")) show(debug.getinfo(g, "L"))
show(debug.getinfo(print, "L"))
show(debug.getinfo(load("\n\nlocal a\n\na = 1\n"), "SL"))
show(debug.getinfo(load("return 1", "@x.lua"), "S"))
for _, what in ipairs {"n", "S", "l", "t", "u", "f", "r", "L", "nSl", ""} do
io.write(what, ": ") show(debug.getinfo(1, what)) end
print(pcall(debug.getinfo, 1, "X")) print(pcall(debug.getinfo, 1, ">S"))
print(debug.getinfo(100)) print(pcall(debug.getinfo, -1))
print(pcall(debug.getinfo, "x")) print(pcall(debug.getinfo))
local function name() local i = debug.getinfo(2, "n") return i.name, i.namewhat
end local function joined()
  local i = debug.getinfo(2, "n")
  return tostring(i.name) .. " " .. i.namewhat
end
local function wrapper() return (name()) end
local t = {m = function() local a, b = name() return a, b end}
function globalname() local a, b = name() return a, b end print(wrapper())
print(t.m()) print(t:m()) print(globalname())
print((function() local a, b = name() return a, b end)()) local up = t.m local
function useup() local a, b = up() return a, b end print(useup()) for a, b in
function(_, c) if not c then return name() end end do print(a, b) end
print(setmetatable({}, {__index = function() return joined()
  end}).x)
print(setmetatable({}, {__add = function() return joined()
  end}) + 1)
print(#setmetatable({}, {__len = function() return joined()
  end}))
print(setmetatable({}, {__lt = function() print(name()) return true end}) < 1)
print(setmetatable({}, {__eq = function() print(name()) return true end}) == {})
print(setmetatable({}, {__concat = function() return joined()
  end}) .. "x")
print(-setmetatable({}, {__unm = function() return joined()
  end}))
print(setmetatable({}, {__call = function() return joined()
  end})()) do
local c <close> = setmetatable({}, {__close = function() print(name()) end}) end
print(pcall(name))
print(select(2, pcall(function() local a, b = name() return tostring(a) ..
  tostring(b) end))) table.sort({2, 1}, function(a, b) print(name()) return a <
  b end) string.gsub("x", "x", function() print(name()) end) local tailed =
function() return name() end print(tailed())
print(debug.getinfo((function() return 1 end), "u").nups,
  debug.getinfo(useup, "u").nups) local function tc()
return debug.getinfo(1, "t").istailcall end local function notc() return (tc())
end local function yestc() return tc() end print(notc(), yestc(), tc())
local co = coroutine.create(function(x) local y = 2 coroutine.yield(x) end)
  coroutine.resume(co, 1) show(debug.getinfo(co, 1, "nSlu"))
show(debug.getinfo(co, 0, "nS")) print(debug.getinfo(co, 2))
show(debug.getinfo(co, f, "S"))
