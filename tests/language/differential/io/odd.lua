-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: io

local try = dofile("try.lua")

local name = os.tmpname()
local function fresh(text, mode) local f = assert(io.open(name, "w")) f:write(
  text) f:close() return assert(io.open(name, mode or "r")) end
local T =
  "line1\nline2\n\n  12 0x1F -3.5e2 .5 5. 0x.8p1 1e+ nan inf 0x abc\n" ..
  "99999999999999999999 - +7 --3 1e400\nlast"
for _, a in ipairs{-1, 0, 1, 3, 2^31, 2^40, -2^31, 1.0, 1.5, 0/0, "3", "n","*n"
  ,"l","L","a","*a","*l","*L","x","*x","","**","nl","number","*line", {}, true,
  print} do
  local f = fresh(T)
  try("read " .. tostring(a):gsub("0x%x+",""), f.read, f, a)
  f:close()
end
local f = fresh(T);
try("read none", f.read, f)
try("read many", f.read, f, "l", 1, "L", "n", "n", "n","n","n","n","n")
try("rest", f.read, f, "a")
try("eof a", f.read, f, "a")
try("eof l", f.read, f, "l")
try("eof n", f.read, f, "n")
try("eof 0", f.read, f, 0)
try("eof 1", f.read, f, 1)
try("eof L", f.read, f, "L") f:close()
local f = fresh(
  "   0x7fffffffffffffff 0x8000000000000000 9223372036854775807 " ..
  "9223372036854775808 -0 +0 -0x10 1e5 1E+5 0x1p4 12abc 1.2.3 1..2 0xg 00012 "
  ..("1"):rep(199).." "..("1"):rep(201).." 5")
for i = 1, 24 do try("n"..i, f.read, f, "n") end f:close()
local f = fresh("a\r\nb\0c\nd");
try("ctl", f.read, f, "l","l","l","l") f:close()
for _, w in ipairs{"set","cur","end","bad",1,{}} do for _, o in ipairs{0,-1,5,
  1.5,"3","x",2^53,1e300} do local f = fresh("0123456789"); try("seek "..
  tostring(w):gsub("0x%x+","").." "..tostring(o), f.seek, f, w, o) try("after",
  f.read, f, 1) f:close() end end
local f = fresh("x");
try("seek none", f.seek, f) f:close()
try("closed", f.read, f)
try("closed2", f.close, f)
try("closed3", f.seek, f)
try("closed4", f.lines, f)
try("closed5", f.write, f, "x")
try("closed6", f.setvbuf, f, "no")
try("closed7", f.flush, f) print(io.type(f), io.type(io.stdout), io.type(1), io
  .type({}))
try("tostring", tostring, f)
try("type none", io.type)
for _, m in ipairs{"no","full","line","bad",1,{}} do for _, s in ipairs{"x",0,-
  1,1024,1.5} do local f = fresh("x"); try("setvbuf "..tostring(m):gsub("0x%x+"
  ,"").." "..tostring(s), f.setvbuf, f, m, s) f:close() end end
for _, m in ipairs{"r","w","a","r+","w+","a+","rb","wb","ab","r+b","w+b","a+b",
  "br","rw","r++","","x","rb+","R","r ", 1, {}} do try("open "..tostring(m):
  gsub("0x%x+",""), function() local f, e, c = io.open(name, m) if f then f:
  close() end return io.type(f), e and (e:gsub(name:gsub("%p","%%%0"),"NAME")),
  c end) end
try("open missing", io.open, "/nonexistent/x")
try("open dir w", io.open, "/tmp", "w")
try("open nothing", io.open)
try("open num", io.open, 1)
try("open dir r", function() local f = io.open("/tmp") if f then local r =
  table.pack(f:read("a")) f:close() return table.unpack(r, 1, r.n) end end)
try("open dir r1", function() local f = io.open("/tmp") if f then local r =
  table.pack(f:read(1)) f:close() return table.unpack(r, 1, r.n) end end)
try("open dir l", function() local f = io.open("/tmp") for l in f:lines() do
  end end)
try("lines missing", io.lines, "/nonexistent/x")
try("lines bad", io.lines, name, "x")
try("lines many", io.lines, name, table.unpack({}, 1, 251))
try("lines num", io.lines, {})
fresh(T):close()
try("lines n", function() local r = {} for a, b in io.lines(name, 1, "n") do r[
  #r+1] = tostring(a)..":"..tostring(b) if #r > 5 then break end end return
  table.concat(r, " ") end)
try("lines L", function() local r = {} for a in io.lines(name, "L") do r[#r+1]
  = a end return table.concat(r, "|") end)
try("lines 0", function() local n = 0 for a in io.lines(name, 0) do n = n + 1
  if n > 10 then break end end return n end)
try("lines a", function() local n = 0 for a in io.lines(name, "a") do n = n + 1
  if n > 3 then break end end return n end)
try("lines -1", function() local n = 0 for a in io.lines(name, -1) do n = n + 1
  if n > 3 then break end end return n end)
try("lines closed", function() local f = io.open(name) local it = f:lines() f:
  close() return it() end)
try("lines twice", function() local it = io.lines(name) while it() do end
  return it() end)
try("lines ret", function() local a, b, c, d = io.lines(name) return type(a), b
  , c, io.type(d) end)
try("flines ret", function() local f = io.open(name) local a, b, c, d = f:lines
  () return type(a), b, c, d end)
try("write args", function() local f = io.open(name, "w") return f:write(1, " "
  , 2.5, " ", -0.0, " ", 1e100, " ", 1/0, "x") == f, f:close() end)
try("written", function() local f = io.open(name) return f:read("a") end)
try("write bad", function() local f = io.open(name, "w") return f:write("a", {}
  , "b") end)
try("write bool", function() local f = io.open(name, "w") return f:write(true)
  end)
try("write nil", io.write, nil)
try("write to r", function() local f = io.open(name, "r") return f:write("x")
  end)
try("read from w", function() local f = io.open(name, "w") return f:read("a")
  end)
try("read from w l", function() local f = io.open(name, "w") return f:read("l")
  end)
try("read from w n", function() local f = io.open(name, "w") return f:read("n")
  end)
try("read from w 0", function() local f = io.open(name, "w") return f:read(0)
  end)
try("full", function() local f = io.open("/dev/full", "w") f:setvbuf("no")
  return f:write("x") end)
try("full close", function() local f = io.open("/dev/full", "w") f:write("x")
  return f:close() end)
try("full flush", function() local f = io.open("/dev/full", "w") f:write("x")
  return f:flush() end)
try("input none", function() return io.type(io.input()) end)
try("input missing", io.input, "/nonexistent/x")
try("input bad", io.input, {})
try("output bad", io.output, {})
try("output missing", io.output, "/nonexistent/x")
try("input num", io.input, 1)
try("input file", function() fresh("abc\ndef"):close() local old = io.input()
  io.input(name) local r = io.read("l") local s = io.read("n") local x = io.
  lines()() io.close(io.input()) io.input(old) return r, s, x end)
try("closed default", function() local old = io.input() io.input(name) io.close
  (io.input()) local ok, e = pcall(io.read) io.input(old) return ok, e end)
try("closed default out", function() local old = io.output() io.output(name) io
  .close() local ok, e = pcall(io.write, "x") local ok2, e2 = pcall(io.close)
  io.output(old) return ok, e, ok2, e2 end)
try("popen mode", io.popen, "true", "x")
try("popen mode2", io.popen, "true", "rw")
try("popen none", io.popen)
try("popen read", function() local p = io.popen("echo hi; exit 3") local s = p:
  read("a") return s, p:close() end)
try("popen sig", function() local p = io.popen("kill -9 $$") return p:close()
  end)
try("popen write", function() local p = io.popen("cat >/dev/null", "w") p:write
  ("x") return p:close() end)
try("popen tostring", function() local p = io.popen("true") local s = tostring(
  p) p:close() return s, tostring(p) end)
try("tmpfile", function() local f = io.tmpfile() f:write("abc") f:seek("set")
  return f:read("a"), io.type(f) end)
try("index", function() return io.stdout.foo end)
try("index2", function() return io.stdout.read == getmetatable(io.stdout).
  __index.read end)
try("mt", function() local r = {} for k in pairs(getmetatable(io.stdout)) do r[
  #r+1] = k end table.sort(r) return table.concat(r, ",") end)
try("methods", function() local r = {} for k in pairs(getmetatable(io.stdout).
  __index) do r[#r+1] = k end table.sort(r) return table.concat(r, ",") end)
try("self", io.stdout.read)
try("self2", io.stdout.write, 1, 2)
try("self3", io.stdout.close, {})
try("gc", getmetatable(io.stdout).__gc, 1)
try("tostr", getmetatable(io.stdout).__tostring, 1)
try("close none", function() return io.close(io.open(name)) end)
try("close bad", io.close, 1)
try("remove", os.remove, "/nonexistent/x")
try("rename", os.rename, "/nonexistent/x", "/nonexistent/y")
try("remove dir", os.remove, "/proc")
try("remove none", os.remove)
try("rename none", os.rename, "x")
os.remove(name)
