-- SPDX-License-Identifier: MIT
-- Visibility, shadowing, upvalues (manual 3.5).
x = 10
do local x = x print(x) x = x + 1 do local x = x + 1 print(x) end print(x) end
print(x)
local a = {} local x = 20
for i = 1, 4 do local y = 0 a[i] = function() y = y + 1 return x + y end end
print(a[1](), a[1](), a[2](), a[3](), _ENV.x) x = 30 print(a[4](), a[1]())
local function counter() local n = 0 return function() n = n + 1 return n end,
function() return n end, function(v) n = v end end
local inc, get, set = counter() inc() inc() print(get()) set(10)
print(inc(), get())
local inc2 = counter() print(inc2(), get())
local function fact(n) return n < 2 and 1 or n * fact(n - 1) end print(fact(20))
local fib fib = function(n) if n < 2 then return n end
return fib(n - 1) + fib(n - 2) end print(fib(20))
do local f = function() return f end print(f()) end
local t = {} for i = 1, 3 do
local j = i t[i] = {function() j = j + i return j end, function() return i, j
  end} end
print(t[1][1](), t[1][1](), t[2][1](), t[1][2]()) print(t[3][2]())
local function outer() local v = 0 local function mid() local
function inner() v = v + 1 return v end return inner end return mid(),
function() return v end end
local inner, peek = outer() inner() inner() print(peek())
local s = {} local k = 3 while k > 0 do local c = k s[k] = function() c = c + 1
return c end k = k - 1 end
print(s[1](), s[2](), s[3](), s[1]())
do local a <const> = 5 local b <const> = "s" local function f() return a, b end
print(f()) end
local p, q = 1, function() return p end print(q())
local r r, p = function() return r end, 2 print(r() == r, p)
print((function(x) local x = x or "d" return x end)(),
  (function(x) x = 5 return x end)(1))
local function many() local a1, a2, a3 = 1, 2, 3 return function() return a3, a1
end, function() a2 = a2 + 1 return a2 end end
local m1, m2 = many() print(m1()) print(m2(), m2())
repeat local z = 5 local fz = function() return z end until fz() == 5
local ret = (function() local v = 1 return function() v = v * 2 return v end
  end)() print(ret(), ret(), ret())
