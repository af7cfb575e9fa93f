-- SPDX-License-Identifier: MIT
-- The io library (manual, 6.8)

local function fails(f, ...) return select(2, pcall(f, ...)) end
local name = os.tmpname()
local function write(text) local f <close> = assert(io.open(name, "wb")); f:write(text) end
local function content() local f <close> = assert(io.open(name, "rb")); return f:read("a") end

-- open, close, type
local f = assert(io.open(name, "w"))
print(io.type(f), io.type(io.stdin), io.type(42)) --> file file nil
print(tostring(f):find("^file %(0x%x+%)$"), getmetatable(f).__name)  --> 1 FILE*
print(f:close(), io.type(f), tostring(f))
--> true closed file file (closed)
print(fails(f.close, f))
--> attempt to use a closed file
print(fails(f.write, f, "x"))
--> attempt to use a closed file
print(io.open("/nonexistent/file"))
--> nil /nonexistent/file: No such file or directory 2
print(fails(io.open, name, "rw"))
--> bad argument #2 to 'io.open' (invalid mode)
print(fails(io.open, name, ""))
--> bad argument #2 to 'io.open' (invalid mode)
print(io.type(io.open(name, "r+b")), io.type(io.open(name, "a+")))
--> file file
print(fails(io.type))
--> bad argument #1 to 'io.type' (value expected)
print(fails(io.close, 1))
--> bad argument #1 to 'io.close' (FILE* expected, got number)
print(io.stdout:close())               --> nil cannot close standard file

-- write
f = io.open(name, "wb")
print(f:write("a", 1, " ", 2.5, "\n", -7, "|", math.mininteger) == f)  --> true
print(f:write() == f, fails(f.write, f, {}))
-->~ ^true bad argument #.* %(string expected, got table%)$
f:close()
print((content():gsub("\n", "/")))
--> a1 2.5/-7|-9223372036854775808
f = io.open(name, "a"); f:write("|more"); f:close()
print(content():sub(-5), #content())              --> |more 35
local ro <const> = io.open(name)
local ok, why, code = ro:write("x")
print(ok)                                         --> nil
-- some C libraries fail here without saying why
print(why == "Bad file descriptor" and code == 9 or code == 0)  --> true
ro:close()

-- read
write("1 0x1F -3.5e2 .5 nonsense\nsecond line\n\nlast")
f = io.open(name)
print(f:read("n", "n", "n", "n", "n"))            --> 1 31 -350.0 0.5 nil
f:seek("set")
print(f:read("l"), f:read("L") == "second line\n", f:read("l") == "", f:read(), f:read())
--> 1 0x1F -3.5e2 .5 nonsense true true last nil
print(f:read("a") == "", f:read("l"), f:read(1), f:read(0))
--> true nil nil nil
f:seek("set")
print(f:read(3), f:read(0) == "", #f:read(1000), f:read(1))
--> 1 0 true 40 nil
f:seek("set")
print(#f:read("*a"), f:seek("set", 2), f:read("*l"))
--> 43 2 0x1F -3.5e2 .5 nonsense
print(fails(f.read, f, "x"))
-->~ bad argument #.* %(invalid format%)$
print(fails(f.read, f, {}))
-->~ %(string expected, got table%)$
f:close()
write(("x"):rep(5000) .. "\n" .. ("y"):rep(2000))
f = io.open(name)
print(#f:read("l"), #f:read("l"), f:read("l"))    --> 5000 2000 nil
f:close()
write("a\0b\n\0"); f = io.open(name)
print(#f:read("L"), #f:read("l"))                 --> 4 1
f:close()
write("0x\n1e+\nnan\n- 5\n" .. ("9"):rep(250)); f = io.open(name)
print(f:read("n"), f:read("l"), f:read("n"), f:read("l"))
--> nil  nil
print(f:read("n"), f:read("l"), f:read("n"), f:read("l"))
--> nil nan nil  5
print(f:read("n"))                                --> nil
f:close()
-- a folder can be opened, but not read; on Windows it cannot be opened
local ok, why, code
if package.config:sub(1, 1) == "/" then ok, why, code = io.open("/"):read(1)
else ok, why, code = nil, "Is a directory", 21 end
print(ok, why, code)                              --> nil Is a directory 21

-- numerals of all forms: what is read, and what is left before the "|"
do
  local name = os.tmpname()
  local numerals = {
    {"0x1p4", "16.0", ""}, {"0xAp+2", "40.0", ""}, {"0x.8p-3", "0.0625", ""},
    {"0x1.8p1", "3.0", ""}, {"0xA.p1", "20.0", ""}, {"0x1p", "nil", ""},
    {"0x1p+", "nil", ""}, {"0x1pz", "nil", "z"}, {"0xp1", "nil", "p1"},
    {"0x", "nil", ""}, {"0x.", "nil", ""}, {"0x.p1", "nil", "p1"},
    {"1e5", "100000.0", ""}, {"1e+5", "100000.0", ""}, {"1E-2", "0.01", ""},
    {"1e", "nil", ""}, {"1e+", "nil", ""}, {"1.e3", "1000.0", ""}, {".5e1", "5.0", ""},
    {".", "nil", ""}, {".e1", "nil", "e1"}, {"-0x1P-1", "-0.5", ""}, {"+7", "7", ""},
    {"-", "nil", ""}, {"+-1", "nil", "-1"}, {"00012", "12", ""}, {"0x0p0", "0.0", ""},
    {"1p4", "1", "p4"}, {"0x1e5", "485", ""}, {"0xfFp1", "510.0", ""},
    {"1.5.5", "1.5", ".5"}, {"0x1.8.1", "1.5", ".1"}, {"1ee1", "nil", "e1"},
    {"nan", "nil", "nan"}, {"inf", "nil", "inf"},
  }
  for _, case in ipairs(numerals) do
    local file <close> = assert(io.open(name, "w+"))
    file:write(case[1], "|")
    file:seek("set")
    local number, rest = file:read("n"), file:read("a")
    if tostring(number) ~= case[2] or rest ~= case[3] .. "|" then
      print(case[1], number, rest)
    end
  end
  os.remove(name)
  print(#numerals)                                --> 35
end

-- seek and setvbuf
f = io.tmpfile()
print(f:write("hello"):seek(), f:seek("set", 1), f:read(2), f:seek("cur", -1), f:seek("end"))
--> 5 1 el 2 5
print(f:seek("set", -1))                          --> nil Invalid argument 22
print(fails(f.seek, f, "bad"))                    -->~ %(invalid option 'bad'%)$
print(f:setvbuf("no"), f:setvbuf("line"), f:setvbuf("full", 1024), f:flush())
--> true true true true
f:close()

-- lines
write("one\ntwo\nthree")
for l in io.lines(name) do io.write("<", l, ">") end print()
--> <one><two><three>
for l in io.lines(name, "L") do io.write((l:gsub("\n", "/"))) end print()
--> one/two/three
for a, b in io.lines(name, 1, 2) do
  io.write("[", (a:gsub("\n", "/")), ",", ((b or ""):gsub("\n", "/")), "]")
end
print()
--> [o,ne][/,tw][o,/t][h,re][e,]
print(select("#", io.lines(name)), io.type(select(4, io.lines(name))))
--> 4 file
local step = io.lines(name); step(); step(); step()
print(step(), fails(step))                        --> nil file is already closed
f = io.open(name)
for l in f:lines() do io.write(l, " ") end print(io.type(f))
--> one two three file
f:close()
print(fails(f.lines, f))
--> attempt to use a closed file
print(fails(io.lines, "/nonexistent"))
-->~ No such file or directory
print(fails(io.lines, name, table.unpack({}, 1, 251)))
--> bad argument #252 to 'io.lines' (too many arguments)
do  -- a loop that is left early closes its file
  local file = select(4, io.lines(name))
  for l in io.lines(name) do break end
  print(io.type(file))                            --> file
end

-- default files
print(io.input() == io.stdin, io.output() == io.stdout)
--> true true
io.input(name)
print(io.read(), io.read("L") == "two\n", io.read("n"), io.read("a"))
--> one true nil three
print(io.close(io.input()))                       --> true
print(fails(io.read))
--> default input file is closed
io.input(io.stdin)
local out = io.output()
io.output(name); io.write("via default"); io.close()
print(fails(io.write, "x"))
--> default output file is closed
io.output(out)
print(content())                                  --> via default
print(io.output() == io.stdout, io.flush() and true)
--> true true
print(fails(io.input, "/nonexistent"))
-->~ No such file or directory

-- processes; on Windows those that its shell can run
local posix = package.config:sub(1, 1) == "/"
local p = io.popen(posix and "echo one; echo two; exit 3" or "echo one&echo two&exit 3")
print(p:read("a") == "one\ntwo\n", p:close())     --> true nil exit 3
print(io.popen("exit 0"):close())                 --> true exit 0
if posix then
  print(select(2, io.popen("kill -9 $$"):close()))
  p = io.popen("cat > " .. name, "w"); p:write("to a process"); p:close()
  print(content())
else
  print("signal 9\nto a process")
end
--> signal 9
--> to a process
print(fails(io.popen, "true", "rw"))
--> bad argument #2 to 'io.popen' (invalid mode)

-- closing by scope and by the collector
local kept
do local g <close> = io.open(name); kept = g end
print(io.type(kept))                              --> closed file
for i = 1, 300 do io.open(name) end
collectgarbage()
print(io.type(io.open(name)))                     --> file
os.remove(name)
