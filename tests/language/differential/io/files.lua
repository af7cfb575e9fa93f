-- SPDX-License-Identifier: MIT
-- Files: open, read formats, write, seek, lines (manual 6.8).
local name = os.tmpname() local f = assert(io.open(name, "w"))
print(io.type(f), io.type(io.stdout), io.type({}), io.type(nil))
print(f:write("line one\n", 2, " ", 3.5, "\n\nlast without end") == f,
  f:seek("cur"), f:seek("set", 0), f:seek("end"))
print(f:close(), io.type(f), tostring(f)) print(pcall(f.write, f, "x"))
print(pcall(f.close, f)) print(pcall(function() return f:read() end))
local function read(...) local h = io.open(name)
local r = table.pack(h:read(...)) h:close() for i = 1, r.n
do r[i] = ("%q"):format(r[i]) end print(table.concat(r, " ", 1, r.n))
end read() read "l" read "L" read "a" read("l", "l", "l", "l", "l", "l")
  read("L", "L", "L", "L", "L") read(0) read(5) read(5, 5, 100, 1) read("n")
  read("l", "n", "n", "l", "L", "a", "a", "l") read("*l", "*a") read("a", 0)
  read("a", 1) print(pcall(read, "x")) print(pcall(read, "*x"))
print(pcall(read, {})) print(pcall(read, 1.5))
for l in io.lines(name) do io.write("[", l, "]") end print() for l in
io.lines(name, "L") do io.write("[", l, "]") end print() for a, b in
io.lines(name, 1, 2) do io.write("[", a, "|", tostring(b), "]") end print()
for n in io.lines(name, 4) do io.write("<", n, ">") end print()
print(pcall(io.lines, "/nonexistent/x")) print(pcall(io.lines, name, "x"))
local h = io.open(name) for l in h:lines() do io.write(l, ";") end
print(io.type(h), h:read()) h:close() print(pcall(h.lines, h)) local it =
io.lines(name) it() it() it() it() print(it(), pcall(it))
f = io.open(name, "r+") f:write("LINE") f:seek("set", 5)
print(f:read(3)) f:seek("end") f:write("!\n") f:seek("set")
print(f:read "a") f:close() f = io.open(name, "a") f:write("appended\n")
print(f:seek("cur") > 0) f:close() f =
io.open(name, "a+") f:write("more\n") f:seek("set")
print(#f:read "a") f:close() f =
io.open(name, "w+") f:write("abc") f:seek("set") print(f:read "a") f:close() f =
io.open(name, "rb") print(f:read "a")
print(f:read "a", f:read "l", f:read(0), f:read(1)) f:close()
for _, m in ipairs {"r", "w", "a", "r+", "w+", "a+", "rb", "r+b", "rw", "x", "",
  "+", "b", "rb+", "wbx", "r "} do local ok, a, b = pcall(io.open, name, m)
print(m, ok, io.type(a) or a) if ok and a then a:close() end end
print(io.open("/nonexistent/dir/file"))
print(io.open("/nonexistent/dir/file", "w"))
print(pcall(io.open, "/"), select(2, io.open("/", "w")))
f =
io.open(name, "w")
  f:write("12 0x1F -3.5e2 .5 5. 1e+2 nan inf abc 0x 99999999999999999999 0x1p4 1e 1..2 +7 --3 007\n1,2")
  f:close() f = io.open(name) for i = 1, 20 do local n = f:read "n"
io.write(tostring(n), "(", tostring(math.type(n)), ") ") if not n then
io.write("<", tostring(f:read(1)), "> ") end end print(f:read "a") f:close() f =
io.open(name, "w") f:write(("9"):rep(250), " 5") f:close() f = io.open(name)
print(f:read "n", f:read(10)) f:close() f =
io.open(name, "w") f:write("\0zero\0\nline\r\n\n\nx") f:close() for l in
io.lines(name) do print(("%q"):format(l)) end
f = io.open(name, "w") for _, m in ipairs {"no", "full", "line"} do
print(f:setvbuf(m), f:setvbuf(m, 1024)) end print(pcall(f.setvbuf, f, "x"))
print(f:flush() == f, io.flush and "flush") f:close()
local big = ("0123456789"):rep(10000) f =
io.open(name, "w") f:write(big, "\n", big) f:close() f = io.open(name)
print(#f:read "l", #f:read "L", f:read "l") f:seek("set", 99990)
print(f:read(20))
print(f:seek("cur"), f:seek("set", 5), f:seek("cur", 5), f:seek("end", -5),
  f:seek()) print(f:seek("set", -1)) print(pcall(f.seek, f, "bad"))
print(pcall(f.seek, f, "set", 1.5)) print(pcall(f.seek, f, 5)) f:close()
print(tostring(io.stdin):match("^file %(0x") ~= nil, io.stdin:seek() == nil or
  true)
print(io.read and io.write("") == io.stdout, getmetatable(io.stdout).__name,
  getmetatable(io.stdout).__index.read ~= nil) os.remove(name)
print(io.open(name))
