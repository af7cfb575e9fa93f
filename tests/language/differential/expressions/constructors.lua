-- SPDX-License-Identifier: MIT
-- Table constructors (manual 3.4.9).
local function show(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, k in ipairs(keys) do
    keys[i] = tostring(k) .. "(" .. (math.type(k) or type(k)) .. ")=" ..
      tostring(t[k])
  end
  print(#t, table.concat(keys, " "))
end
local function f(...) return ... end
show {} show {1, 2, 3} show {1, 2, 3,} show {1; 2; 3;} show {f(1, 2, 3)}
show {f(1, 2, 3), f(4, 5)} show {(f(1, 2, 3))} show {x = 1, y = 2, "a", "b"}
show {[1] = "x", "y"} show {"y", [1] = "x"} show {[3] = "c", "a", "b"}
show {["key with space"] = 1, [2.0] = 2, [2^53] = 3, [1.5] = 4, [true] = 5}
show {x = 1, x = 2} show {[1] = 1, [1.0] = 2} show {f()} show {f(), nil}
show {nil, nil, 3} show {f(nil, 2)} show {n = f(1, 2), 3} show {({}).x, 1}
local function va(...) return {...}, {..., "last"}, {"first", ...}, {(...)} end
for _, t in ipairs {va(1, 2, 3)} do show(t) end
for _, t in ipairs {va()} do show(t) end
local big = {}
for i = 1, 300 do big[i] = "x" .. i end
local source = {}
for i = 1, 300 do source[i] = tostring(i) end
local t = load("return {" .. table.concat(source, ",") .. "}")()
print(#t, t[1], t[50], t[51], t[300])
t = load("return {" .. table.concat(source, ",") ..
  ", f = 1, (function() return 'a', 'b' end)()}")()
print(#t, t[301], t[302], t.f)
t = load("return {" .. table.concat(source, ",") .. ", ...}")("v", "w")
print(#t, t[301], t[302])
t = load("return {" .. table.concat(source, "=1,x") .. "}")
print(t)
t = load("return {x" .. table.concat(source, "=1,x") .. "=2}")()
print(t.x1, t.x299, t.x300, #t)
local nested = {a = {b = {c = {1, {2, {3}}}}}}
print(nested.a.b.c[2][2][1], #nested.a.b.c)
local env = {} local _ENV = env
x = 1 function g() return x end
env.show = nil
return (function(...) return ... end)(g())
