-- SPDX-License-Identifier: MIT
-- Weak tables after full collections (manual 2.5.4).
local function count(t) local n = 0 for _ in pairs(t) do n = n + 1 end return n
end local function fill(mode) local t = setmetatable({}, {__mode = mode})
local keep = {} for i = 1, 10 do
local k, v = {}, {} t[k] = v t[i] = {} t["s" .. i] = {} t[{}] = i t[i * 100] =
  "string value" .. i if i <= 3 then keep[#keep + 1] = k keep[#keep + 1] = v end
end return t, keep end
for _, mode in ipairs {"k", "v", "kv", "", "x", "K"} do
local t, keep = fill(mode) collectgarbage() collectgarbage()
print(mode, count(t), #keep) end
local w = setmetatable({}, {__mode = "v"}) w[1] = {} w[2] = "string" w[3] = 5
  w[4] = function() end w[5] = print w.x = coroutine.create(print)
local strong = {} w.y = strong collectgarbage()
print(w[1], w[2], w[3], w[4], type(w[5]), w.x, w.y == strong)
local e = setmetatable({}, {__mode = "k"}) do local k = {} e[k] = {k}
local a, b = {}, {} e[a] = b e[b] = a local chain = {} for i = 1, 20
do chain[i] = {} end for i = 1, 19 do e[chain[i]] = chain[i + 1] end end
collectgarbage() print(count(e)) local first = {} do local k = first
for i = 1, 20 do local n = {} e[k] = n k = n end end collectgarbage()
print(count(e)) first = nil collectgarbage() print(count(e))
local key = {} e[key] = function() return key end collectgarbage()
print(count(e)) key = nil collectgarbage() print(count(e))
local cache = setmetatable({}, {__mode = "kv"}) for i = 1, 100
do cache[i] = {i} cache["k" .. i] = {} end collectgarbage() print(count(cache))
local s = setmetatable({}, {__mode = "k"}) for i = 1, 10
do s["key" .. i] = {} s[i] = {} s[i + 0.5] = true end collectgarbage()
print(count(s)) local t2 = {} setmetatable(t2, {__mode = "v"}) for i = 1, 10
do t2[i] = {} end collectgarbage()
print(#t2, next(t2)) getmetatable(t2).__mode = nil for i = 1, 10 do t2[i] = {}
end collectgarbage() print(#t2) getmetatable(t2).__mode = "v" collectgarbage()
print(#t2) local both = setmetatable({}, {__mode = "k"})
local k1 = {} both[k1] = both both[both] = k1 collectgarbage()
print(count(both))
local co = setmetatable({}, {__mode = "v"}) co[1] =
  coroutine.wrap(function() local big = {} coroutine.yield() return big end)
  co[1]() collectgarbage() print(co[1])
local fset = setmetatable({}, {__mode = "k"}) fset[function() return fset end] =
  1 fset[print] = 2 collectgarbage() print(count(fset))
local u = setmetatable({}, {__mode = "v"}) do local x = {} u[1] = function()
return x end u[2] = x end collectgarbage() print(u[1], u[2])
local function traverse() local t, kept = setmetatable({}, {__mode = "k"}), {}
for i = 1, 50 do local k = {} t[k] = i if i % 5 == 0 then kept[i // 5] = k end
end local n = 0 for k in pairs(t) do n = n + 1 if n == 5 then collectgarbage()
end end return n >= #kept end print(traverse())
local str = setmetatable({}, {__mode = "kv"}) str["a" .. "b"] = "c" .. "d"
  str[("x"):rep(100)] = ("y"):rep(100) collectgarbage()
print(str.ab, #str[("x"):rep(100)])
