-- SPDX-License-Identifier: MIT
-- exit status: 1
-- A traceback through every kind of function, then an uncaught error.
local function leaf() print(debug.traceback("in leaf")) end
local t = {} function t.field() leaf() end function t:method() self.field() end
function global_function() t:method() end
local function upvalue_caller() global_function() end
upvalue_caller()
local mt = setmetatable({}, {__index = function(_, k) leaf() return k end, __add
  = function() leaf() return 1 end, __call = function() leaf() end, __lt =
  function() leaf() return true end, __concat = function() leaf() return "" end,
  __len = function() leaf() return 1 end, __unm = function() leaf() return 1
  end, __eq = function() leaf() return true end, __newindex = function() leaf()
  end, __close = function() leaf() end})
local _ = mt.x _ = mt + 1 mt() _ = mt < mt _ = mt .. "x" _ = #mt _ = -mt _ = mt
  == setmetatable({}, getmetatable(mt)) mt.y = 1 do local c <close> = mt end
for _ in function(_, c) if not c then leaf() return 1 end end do end
table.sort({2, 1}, function(a, b) leaf() return a < b end)
  string.gsub("x", ".", leaf) pcall(leaf) xpcall(leaf, print)
  load("local f = ... f()", "=chunk")(leaf)
  load("local f = ... f()", "@file.lua")(leaf) load("local f = ... f()")(leaf)
coroutine.wrap(leaf)() coroutine.wrap(function() leaf() end)() local
function tail() return leaf() end tail() local function tail2() return tail()
end tail2()
print(debug.traceback()) print(debug.traceback(nil))
print(debug.traceback("m", 0)) print(debug.traceback("m", 1))
print(debug.traceback("m", 2)) print(debug.traceback("m", 50))
print(debug.traceback(5)) print(type(debug.traceback({})))
print(debug.traceback("a\nb"))
local function deep(n)
  if n == 0 then print(debug.traceback("deep")) else deep(n - 1) end
  return n
end
deep(5) deep(21) deep(22) deep(40);
(function() (function() leaf() end)() end)()
local o = {a = {b = {c = function() leaf() end}}}
o.a.b.c()
o["a"].b["c"]();
({leaf})[1]();
(leaf)()
package.preload.mod = function(...) leaf() return {} end
require "mod"
string.leaf = leaf;
("x"):leaf()
string.leaf()
string.leaf = nil
io.leaf = function() leaf() end
io.leaf()
_G.named = function() leaf() end
named()
_G["not a name"] = function() leaf() end
_G["not a name"]()
local function fails() local x = {} return x.y.z + 1 end
local function caller() fails() end
caller()
