-- SPDX-License-Identifier: MIT
-- Default input and output, standard files, temporary files, popen.
local name = os.tmpname() local out = io.output()
print(out == io.stdout, io.input() == io.stdin) io.output(name)
print(io.output() ~= out, io.type(io.output()))
io.write("to file ", 1, " ", 2.5, "\n") io.write("second\nthird") io.close()
print(pcall(io.write, "x")) print(io.type(io.output())) io.output(out)
print(io.read()) io.input(name) print(io.read())
print(io.read("n"), io.read("l"), io.read(2), io.read("a"), io.read("l"))
io.input():close() print(pcall(io.read)) io.input(io.stdin)
print(pcall(io.input, "/nonexistent/file"))
print(pcall(io.output, "/nonexistent/file")) print(pcall(io.input, 5, 5))
print(pcall(io.close, 5)) io.input(name) for l in io.lines() do
io.write("<", l, ">") end print() print(io.type(io.input()))
io.close(io.input()) print(pcall(io.lines)) io.input(io.stdin)
print(io.read("a") == "", io.read("l"), io.read(0), io.read("n"))
local t = io.tmpfile() t:write("temporary") t:seek("set")
print(t:read "a", io.type(t)) t:close() local p = io.popen("echo out; exit 3")
print(p:read "a", io.type(p)) print(p:close()) print(io.popen("exit 0"):close())
print(io.popen("kill -9 $$"):close()) p =
io.popen("cat > " .. name, "w") p:write("via cat\n") print(p:close()) for l in
io.lines(name) do print(l) end print(pcall(io.popen, "ls", "x"))
print(pcall(io.popen)) for l in io.popen("printf 'a\\nb\\n'"):lines() do
io.write(l, ",") end print() io.stderr:write("to stderr\n")
print(io.stderr:write("") == io.stderr)
print(pcall(io.stdout.write, io.stdout, nil)) print(pcall(io.write, {}))
print(pcall(io.write, true)) io.stdout:write("a", 1, "b", 2.0, "\n")
io.stdout:setvbuf("no") io.write("unbuffered\n")
io.stdout:setvbuf("full") os.remove(name)
print(tostring(p):match("closed"), tostring(io.stdout):match("^file %("))
local f = io.open(name, "w") f = nil collectgarbage() os.remove(name)
local g <close> = io.tmpfile() print(io.type(g))
print(rawequal(io.stdout, io.output())) local mt = getmetatable(io.stdout)
local names = {} for k in pairs(mt) do names[#names + 1] = k
end table.sort(names) print(table.concat(names, " ")) names = {}
for k in pairs(mt.__index) do names[#names + 1] = k end table.sort(names)
print(table.concat(names, " ")) names = {} for k in pairs(io)
do names[#names + 1] = k end table.sort(names) print(table.concat(names, " "))
