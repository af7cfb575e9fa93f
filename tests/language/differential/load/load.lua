-- SPDX-License-Identifier: MIT
-- load: texts, readers, modes, environments (manual 6.1).
print(load("return 1 + 1")()) print(load("x ="))
print(load("return ...", "name", "t", {})(1, 2))
local env = {} load("x = 5; y = x * 2", "c", "t", env)()
print(env.x, env.y, x, y) print(pcall(load("return print", "c", "t", {})))
print(pcall(load("print(1)", "=c", "t", {})))
print(load("return _ENV", "c", "t", nil)(),
  pcall(load("return x", "=c", "t", nil)))
print(load("return _ENV", "c", "t", 5)())
local parts = {"ret", "urn ", "1", " + ", "41"} local i = 0
print(load(function() i = i + 1 return parts[i] end)()) i = 0 parts =
  {"return 'a", "b' ", "", "ignored"}
print(load(function() i = i + 1 return parts[i] end)())
print(load(function() return nil end)) print(load(function() return "" end))
 print(load(function() return {} end))
print(load(function() error("reader error", 0) end))
print(load(function() error({}) end)) print(pcall(load)) print(pcall(load, nil))
print(pcall(load, 5)) local n = 0
local src = "return " .. ("1 + "):rep(100) .. "0"
print(load(function() n = n + 1 if n <= #src then return src:sub(n, n) end
  end)())
for _, mode in ipairs {"t", "b", "bt", "tb", "", "x", "text"} do
print(mode, load("return 1", "=c", mode))
print(mode, load(string.dump(load "return 1"), "=c", mode)) end
print(pcall(load, "return 1", "=c", 5))
local f =
  load("local a, b = ... ; local function g() return a end return function(c) b = (b or 0) + c return a, b, g() end")
local g = f("up", 10) print(g(1)) print(g(2))
print(load("return 1,2,3 -- comment")()) print(load("return nil")())
print(select("#", load("return")())) print(load("-- nothing"))
print(pcall(load("error 'x'", "@file.lua")))
print(pcall(load("error 'x'", "=(name)"))) print(pcall(load("error 'x'")))
print(pcall(load("\n\nerror('line 3')", "=c"))) print(load("goto x"))
print(load("for")) print(load("\27Lua")) print(load("\27"))
print(load("\27Lua garbage", "=bin", "b")) print(load("x", nil, nil))
print(load("return ...", "=c")(nil, nil, 3))
local t = {} for j = 1, 300 do t[j] = "local v" .. j .. " = " .. j end
print(load(table.concat(t, "\n", 1, 200) .. "\nreturn v200")())
print(load(table.concat(t, "\n", 1, 201), "=c")) local function many(k)
local names = {} for j = 1, k do names[j] = "u" .. j end local decl = ""
for j = 1, k, 100
do decl = decl .. "local " .. table.concat(names, ", ", j, math.min(j + 99, k))
  .. "\n" end return decl end
print((load("local function f() " .. ("local a; "):rep(201) .. " end", "=c")))
print(select(2, load("return " .. ("("):rep(300) .. "1" .. (")"):rep(300),
  "=c")))
print(load("return " .. ("("):rep(100) .. "1" .. (")"):rep(100), "=c")())
print(select(2, load(("do "):rep(300) .. ("end "):rep(300), "=c")))
print(select(2, load("x = " .. ("{"):rep(300) .. ("}"):rep(300), "=c")))
print(select(2, load("x = " .. ("f("):rep(300) .. (")"):rep(300), "=c")))
print(#load("return '" .. ("x"):rep(100000) .. "'")())
print(load("return " .. ("1,"):rep(250) .. "1")() )
print(select("#", load("return " .. ("1,"):rep(249) .. "1")()))
print(select(2, load("return " .. ("1,"):rep(300) .. "1", "=c")))
print(load("local a = " .. ("x."):rep(1000) .. "y") ~= nil,
  load("return " .. ("-"):rep(150) .. "1") ~= nil,
  select(2, load("return " .. ("- "):rep(250) .. "1", "=c")))
print(select(2, load("return " .. ("1 .. "):rep(250) .. "1", "=c")))
print(select(2, load("local function f() return " ..
  ("function() return "):rep(250) .. "1" .. (" end"):rep(251), "=c")))
