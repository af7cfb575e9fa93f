-- SPDX-License-Identifier: MIT
-- The basic functions (manual, 6.1), except load and its relatives (load.lua)
-- and collectgarbage (collectgarbage.lua).

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- print and tostring
print()                                           -->
print(nil, true, 1, 1.0, "x")                     --> nil true 1 1.0 x
print(print)                                      -->~ ^function: 
print(setmetatable({}, {__tostring = function() return "me" end}))  --> me
print(setmetatable({}, {__name = "My.Type"}))     -->~ ^My.Type: 
print(fails(print, setmetatable({}, {__tostring = function() end})))
--> '__tostring' must return a string
print(tostring(-0.0), tostring(1e15), tostring(2^53))
--> -0.0 1e+15 9.007199254741e+15
print(tostring(1/0), tostring(-1/0), tostring(math.mininteger))
--> inf -inf -9223372036854775808
print(fails(tostring))
--> bad argument #1 to 'tostring' (value expected)

-- type
print(type(nil), type(true), type(1), type("")) --> nil boolean number string
print(type({}), type(print), type(io.stdout))   --> table function userdata
print(type(coroutine.create(print)))            --> thread
print(fails(type))
--> bad argument #1 to 'type' (value expected)

-- tonumber
print(tonumber("10"), tonumber("  0x1p4  "), tonumber("1e1"))  --> 10 16.0 10.0
print(tonumber(""), tonumber("1 2"), tonumber("0x"), tonumber("1e"))
--> nil nil nil nil
print(tonumber(nil))                                           --> nil
print(tonumber({}), tonumber(7), tonumber("inf"))              --> nil 7 nil
print(tonumber("ff", 16), tonumber("-zZ", 36), tonumber(" 11 ", 2))
--> 255 -1295 3
print(tonumber("8", 8), tonumber("", 10), tonumber("1.0", 10)) --> nil nil nil
print(tonumber("7fffffffffffffff", 16) == math.maxinteger)     --> true
print(tonumber("ffffffffffffffff", 16))                        --> -1
print(tonumber("9223372036854775808"))
--> 9.2233720368548e+18
print(fails(tonumber))
--> bad argument #1 to 'tonumber' (value expected)
print(fails(tonumber, "1", 1))
--> bad argument #2 to 'tonumber' (base out of range)
print(fails(tonumber, 1, 10))
--> bad argument #1 to 'tonumber' (string expected, got number)

-- assert and error
print(assert(1, 2, 3))                            --> 1 2 3
print(fails(assert, false))                       --> assertion failed!
print(fails(assert, nil, "because"))              --> because
print(fails(assert, false, {1}))                  -->~ ^table: 
print(fails(assert))           --> bad argument #1 to 'assert' (value expected)
print(fails(error, "text"))                       --> text
print(fails(error))                               --> nil
print(fails(function() error("here") end))        -->~ base.lua:%d+: here$
print(fails(function() error("here", 0) end))     --> here
local function level2() error("above", 2) end
print(fails(function() level2() end))             -->~ base.lua:%d+: above$
print(type(fails(error, {})))                     --> table

-- pcall and xpcall
print(pcall(function(...) return select("#", ...), ... end, 1, nil))
--> true 2 1 nil
print(pcall(error, "x"))                          --> false x
print(pcall(nil))
--> false attempt to call a nil value
print(fails(pcall))            --> bad argument #1 to 'pcall' (value expected)
print(xpcall(function(a) return a end, print, 5)) --> true 5
print(xpcall(error, function(m) return "<" .. m .. ">" end, "x"))  --> false <x>
print(fails(xpcall, print))
--> bad argument #2 to 'xpcall' (function expected, got no value)
-- an error in the handler is handed to the handler again
print(xpcall(error, function(m) return m == "x" and error("y", 0) or "got " .. m end,
             "x"))                                --> false got y

-- select
print(select("#"), select("#", nil, nil))         --> 0 2
print(select(2, "a", "b", "c"))                   --> b c
print(select(-1, "a", "b", "c"))                  --> c
print(select(4, "a", "b", "c"))                   -->
print(fails(select, 0))    --> bad argument #1 to 'select' (index out of range)
print(fails(select, -2, 1))--> bad argument #1 to 'select' (index out of range)

-- raw access
local strict = setmetatable({}, {
  __index = function() return "index" end, __newindex = function() end,
  __len = function() return 42 end, __eq = function() return true end})
print(strict.x, rawget(strict, "x"))              --> index nil
strict.x = 1; print(rawget(strict, "x"))          --> nil
print(rawset(strict, "x", 2) == strict, strict.x) --> true 2
print(#strict, rawlen(strict), rawlen("abc"))     --> 42 0 3
print(strict == setmetatable({}, getmetatable(strict)))          --> true
print(rawequal(strict, {}), rawequal("a", "a"), rawequal(1, 1.0))
--> false true true
print(fails(rawset, {}, nil, 1))                  --> table index is nil
print(fails(rawset, {}, 0/0, 1))                  --> table index is NaN
print(fails(rawget, 1, 1))
--> bad argument #1 to 'rawget' (table expected, got number)
print(fails(rawlen, 1))
--> bad argument #1 to 'rawlen' (table or string expected, got number)
print(fails(rawequal, 1))  --> bad argument #2 to 'rawequal' (value expected)

-- metatables
print(getmetatable({}), getmetatable("").__index == string)      --> nil true
local guarded = setmetatable({}, {__metatable = "hidden"})
print(getmetatable(guarded))                      --> hidden
print(fails(setmetatable, guarded, {}))
--> cannot change a protected metatable
print(fails(setmetatable, {}, 1))
--> bad argument #2 to 'setmetatable' (nil or table expected, got number)
print(fails(setmetatable, {}))
--> bad argument #2 to 'setmetatable' (nil or table expected, got no value)
print(fails(setmetatable, 1, {}))
--> bad argument #1 to 'setmetatable' (table expected, got number)

-- next, pairs, ipairs
print(next({}), next({10}))                       --> nil 1 10
print(next({10}, 1))                              --> nil
print(fails(next, {}, "nokey"))                   --> invalid key to 'next'
print(fails(next))
--> bad argument #1 to 'next' (table expected, got no value)
local sum, keys = 0, 0
for k, v in pairs({1, 2, 3, x = 4}) do sum, keys = sum + v, keys + 1 end
print(sum, keys)                                  --> 10 4
for i, v in ipairs({"a", "b", nil, "d"}) do print(i, v) end
--> 1 a
--> 2 b
local proxy = setmetatable({}, {__index = function(_, i) if i < 4 then return i * i end end})
for i, v in ipairs(proxy) do io.write(i, "=", v, " ") end print()
--> 1=1 2=4 3=9
local ordered = setmetatable({}, {__pairs = function(t)
  return function(_, k) k = (k or 0) + 1; if k <= 2 then return k, -k end end, t, nil
end})
for k, v in pairs(ordered) do print(k, v) end
--> 1 -1
--> 2 -2
print(fails(ipairs))       --> bad argument #1 to 'ipairs' (value expected)
print(fails(pairs))        --> bad argument #1 to 'pairs' (value expected)
-- assigning to existing fields while traversing is allowed
local t = {a = 1, b = 2, c = 3}
for k in pairs(t) do t[k] = nil end
print(next(t))                                    --> nil

-- the environment
print(_G._G == _G, _VERSION)                      --> true Lua 5.4

-- warn has no visible result; its arguments must be strings
print(warn("@off"))                               -->
print(fails(warn))
--> bad argument #1 to 'warn' (string expected, got no value)
print(fails(warn, "a", {}))
--> bad argument #2 to 'warn' (string expected, got table)
