-- SPDX-License-Identifier: MIT
-- Statements: assignment, control, goto, loops, scope (manual, 3.3)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- assignment: all expressions are evaluated first
local a, b, c = 1, 2
print(a, b, c)                                    --> 1 2 nil
a, b = b, a
print(a, b)                                       --> 2 1
local i, t = 1, {}
i, t[i] = i + 1, 20
print(i, t[1], t[2])                              --> 2 20 nil
local function three() return 1, 2, 3 end
a, b, c = three()
print(a, b, c)                                    --> 1 2 3
a, b, c = three(), 10
print(a, b, c)                                    --> 1 10 nil
a, b = (three())
print(a, b)                                       --> 1 nil
do local x = 1; local x = x + 1; print(x) end     --> 2
t.x, t["y"], t[three()] = 1, 2, 3
print(t.x, t.y, t[1])                             --> 1 2 3

-- if, while, repeat
local function sign(n) if n < 0 then return "-" elseif n == 0 then return "0" else return "+" end end
print(sign(-1), sign(0), sign(1))                 --> - 0 +
local n = 3
while n > 0 do io.write(n, " "); n = n - 1 end print()            --> 3 2 1
repeat local done = n >= 2; n = n + 1 until done
print(n)                                          --> 3
for k = 1, 3 do
  if k == 2 then goto continue end
  io.write(k, " ")
  ::continue::
end
print()                                           --> 1 3
while true do if n > 5 then break end n = n + 1 end
print(n)                                          --> 6
if nil then print("no") elseif 0 then print("0 is true") end      --> 0 is true
if "" then print("and so is the empty string") end--> and so is the empty string

-- goto
do -- several to one label, with others between them
  local function f(n)
    local s = ""
    if n == 1 then goto a end
    s = s .. "1"
    if n == 2 then goto b end
    s = s .. "2"
    if n == 3 then goto a end
    s = s .. "3"
    if n == 4 then goto a end
    s = s .. "4"
    if n == 5 then goto b end
    s = s .. "5"
    ::a:: s = s .. "a"
    ::b:: return s .. "b"
  end
  print(f(1), f(2), f(3), f(4), f(5), f(6))
  --> ab 1b 12ab 123ab 1234b 12345ab
end
do
  local k = 0
  ::top:: k = k + 1
  if k < 3 then goto top end
  print(k)                                        --> 3
  goto done
  do ::inner:: end
  ::done::
end
for x = 1, 3 do for y = 1, 3 do
  if x * y == 4 then print(x, y) goto out end     --> 2 2
end end
::out::
do  -- each iteration has its own variable
  local fs = {}
  for k = 1, 3 do fs[k] = function() k = k + 1; return k end end
  print(fs[1](), fs[1](), fs[2]())                --> 2 3 3
  local gs, k = {}, 1
  ::again:: do local v = k; gs[k] = function() return v end end
  k = k + 1; if k <= 3 then goto again end
  print(gs[1](), gs[2](), gs[3]())                --> 1 2 3
end

-- All tables and keys are evaluated before anything is assigned, in any order of
-- the targets, for all kinds of variables.
do
  local targets = {"i", "t", "u", "t[i]", "u[i]", "u[t]", "t.x", "t[u]", "u.x"}
  local places = {i = "i", t = "t", u = "u", ["t[i]"] = "T[1]", ["u[i]"] = "U[1]",
                  ["u[t]"] = "U[T]", ["t.x"] = "T.x", ["t[u]"] = "T[U]", ["u.x"] = "U.x"}
  local scopes = {
    "local T, U, i, t, u = ... i, t, u = 1, T, U %s return %s",
    "local T, U, i, t, u = ... i, t, u = 1, T, U; (function() %s end)() return %s",
    "local T, U = ... i, t, u = 1, T, U %s return %s",
    "local T, U, t = ... i, t, u = 1, T, U; (function(t) %s end)(t) return %s",
  }
  local wrong = 0
  local function try(scope, a, b, c)
    if scope == 4 and (a == "t" or b == "t" or c == "t") then return end
    local code = scopes[scope]:format(
      ("%s, %s, %s = 11, 12, 13"):format(a, b, c),
      ("%s, %s, %s"):format(places[a], places[b], places[c]))
    local x, y, z = assert(load(code, code, "t", {}))({}, {})
    if x ~= 11 or y ~= 12 or z ~= 13 then wrong = wrong + 1 print(code) end
  end
  for scope in ipairs(scopes) do
    for _, a in ipairs(targets) do
      for _, b in ipairs(targets) do
        for _, c in ipairs(targets) do
          if a ~= b and a ~= c and b ~= c then try(scope, a, b, c) end
        end
      end
    end
  end
  print(wrong)                                    --> 0
end

-- A jump closes the variables that it leaves, however many blocks it leaves, and
-- whatever other jumps lead to the same place.
do
  local function capture(mask, i, name)
    return mask >> (i - 1) & 1 == 1
      and ("f[%d] = function() return %s end "):format(i, name) or ""
  end
  local function leave(mask, i, form)
    return mask >> (i - 1) & 1 == 1 and form:format(i) or ""
  end
  local wrong = 0
  for captured = 0, 7 do
    for jumps = 1, 31 do
      for _, form in ipairs {"if n == %d then goto out end ",
                             "if n == %d then n = 0 goto out end "} do
        local code = "local n, f = ..., {} do local a = 'a' "
          .. capture(captured, 1, "a") .. leave(jumps, 1, form)
          .. "do local b = 'b' " .. capture(captured, 2, "b") .. leave(jumps, 2, form)
          .. "do local c = 'c' " .. capture(captured, 3, "c") .. leave(jumps, 3, form)
          .. "end " .. leave(jumps, 4, form) .. "end " .. leave(jumps, 5, form)
          .. "end ::out:: local x, y, z, w = 1, 2, 3, 4 return f, x, y, z, w"
        local run = assert(load(code))
        for n = 0, 5 do
          for i, f in pairs((run(n))) do
            if f() ~= ("abc"):sub(i, i) then wrong = wrong + 1 end
          end
        end
      end
    end
  end
  print(wrong)                                    --> 0
end

-- generic for
for k, v in next, {10} do print(k, v) end         --> 1 10
local function range(m) return function(s, k) if k < s then return k + 1 end end, m, 0 end
for k in range(3) do io.write(k, " ") end print() --> 1 2 3
print(fails(function() for _ in 5 do end end))
-->~ attempt to call a number value
print(fails(function() for _ in nil do end end))
-->~ attempt to call a nil value
do
  local closed
  for k in range(2), 2, 0, setmetatable({}, {__close = function() closed = true end}) do end
  print(closed)                                   --> true
end
do
  local f, s, k0 = range(2)
  local closed
  for k in f, s, k0, setmetatable({}, {__close = function() closed = true end}) do break end
  print(closed)                                   --> true
end

-- constants
local K <const>, M <const> = 10, "s"
print(K + 1, M .. K)                              --> 11 s10

-- globals and environments
x_global = 5
print(_G.x_global, _ENV.x_global)                 --> 5 5
do local _ENV = {print = print}; y = 7; print(y, x_global) end    --> 7 nil
local function with(_ENV) return z end
print(with({z = "from z"}))                       --> from z
print(y)                                          --> nil

-- NaN in a numeric for: it is beyond no limit
do
  local nan = 0/0
  local function count(from, to, step)
    local n = 0
    for _ = from, to, step do
      n = n + 1
      if n == 3 then break end
    end
    return n
  end
  print(count(nan, 1, 1), count(nan, 1, -1), count(nan, 1, 0.5))    --> 1 1 1
  print(count(1.0, nan, 1), count(1.0, nan, -1), count(1.0, 2, nan)) --> 1 1 0
  print(count(3.0, 2, nan), count(nan, nan, nan), count(1, nan, 1)) --> 1 1 0
  print(count(1, nan, -1))                          --> 3
  local n = 0
  for _ = nan, 5 do n = n + 1 end
  for _ = 5.0, nan do n = n + 1 end
  for _ = 5, nan do n = n + 1 end
  print(n)                                          --> 2
end
