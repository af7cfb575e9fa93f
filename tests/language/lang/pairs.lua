-- SPDX-License-Identifier: MIT
-- Some instructions also execute the next one, unless a hook must see each of
-- them.  All kinds of values must give the same result in both ways.

-- Operands with metamethods, which yield.
local function describe(v)
  if type(v) == "table" then return "{}" end
  return math.type(v) == "float" and string.format("%.17g", v) or tostring(v)
end
local function method(name)
  return function(a, b)
    coroutine.yield()
    return name .. "(" .. describe(a) .. "," .. describe(b) .. ")"
  end
end
local object = setmetatable({}, {
  __add = method "add", __sub = method "sub", __mul = method "mul",
  __div = method "div", __index = method "index",
  __newindex = method "newindex"
})

-- Each is the body of a function of t, i, x, y.
local bodies = {
  "return x + t[i]",
  "return x * t[i]",
  "return t[i] * 0.5",
  "return y + x * t[i]",
  "return y + t[i] * 0.5",
  "y = y + x * t[i] return y",
  "local v = t[i] local w = x + v return v, w",
  "local v = t[i] local w = x * v return v, w",
  "local v = t[i] local w = v * 1.5 return v, w",
  "local v = t[i] return v + v, v * v",
  "local v = t[i] local w = v * 0.5 local z = v + w return v, w, z",
  "local v = t[i] local w = x * v local z = v + w return v, w, z",
  "local v = t[i] v = x * v v = y + v return v",
  "local u = {1, 2} u[x] = t[i] return u[1], u[2], u[x]",
  "local u = {1, 2} u[2] = t[i] local n = 1 u[n] = t[i] return u[1], u[2]",
  "local u = {1} local v = t[i] u[v] = v return v",
  "local v = t[i] v[x] = v return v",
  "y[1] = 0 local n = 1 y[n] = t[i] return y[1]",
  "return t[i + 1]",
  "local j = i + 1 local v = t[j] return j, v",
  "local j = i + 1 local v = j[j] return j, v",
  "return t[x + 1]",
  "return x + t.f", "return x - t.f", "return x * t.f",
  "return t.f - x", "return t.f * x",
  "for n = 1, 2 do y = t.f * x y = y - t.f y = y + t.f end return y",
  "local v for n = 1, 2 do v = t.f y = v - v y = x * v end return v, y",
  "for n = 1, 2 do y = t.f - y end return y",
  "return (x + y) * 0.5",
  "local s = x + y local p = s * 0.5 return s, p",
  "return y + x * x",
  "return x * y + x",
  "return y - x * x",
  "local p = x * y local q = p + x return p, q",
  "local p = x * y local q = x + p return p, q",
  "local p = x * y local q = x - p return p, q",
  "local p = x * y return p + p, p - p",
  "return y + x * 0.5",
  "local p = x * 0.5 local q = y + p return p, q",
  "local p = x * 0.5 local q = p + y return p, q, p + p",
  "return x / 2, x / 2.0, x / 0.25, x / 1, x / 64, x / 128.0, x / 3",
  "return x / -2, x / 0, x / 0.0, x / 0x1p-1022, x / 0x1p1022, x / 0x1p1023",
  "for n = 1, 3 do y = y + x end return y",
  "for n = 1.5, 3 do y = y + x end return y",
  "for n = 1, 3 do t[n] = x end return t[1], t[3]",
  "for n = 1, 3 do t[n] = false end return t[1], t[3]",
  "for n = 3, 1, -1 do t[n] = x end return t[1], t[3]",
  "for n = 3, 1, -1 do t[n] = true end return t[1], t[3]",
  "for n = 1.0, 3 do t[n] = x end return t[1], t[3]",
  "for n = 1, 3 do t[x] = y end return t[1], t[3]",
  "for n = 1, 3 do t[#t + 1] = x end return t[#t - 3], t[#t]",
  "for n = 1, 3 do t[#t + 1] = 'k' end return t[#t - 3], t[#t]",
  "local v for n = 1, 2 do if x then goto on end v = t[n] ::on:: v = y + v end",
}

local function compiled(text)
  local f = assert(load("local t, i, x, y = ... " .. text, "=f"))
  return {text = text, f, (assert(load(string.dump(f))))}
end

-- The result of a call, as a string.
local function outcome(f, hooked, ...)
  local co = coroutine.create(function(...) return pcall(f, ...) end)
  if hooked then debug.sethook(co, function() end, "l", 1) end
  local results = table.pack(coroutine.resume(co, ...))
  while coroutine.status(co) == "suspended" do
    results = table.pack(coroutine.resume(co))
  end
  for n = 1, results.n do results[n] = describe(results[n]) end
  return table.concat(results, " ")
end

local numbers = {1, 2.5, math.mininteger, -0.0, "10", true, object}
local function tables(v)
  return {{v, v, v, f = v}, {0, v, f = 2.5}, {}, object, 5,
          setmetatable({0.5}, getmetatable(object))}
end

local runs, wrong = 0, 0
local function compare(body, last, i, x, y)
  for n = 1, #tables(0) do
    local expected
    for f = 1, last do
      for hooked = 0, 1 do
        local found = outcome(body[f], hooked == 1, tables(x)[n], i, x, y)
        expected = expected or found
        runs = runs + 1
        if found ~= expected then
          wrong = wrong + 1
          if wrong < 10 then print(body.text, found, expected) end
        end
      end
    end
  end
end

for _, text in ipairs(bodies) do
  local body = compiled(text)
  for n, x in ipairs(numbers) do
    local ys = {7, 2.5, object}
    compare(body, 1, n % 2 + 1, x, ys[n % #ys + 1])
  end
  compare(body, 2, 2, 0.5, 0.25)
  compare(body, 1, "k", 1, 2)
  compare(body, 1, 2.0, 2, 2)
  compare(body, 1, 2 ^ 53, 2, 2)
  compare(body, 1, nil, 2, 1)
end
print(runs == #bodies * (#numbers + 6) * 12, wrong)     --> true 0

-- Values, once more by themselves.
local function f(t, i, x, y)
  local s = y + x * t[i]
  for n = 1, 3 do t[n] = s end
  return s, t[3], (x + y) * 0.5, y - x * x, t[i + 1] + 1, x / 4
end
print(f({1, 2, 3}, 2, 3, 10))             --> 16 16 6.5 1 17 0.75
print(f({1.5, 2.5}, 2, 3.0, 10.0))        --> 17.5 17.5 6.5 1.0 18.5 0.75
print(f({1, 2.5}, 2, 3, 10))              --> 17.5 17.5 6.5 1 18.5 0.75
print(5e-324 / 2, 0x1p-1022 / 2 == 0x1p-1023, -1 / 2, 3 // 1 / 0.5)
--> 0.0 true -0.5 6.0

-- Hooks see every line, and every instruction.
local function lines(t, i, x)
  local v = t[i]
  local w = x + v
  t[i] =
    w
  return w
end
local seen, count = {}, 0
local first = debug.getinfo(lines, "S").linedefined
debug.sethook(function(_, line) seen[#seen + 1] = line - first end, "l")
lines({1, 2}, 2, 3)
debug.sethook()
print(table.concat(seen, " ", 2, 4))      --> 1 2 4
local function counted(f, ...)
  local before = count
  debug.sethook(function() count = count + 1 end, "", 1)
  f(...)
  debug.sethook()
  return count - before
end
local none = counted(function() end)
print(counted(function(t, i, x) return x + t[i] end, {1}, 1, 1) - none > 1)
--> true

-- Constructors: fields whose values are ready, in any state of the collector.
local function record(a, b, c, d)
  return {
    a = a,
    b = b,
    kind = "r",
    c = c,
    list = {a = a, c = b},
    d = d
  }
end
local function twice(a, b) return {x = 1, x = a, y = false, y = b} end
local function show(r)
  return tostring(r.a), tostring(r.b), r.kind, tostring(r.c), tostring(r.d),
         tostring(r.list.a), tostring(r.list.c)
end
for _ = 1, 3 do record(1, nil, 2.5, true) end
print(show(record(nil, 2, nil, "d")))     --> nil 2 r nil d nil 2
print(show(record(1, "b", 0.5, nil)))     --> 1 b r 0.5 nil 1 b
print(twice(5).x, twice(5).y, next(twice(nil, nil)))  --> 5 nil nil
local kept = {}
for _, mode in ipairs {"incremental", "generational"} do
  collectgarbage(mode)
  for i = 1, 400 do
    kept[i % 50 + 1] = record({i}, {-i}, {tostring(i)}, i)
    if i % 10 == 0 then collectgarbage("step", 1) end
  end
  for _, r in pairs(kept) do
    local i = r.d
    assert(r.a[1] == i and r.b[1] == -i and r.c[1] == tostring(i) and
           r.list.a == r.a and r.list.c == r.b)
  end
end
collectgarbage("incremental")
first, seen = debug.getinfo(record, "S").linedefined, {}
debug.sethook(function(_, line) seen[#seen + 1] = line - first end, "l")
record(1, 2, 3, 4)
debug.sethook()
print(table.concat(seen, " ", 2, 7))      --> 1 2 3 5 6 7
