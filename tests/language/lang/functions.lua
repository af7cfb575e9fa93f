-- SPDX-License-Identifier: MIT
-- Functions: calls, varargs, closures, methods, tail calls (manual, 3.4.10-11)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- parameters
local function f(a, b) return a, b end
print(f(1)) print(f(1, 2)) print(f(1, 2, 3))
--> 1 nil
--> 1 2
--> 1 2
print((f(1, 2)), f(1, 2))                         --> 1 1 2
print(f"literal", #f{1, 2}, f[[long]])            --> literal 2 long nil
-- varargs
local function v(...) local a, b = ...; return select("#", ...), a, b, ... end
print(v())                                        --> 0 nil nil
print(v(nil, nil))                                --> 2 nil nil nil nil
print((v(1, 2, 3)))                               --> 3
local function pass(...) return ... end
print(pass(1, nil, 3), (pass(4, 5)))              --> 1 4
print(#{pass(1, 2, 3)}, #{pass(1, 2, 3), 10}, #{10, pass(1, 2, 3)})  --> 3 2 4
local function outer(...) local args = {...}; return function() return #args end end
print(outer(1, 2, 3)())                           --> 3
print(select("#", pass(table.unpack({}, 1, 250))))--> 250
-- tail calls and returns in functions with variable arguments
local function count(...) return select("#", ...) end
local function last(...) return (select(-1, ...)) end
local function chain(n, ...)
  if n == 0 then return last(...) end
  return chain(n - 1, n, ...)
end
print(chain(3, "end"), count(chain(0, 1, 2)))     --> end 1
local function both(...) if ... then return ... end return type(nil), ... end
print(both(1, 2), both())                         --> 1 nil
print((both()), both(nil, 3))                     --> nil nil nil 3
-- values that are stored in an outer variable and used at once
local stored = 0
local function step() stored = stored + 1; return stored end
local function twice(x) stored = x; return stored + stored end
local function reset(x) if x then stored = 2 * x end return stored - 1 end
print(step(), step(), twice(4), step(), reset(8), reset())  --> 1 2 8 5 15 15
print(fails(function(x) stored = x.y; return stored + 1 end, {}))
-->~ attempt to perform arithmetic on a nil value %(upvalue 'stored'%)
-- methods
local obj = {n = 1}
function obj:inc(k) self.n = self.n + (k or 1); return self end
function obj.plain(x) return x end
print(obj:inc():inc(5).n, obj.plain(3))           --> 7 3
local nested = {a = {b = {}}}
function nested.a.b.f() return "deep" end
function nested.a.b:g() return self == nested.a.b end
print(nested.a.b.f(), nested.a.b:g())             --> deep true
-- closures
local function counter() local c = 0; return function() c = c + 1; return c end, function() return c end end
local inc, get = counter()
inc(); inc()
print(get(), counter()())                         --> 2 1
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(20))                                    --> 6765
local compose = function(g, h) return function(...) return g(h(...)) end end
print(compose(tostring, math.max)(1, 5, 3) .. "!")--> 5!
do
  local a = {}
  for i = 1, 3 do local x = i; a[i] = {get = function() return x end, set = function(y) x = y end} end
  a[1].set(10)
  print(a[1].get(), a[2].get())                   --> 10 2
end
-- tail calls need no stack
local function loop(n) if n == 0 then return "done" end return loop(n - 1) end
print(loop(1000000))                              --> done
local function even(n) if n == 0 then return true end return (function(m) return even(m - 1) end)(n) end
print(even(1000))                                 --> true
-- endless recursion is an error, not a crash
local function forever(n) return 1 + forever(n + 1) end
print(fails(forever, 1))                          -->~ stack overflow
local function through_pcall() return pcall(through_pcall) end
print(type(through_pcall()))                      --> boolean
print((fails(string.gsub, "x", "x", function() local function g() return (g()) + 1 end return g() end)))
-->~ stack overflow
print(fails(function() local t = setmetatable({}, {}); getmetatable(t).__index = t; return t.x end))
-->~ '__index' chain too long; possible loop$
-- calling values that are not functions
print(fails(function() local x = 5; x() end))
-->~ attempt to call a number value %(local 'x'%)$
print(fails(function() local x = {}; x.y.z() end))
-->~ attempt to index a nil value %(field 'y'%)$
print(fails(function() local x = {}; x:m() end))
-->~ attempt to call a nil value %(method 'm'%)$
print(fails(function() undefinedglobal() end))
-->~ attempt to call a nil value %(global 'undefinedglobal'%)$
print(fails(function() ("x")() end))
-->~ attempt to call a string value
-- many locals, upvalues, arguments and constants
local code = {"local t = {}\n"}
for i = 1, 190 do code[#code + 1] = ("local a%d = %d\n"):format(i, i) end
code[#code + 1] = "return a1 + a190"
print(load(table.concat(code))())                 --> 191
code[#code] = ""
for i = 191, 200 do code[#code + 1] = ("local a%d = %d\n"):format(i, i) end
print(select(2, load(table.concat(code))))
-->~ too many local variables %(limit is 200%) in main function near '='$
local list = {}
for i = 1, 5000 do list[i] = ("x%d"):format(i) end
print(#load("return {'" .. table.concat(list, "','") .. "'}")())  --> 5000
print(select("#", load("return " .. ("1,"):rep(239) .. "1")()))   --> 240
print(load("return " .. ("("):rep(150) .. "7" .. (")"):rep(150))())  --> 7
print(select(3, pcall(load, "return " .. ("("):rep(1000) .. "7")))
--> C stack overflow

-- A tail call out of a vararg function moves its frame down, over slots that
-- the collector may have visited: the new function must not be missed.
local function apply(...)
  local function last(x)
    local t = {}
    for i = 1, 3 do t[i] = {x} end
    return t[3][1]
  end
  return last(...)
end
local sum = 0
for i = 1, 200 do sum = sum + apply(i, 2, 3) end
print(sum)  --> 20100

-- tail calls with fewer and more arguments than there are parameters
local function three(a, b, c) return a, b, c end
local function many(...) return select("#", ...), ... end
local function none() end
local function to_three(a, b, c, d) local e, f = d, c; return three(a) end
print(to_three(1, 2, 3, 4))                       --> 1 nil nil
print((function(...) return three(...) end)(1, 2, 3, 4))          --> 1 2 3
print((function(a) return many(a, none()) end)(7))                --> 1 7
print((function(a) return many(a, three(a)) end)(7))              --> 4 7 7 nil nil
print((function(a) local function f() return a end return f(1, 2) end)("kept"))
--> kept

-- tail calls of C functions, with none, one, two and all results requested
local function type_of(x) return type(x) end
local function type_of_any(...) return type(...) end
type_of(1)
local one, two = type_of(1)
print(one, two, type_of(none), (type_of_any("")), type_of_any({}, 1))
--> number nil function string table
print(#{type_of(1)}, #{type_of_any(1)}, select("#", type_of(1), type_of_any(1)))
--> 1 1 2
local closing = function(x) local function f() return x end; kept = f; return tostring(x) end
print(closing(5), kept())                         --> 5 5

-- calls with the results of calls
local function add(a, b, c) return (a or 0) + (b or 0) + (c or 0) end
print(add(three(1, 2, 3)), add(none()), add(1, none()), add(1, three(1, 2)))
--> 6 0 1 4
local a, b = three(three(8, 9))
print(a, b, (three(many(1, 2))))                  --> 8 9 2

-- each iteration of a loop has its own variables, shared by its functions
local pairs_of = {}
for i = 1, 3 do
  local x, y = i, i * 10
  pairs_of[i] = {function() x = x + 1; return x, y end, function() y = y + x; return x, y end}
end
for i = 1, 3 do pairs_of[i][1](); pairs_of[i][2]() end
for i = 1, 3 do io.write(select(2, pairs_of[i][1]()), " ") end
print()                                           --> 12 23 34
