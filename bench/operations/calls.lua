-- SPDX-License-Identifier: MIT
-- Calls, returns, varargs, methods.

local op = ...

for _, n in ipairs { 0, 1, 2, 3, 5, 10 } do
  local list = {}
  for j = 1, n do list[j] = "a" .. j end
  local names = table.concat(list, ", ")
  for j = 1, n do list[j] = tostring(j) end
  local numbers = table.concat(list, ", ")
  op(n .. " arguments", ("local function f(%s) end"):format(names),
     ("f(%s)"):format(numbers))
end
op("one result", "local function f(a) return a end local x", "x = f(i)")
op("two results", "local function f(a) return a, a end local x, y", "x, y = f(i)")
op("five results", "local function f(a) return a, a, a, a, a end", "local a, b, c, d, e = f(i)")
op("a result that is not used", "local function f(a) return a end", "f(i)")
op("results as arguments", "local function f() return 1, 2, 3 end local function g(a, b, c) return c end",
   "g(f())")
op("missing arguments", "local function f(a, b, c, d) return d end", "f(1)")
op("too many arguments", "local function f(a) return a end", "f(1, 2, 3, 4, 5)")
op("a global function", "function glob(a) return a end", "glob(i)")
op("a function in a table", "local t = { f = function(a) return a end }", "t.f(i)")
op("a method", "local t = { f = function(self, a) return a end }", "t:f(i)")
op("a method of a class", "local C = {} C.__index = C function C.f(self, a) return a end " ..
   "local o = setmetatable({}, C)", "o:f(i)")
op("a method two classes up", "local A = {} A.__index = A function A:f(a) return a end " ..
   "local B = setmetatable({}, A) B.__index = B local o = setmetatable({}, B)", "o:f(i)")
op("a method five classes up", "local top = { f = function(self, a) return a end } " ..
   "for j = 1, 5 do top = setmetatable({}, { __index = top }) end local o = top", "o:f(i)")
op("a method of a string", "local s, x = 'hello'", "x = s:len()")
op("an object made and used", "local C = {} C.__index = C function C.new(x) " ..
   "return setmetatable({ x = x }, C) end function C:get() return self.x end",
   "C.new(i):get()")
op("recursion, 20 deep", "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end", "f(20)")
op("recursion, 10000 deep", "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end", "f(10000)")
op("tail calls", "local function f(n) if n > 0 then return f(n - 1) end return 0 end", "f(20)")
op("fib 10", "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end", "fib(10)")
op("ackermann", "local function a(m, n) if m == 0 then return n + 1 end if n == 0 then " ..
   "return a(m - 1, 1) end return a(m - 1, a(m, n - 1)) end", "a(2, 3)")
op("a C function", "local f = rawlen local t = {}", "f(t)")
op("a C function, several results", "local f = math.modf", "local a, b = f(3.5)")
op("pcall of a function", "local function f() end", "pcall(f)")
op("pcall with arguments", "local function f(a, b) return a, b end", "pcall(f, i, i)")
op("pcall of a C function", "local t = {}", "pcall(rawlen, t)")
op("xpcall", "local function f() end local function h(m) return m end", "xpcall(f, h)")
op("nested pcalls", "local function f() end", "pcall(pcall, pcall, f)")

op("varargs passed on", "local function g(a, b) return b end local function f(...) return g(...) end", "f(1, 2)")
op("varargs, first of three", "local function f(...) local a = ... return a end", "f(1, 2, 3)")
op("varargs, none", "local function f(...) end", "f()")
op("varargs in a table", "local function f(...) return { ... } end", "f(1, 2, 3)")
op("varargs, 20 in a table", "local function f(...) return { ... } end",
   "f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)")
op("select('#')", "local function f(...) return select('#', ...) end", "f(1, 2, 3)")
op("select(2)", "local function f(...) return (select(2, ...)) end", "f(1, 2, 3)")
op("select(-1)", "local function f(...) return (select(-1, ...)) end", "f(1, 2, 3)")
op("a sum by select", "local function f(...) local s = 0 for j = 1, select('#', ...) do " ..
   "s = s + (select(j, ...)) end return s end", "f(1, 2, 3, 4, 5)")
op("varargs over table.pack", "local function f(...) local t = table.pack(...) return t.n end", "f(1, 2, 3)")
op("varargs with fixed parameters", "local function f(a, b, ...) return a, ... end", "f(1, 2, 3, 4)")
op("varargs, 200", "local t = {} for j = 1, 200 do t[j] = j end local function f(...) return ... end",
   "f(table.unpack(t))")
op("a tail call with varargs", "local function g(...) return ... end local function f(...) return g(...) end", "f(1, 2, 3)")
op("a closure made and called", "", "(function(a) return a end)(i)")
op("a callback", "local function each(t, f) for j = 1, #t do f(t[j]) end end " ..
   "local t, n = { 1, 2, 3, 4, 5 }, 0", "each(t, function(v) n = n + v end)")
op("composition", "local function add(a) return function(b) return a + b end end", "add(1)(2)")
op("memoize", "local cache = {} local function f(n) local r = cache[n] if not r then " ..
   "r = n * n cache[n] = r end return r end", "f(i & 255)")
op("dofile of strings", "local f = load('return ...')", "f(1, 2)")
op("80 registers", "local function f(a) local " ..
   "b1,b2,b3,b4,b5,b6,b7,b8,b9,b10,b11,b12,b13,b14,b15,b16,b17,b18,b19,b20,b21,b22,b23,b24,b25,b26,b27,b28,b29,b30," ..
   "b31,b32,b33,b34,b35,b36,b37,b38,b39,b40,b41,b42,b43,b44,b45,b46,b47,b48,b49,b50,b51,b52,b53,b54,b55,b56,b57,b58,b59,b60 = a " ..
   "return b60 end", "f(i)")
