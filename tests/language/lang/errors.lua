-- SPDX-License-Identifier: MIT
-- Error messages: what they say, and where (manual, 2.3)

local function fails(f, ...) return (select(2, pcall(f, ...)):gsub("^.*errors.lua:%d+: ", "")) end
local up, upt = nil, {}

-- names of variables
print(fails(function() local a; a.b = 1 end))
--> attempt to index a nil value (local 'a')
print(fails(function() return up.x end))
--> attempt to index a nil value (upvalue 'up')
print(fails(function() return upt.x.y end))
--> attempt to index a nil value (field 'x')
print(fails(function() return gone.x end))
--> attempt to index a nil value (global 'gone')
print(fails(function() upt:nomethod() end))
--> attempt to call a nil value (method 'nomethod')
print(fails(function() upt.f() end))
--> attempt to call a nil value (field 'f')
print(fails(function() gone() end))
--> attempt to call a nil value (global 'gone')
print(fails(function() local t = {}; t[1][2] = 3 end))
--> attempt to index a nil value (field 'integer index')
print(fails(function() local t, k = {}, "key"; return t[k].z end))
--> attempt to index a nil value (field '?')
print(fails(function() return 1 + upt end))
--> attempt to perform arithmetic on a table value (upvalue 'upt')
print(fails(function() local s = "x"; return s + 1 end))
--> attempt to add a 'string' with a 'number'
print(fails(function() return upt.n + 1 end))
--> attempt to perform arithmetic on a nil value (field 'n')
print(fails(function() return "a" .. upt end))
--> attempt to concatenate a table value (upvalue 'upt')
print(fails(function() return #gone end))
--> attempt to get length of a nil value (global 'gone')
print(fails(function() return -{} end))
--> attempt to perform arithmetic on a table value
print(fails(function() return 2^53 & 1.5 end))
--> number has no integer representation
print(fails(function() local x = 1.5; return x | 1 end))
--> number (local 'x') has no integer representation
print(fails(function() return 1 < "2" end))
--> attempt to compare number with string
print(fails(function() return nil > 1 end))
--> attempt to compare number with nil
print(fails(function() return {} <= {} end))
--> attempt to compare two table values
print(fails(function() for i = 1, "x" do end end))
--> bad 'for' limit (number expected, got string)
print(fails(function() string.rep() end))
--> bad argument #1 to 'rep' (string expected, got no value)
print(fails(function() ("x"):rep(nil) end))
--> bad argument #1 to 'rep' (number expected, got nil)
print(fails(function() ("x").rep() end))
--> bad argument #1 to 'rep' (string expected, got no value)
print(fails(function() setmetatable(1, {}) end))
--> bad argument #1 to 'setmetatable' (table expected, got number)
print(fails(function() io.stdout.write(1) end))
--> bad argument #1 to 'write' (FILE* expected, got number)
print(fails(function() io.stdout.write() end))
--> bad argument #1 to 'write' (FILE* expected, got no value)
print(fails(function() local w = io.stdout; w.close(1) end))
--> bad argument #1 to 'close' (FILE* expected, got number)
print(fails(function() (1):x() end))
--> attempt to index a number value
print(fails(function() math.floor({}) end))
--> bad argument #1 to 'floor' (number expected, got table)

-- values without a name: of an expression with several ends, or a constant
local no = false
print(fails(function() upt.n = 1; (nil)() end))
--> attempt to call a nil value
print(fails(function() upt.n = upt.m; return (nil).x end))
--> attempt to index a nil value
print(fails(function() (no or upt.f)() end))
--> attempt to call a nil value
print(fails(function() (no and upt.f or upt.g)() end))
--> attempt to call a nil value
print(fails(function() return (no or upt.f) + 1 end))
--> attempt to perform arithmetic on a nil value
print(fails(function() return (no or upt.f).x end))
--> attempt to index a nil value
print(fails(function() return 1 + (no or upt.f) end))
--> attempt to perform arithmetic on a nil value
print(fails(function() return #(no or upt.f) end))
--> attempt to get length of a nil value
print(fails(function() return (upt.f or no).x end))
--> attempt to index a boolean value

-- comparisons say which operand is on the left of < or <=
print(fails(function() return 5 < upt end))
--> attempt to compare number with table
print(fails(function() return upt < 5 end))
--> attempt to compare table with number
print(fails(function() return 5 > upt end))
--> attempt to compare table with number
print(fails(function() return upt > 5 end))
--> attempt to compare number with table
print(fails(function() return 5 <= upt end))
--> attempt to compare number with table
print(fails(function() return upt <= 5 end))
--> attempt to compare table with number
print(fails(function() return 5 >= upt end))
--> attempt to compare table with number
print(fails(function() return upt >= 5 end))
--> attempt to compare number with table
print(fails(function() if upt > 5 then return 1 end end))
--> attempt to compare number with table
print(fails(function() if not (upt > 5) then return 1 end end))
--> attempt to compare number with table

-- positions
local function line(f) return tonumber(select(2, pcall(f)):match(":(%d+):")) - debug.getinfo(2, "l").currentline end
print(line(function() local a
  = nil + 1 end))                                 --> 1
print(line(function()
  error("x") end))                                --> 1
print(line(function()

  local t = nil
  t.x = 1 end))                                   --> 3
print(select(2, pcall(load("\n\nerror('third')", "=lines"))))
--> lines:3: third
print(select(2, pcall(load("error('whole')", "return 1\nreturn 2"))))
--> [string "return 1..."]:1: whole
print(select(2, pcall(load("error('at')", "@dir/file.lua"))))
--> dir/file.lua:1: at
print(select(2, pcall(load("error('eq')", "=" .. ("n"):rep(100)))))
-->~ ^n+:1: eq$
print(#select(2, pcall(load("error('')", "@" .. ("d/"):rep(100)))))  --> 63

-- error values of any type, and levels
print(pcall(error, nil), pcall(error, {1}, 2))    -->~ ^false false table
print(select(2, pcall(error, 42)), select(2, pcall(error, true)))  --> 42 true
local function check(n) error("wrong", n) end
print(fails(function() check(1) end), select(2, pcall(check, 0)))
--> wrong wrong
print((select(2, pcall(function() check(2) end)):match(":(%d+)")) + 0 == debug.getinfo(1, "l").currentline)
--> true

-- nested protected calls
print(pcall(pcall, error, "inner"))               --> true false inner
print(select(2, xpcall(function() error("m", 0) end, function(m) return m .. "+handler" end)))
--> m+handler
print(select(2, xpcall(function() local x = nil; x() end, debug.traceback)):find("stack traceback:") ~= nil)
--> true
print(pcall(xpcall))
-->~ ^false bad argument #2 to 'xpcall'

-- memory and stack
print(pcall(string.rep, "x", 1 << 60))
--> false resulting string too large
local deep = 0
local function recurse() deep = deep + 1; recurse(); deep = 0 end
print(pcall(recurse) == false, deep > 1000)       --> true true
print((select(2, pcall(recurse)):gsub("^.-: ", ""):gsub(" *%(.*", ""):gsub("\n.*", "")))
--> stack overflow
local nest = "return " .. ("{"):rep(190) .. ("}"):rep(190)
print(type(load(nest)()))                         --> table
print(select(3, pcall(load, "return " .. ("{"):rep(300) .. ("}"):rep(300))))
-->~ overflow
