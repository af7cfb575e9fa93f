-- SPDX-License-Identifier: MIT
-- load, loadfile, dofile, string.dump (manual, 6.1 and 6.4)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- text
print(load("return 1 + 1")())                     --> 2
print(load("return ...")(1, 2))                   --> 1 2
print(load("x ="))
--> nil [string "x ="]:1: unexpected symbol near <eof>
print(load("x =\n\n+", "=name"))
--> nil name:3: unexpected symbol near '+'
print(load("x =", "@file.lua"))
--> nil file.lua:1: unexpected symbol near <eof>
print(load("return\n1 +\n", "=n"))
--> nil n:3: unexpected symbol near <eof>
print(select(2, load("x = ", ("y"):rep(100))))
-->~ ^%[string "y+%.%.%."%]:1: unexpected symbol near <eof>$
print(load(""))                                   -->~ ^function: 

-- pieces
local pieces = {"return ", "4", nil}
local i = 0
print(load(function() i = i + 1; return pieces[i] end)())         --> 4
local n = 0
print(load(function() n = n + 1; if n < 3 then return "" .. "--\n" end return "" end))
-->~ ^function: 
print(pcall(load, function() return {} end))
--> true nil reader function must return a string
print(pcall(load, function() error("in reader", 0) end))
--> true nil in reader
print(fails(load))
--> bad argument #1 to 'load' (function expected, got no value)

-- environments
local env = {}
load("x = 5; y = x", "c", "t", env)()
print(env.x, env.y, x)                            --> 5 5 nil
print(load("return _ENV", "c", "t", 7)())         --> 7
print(load("return x", "c", "t", {x = 3})())      --> 3
print(pcall(load("return x", "c", "t", nil)))
-->~ ^false %[string "c"%]:1: attempt to index a nil value %(upvalue '_ENV'%)$

-- binary chunks
local function add(a, b) return a + b end
local binary = string.dump(add)
print(binary:sub(1, 4) == "\27Lua")               --> true
print(load(binary)(3, 4), load(binary, "x", "b")(3, 4))           --> 7 7
print(load(binary, "x", "t"))
--> nil attempt to load a binary chunk (mode is 't')
print(load("return 1", "x", "b"))
--> nil attempt to load a text chunk (mode is 'b')
print(load(binary:sub(1, 20)) == nil)             --> true
print(#string.dump(add, true) <= #binary)         --> true
local counter = (function() local c = 10; return function() c = c + 1; return c end end)()
local copy = load(string.dump(counter))
print(pcall(copy))
-->~ ^false .*attempt to perform arithmetic on a .*value
print(debug.setupvalue(copy, 1, 5), copy())       -->~ ^%S+ 6$
print(fails(string.dump, print))
--> unable to dump given function
print(pcall(load(string.dump(function() error("e") end))))
-->~ load.lua:%d+: e$
print(pcall(load(string.dump(function() error("e") end, true))))
-->~ ^false .*e$

-- files
local name = os.tmpname()
local function write(text)
  local f <close> = assert(io.open(name, "wb"))
  f:write(text)
end
write("return 1, ...")
print(dofile(name))                               --> 1
print(loadfile(name)(2))                          --> 1 2
write("#!/usr/bin/lua\nreturn debug.getinfo(1, 'l').currentline")
print(dofile(name))                               --> 2
write("\xEF\xBB\xBF# comment\nreturn 'bom'")
print(dofile(name))                               --> bom
write(string.dump(load("return 'binary'")))
print(dofile(name))                               --> binary
print(loadfile(name, "t") == nil)                 --> true
write("#!shebang\n" .. string.dump(load("return 'both'")))
print(dofile(name))                               --> both
write("x = y")
local e = {y = 9}
loadfile(name, "t", e)()
print(e.x)                                        --> 9
write("x = = 1")
print((select(2, loadfile(name)):gsub("^.*:1:", "name:1:")))
--> name:1: unexpected symbol near '='
os.remove(name)
print((select(2, loadfile(name)):gsub(name, "NAME")))
--> cannot open NAME: No such file or directory
print((fails(dofile, name):gsub(name, "NAME")))
--> cannot open NAME: No such file or directory

-- the dump does not contain what the interpreter learned about tables
do
  local function make(i)
    local t, u = {}, {x = i}
    t[1], t[2], t[3], t[4] = i, i, i, i
    u.y, u.z = i, i
    return t, u
  end
  local before = string.dump(make)
  for i = 1, 20000 do make(i) end
  print(string.dump(make) == before)              --> true
  local t, u = load(before)(5)
  print(#t, t[4], u.x, u.y, u.z)                  --> 4 5 5 5 5
end

-- Binary chunks name their target, and are refused elsewhere.
local chunk = string.dump(load "return 1")
local function refused(from, bytes)
  local changed = chunk:sub(1, from - 1) .. bytes .. chunk:sub(from + #bytes)
  print((select(2, load(changed, "=chunk", "b")):match("%((.*)%)")))
end
local order = chunk:find(string.pack("=j", 0x5678), 1, true)
local mark = chunk:find("Penumbra", 1, true)
refused(5, "\x53")               --> version mismatch
refused(order - 3, "\8")         --> Instruction size mismatch
refused(order - 2, "\4")         --> lua_Integer size mismatch
refused(order, string.pack("=j", 0x5678):reverse())
--> made for machines with the other order of bytes
refused(order, "\1\2\3\4\5\6\7\8") --> integer format mismatch
refused(mark, "Pexumbra")        --> not made by Penumbra, but by another Lua
refused(mark + 8, "\0")          --> made by another version of Penumbra

-- Very many calls at the same register, in loops and before them.
for _, count in ipairs {10, 255, 256, 257, 300, 1000, 5000} do
  local code = "local n, f = 0, ... " .. ("f() "):rep(count)
    .. "while n < 2 do n = n + 1 " .. ("f() "):rep(count) .. "end return n"
  local calls = 0
  local again = load(string.dump(assert(load(code))))
  local n = again(function() calls = calls + 1 end)
  assert(n == 2 and calls == 3 * count, count)
end
print("ok")                                       --> ok
