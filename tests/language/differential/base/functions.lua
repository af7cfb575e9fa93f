-- SPDX-License-Identifier: MIT
-- The basic functions not covered elsewhere (manual 6.1).
print(type(nil), type(1), type("x"), type({}), type(print), type(true),
  type(coroutine.create(print)), type(io.stdout)) print(pcall(type))
print(tostring(nil), tostring(true), tostring(12), tostring(1.5), tostring("x"))
print(_VERSION, _G._G == _G, _ENV == _G)
print(rawequal("a", "a"), rawequal(1, 1.0), pcall(rawequal, 1))
print(select(1, "a", "b"), select(-2, "a", "b", "c"), select("#"))
print(select(2, "a", "b", "c")) print(pcall(select, -4, 1, 2, 3))
print(pcall(select, 1.5)) print(select("2", "a", "b"))
print(print == print, print()) print(nil, false, 0, "") print("a\0b", #"a\0b")
io.write(1, 2.0, "x", "\n")
print(tostring(-0.0), tostring(1e100), tostring(2^63),
  tostring(-(0/0)):match("nan"))
for i, v in ipairs {1, 2, nil, 4} do io.write(i, v, " ") end print()
for i, v in ipairs({}) do print "never" end print(pcall(ipairs))
print(pcall(ipairs, nil)) print((ipairs {}), select("#", ipairs {}))
local n, s, z = ipairs {5} print(n(s, z)) print(n(s, 1)) print(pcall(n, 5, 0))
print(n({[0] = 1}, -1)) print(pcall(pairs)) print(pcall(pairs, nil))
print(select(3, pairs {}), (pairs {}) == next)
print(next {}, next({1}), type(next), pcall(next, 1))
local t = setmetatable({}, {__metatable = "m"})
print(getmetatable(t), getmetatable("x").__index == string,
  pcall(setmetatable, t, {}))
print(setmetatable({}, nil) ~= nil, getmetatable(setmetatable({}, nil)))
print(rawlen({1, 2, 3}), rawlen("abc"), pcall(rawlen, 5))
print(rawget(setmetatable({}, {__index = function() return 1 end}), "x"),
  pcall(rawget, 1, 2)) local names = {} for k in pairs(_G)
do names[#names + 1] = k end table.sort(names) print(table.concat(names, " "))
for _, lib in ipairs {"string", "table", "coroutine", "debug", "utf8",
  "package"} do names = {} for k in pairs(_G[lib]) do names[#names + 1] = k
end table.sort(names) print(lib, table.concat(names, " ")) end
print(dofile == nil, pcall(dofile, "/nonexistent.lua"))
local name = os.tmpname() local f =
io.open(name, "w")
  f:write("#!shebang line\nlocal a = ... return a, select('#', ...), 'from file'")
  f:close() print(dofile(name)) print(loadfile(name)(1, 2))
print(loadfile(name, "t", {select = select})("x"))
print(loadfile(name, "b")) f = io.open(name, "w") f:write("x = = 1") f:close()
print((select(2, loadfile(name)):gsub(name, "NAME", 1)))
print((select(2, pcall(dofile, name)):gsub("^.-:", "NAME:"))) f =
io.open(name, "w") f:write("# only a comment") f:close()
print(pcall(dofile, name)) f =
io.open(name, "w") f:write("\xEF\xBB\xBFreturn 'bom'") f:close()
print(dofile(name)) f =
io.open(name, "w")
  f:write("\xEF\xBB\xBF#!x\nreturn 'bom and shebang', debug.getinfo(1, 'l').currentline")
  f:close() print(dofile(name)) f = io.open(name, "w") f:write("") f:close()
print(dofile(name)) f = io.open(name, "w") f:write("error('in file')") f:close()
print((select(2, pcall(dofile, name)):gsub("^.-:", "NAME:"))) os.remove(name)
print(select(2, loadfile("/nonexistent.lua")))
print(collectgarbage("isrunning"), collectgarbage("stop"),
  collectgarbage("isrunning"), collectgarbage("restart"),
  collectgarbage("isrunning"))
print(type(collectgarbage("count")), math.type(collectgarbage("count")),
  collectgarbage(), collectgarbage("collect"), type(collectgarbage("step")))
print(collectgarbage("incremental"), collectgarbage("generational"),
  collectgarbage("incremental"), collectgarbage("incremental", 100, 200, 10))
print(collectgarbage("setpause", 160), collectgarbage("setpause", 200),
  collectgarbage("setstepmul", 300), collectgarbage("setstepmul", 100))
print(pcall(collectgarbage, "x")) print(pcall(collectgarbage, "step", "x"))
print(collectgarbage("step", 0) ~= nil, collectgarbage("step", 1000000))
print(pcall(collectgarbage, nil))
