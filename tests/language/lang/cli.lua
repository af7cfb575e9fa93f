-- SPDX-License-Identifier: MIT
-- The command line (manual, 7)

local lua = arg[-1]
local function run(line, input)
  local command = "{ " .. line:gsub("%$lua", "'" .. lua .. "'") .. "; } 2>&1"
  if input then command = "printf '%s' '" .. input:gsub("'", "'\\''") .. "' | " .. command end
  local p <close> = assert(io.popen(command))
  local text = p:read("a")
  local _, how, code = p:close()
  text = text:gsub(lua:gsub("%p", "%%%0"), "lua"):gsub("%s+$", ""):gsub("\n", " / ")
  print((text .. (code ~= 0 and " [" .. how .. " " .. code .. "]" or "")))
end
local script = os.tmpname()
local function write(text) local f <close> = assert(io.open(script, "w")); f:write(text) end

-- -e, -l, scripts and arguments
run([[$lua -e "print(1)" -e "x = 2" -e "print(x)"]])          --> 1 / 2
run([[$lua -e"print(1)"]])                                    --> 1
write("print(..., #arg, arg[0] ~= nil, arg[-1] ~= nil)")
run("$lua " .. script .. " a b")                              --> a 2 true true
write("print(select('#', ...), ...)")
run("$lua " .. script .. " a '' b")                           --> 3 a  b
run("$lua -- " .. script .. " -e x")                          --> 2 -e x
run("$lua -lstring -l m=math -e 'print(m.max(1, 2))'")        --> 2
run("$lua -l nosuchmodule 2>&1 | head -1")
-->~ ^lua: module 'nosuchmodule' not found:

-- Settings of debug builds; a wrong one is reported, and the program goes on.
run("PENUMBRA_GC=nonsense $lua -e 'print(1)'")                -->~ ^[%a_:' /]*1$

-- The value of an option is not an option itself, whatever it looks like.
if lua:find("penumbra") then
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. folder)
  write("print('ran')")
  local wrong = 0
  local function try(options)
    local p <close> = assert(io.popen(("cd %s && '%s' %s %s 2>/dev/null"):format(
      folder, lua:find("^/") and lua or io.popen("pwd"):read() .. "/" .. lua, options, script)))
    if p:read("a") ~= "ran\n" then wrong = wrong + 1 print(options) end
  end
  for _, option in ipairs {"--trace", "--profile", "--profile-alloc", "--report"} do
    for _, value in ipairs {"re.x", "xl", "xW", "./e", "-e", "-lx", "-W", "--e"} do
      try(option .. " " .. value)
      try(option .. "=" .. value)
    end
  end
  try("--why re") try("--why _ENV") try("--why 'l'") try("--max-time 1e3")
  try("--max-time 1e3s") try("--max-memory 9000000 --max-time 5e1")
  try("--max-time 1e3 -e 'x = 1' --report re.html --max-memory 9000000")
  os.execute("rm -r " .. folder)
  print(wrong)
else
  print(0)
end
--> 0

-- stdin
run("$lua -", "print('from stdin', ...)")                     --> from stdin
run("$lua - x y", "print(...)")                               --> x y
run("$lua", "print(1)\nprint(2)")                            --> 1 / 2

-- versions, help, wrong options
run("$lua -v")
-->~ Lua 5%.4.*PUC%-Rio$
run("$lua -v -e 'print(1)' | tail -1")                        --> 1
run("$lua -z 2>&1 | head -1")
--> lua: unrecognized option '-z' (try 'lua --help')
run("$lua -e")
--> lua: '-e' needs argument (try 'lua --help') [exit 1]
run("$lua -l 2>&1 | head -1")
--> lua: '-l' needs argument (try 'lua --help')
run("$lua -vv")
--> lua: unrecognized option '-vv' (try 'lua --help') [exit 1]
run("$lua --version -e 'print(1)'")
-->~ ^Penumbra [%d.]+ %(Lua 5%.4%.%d+%)  Lua is a language by Lua.org, PUC%-Rio$

-- errors and exit codes
run("$lua -e 'error(\"msg\", 0)'")
-->~ ^lua: msg / stack traceback: / .*%[exit 1%]$
run("$lua -e 'error({})'")
-->~ ^lua: %(error object is a table value%).*%[exit 1%]$
run("$lua -e 'error(setmetatable({}, {__tostring = function() return \"text\" end}))'")
--> lua: text [exit 1]
run("$lua -e 'x = = 1'")
--> lua: (command line):1: unexpected symbol near '=' [exit 1]
run("$lua /nonexistent.lua")
--> lua: cannot open /nonexistent.lua: No such file or directory [exit 1]
run("$lua -e 'os.exit(3)'")                                   -->  [exit 3]
run("$lua -e 'os.exit(false)'")                               -->  [exit 1]
run("$lua -e 'os.exit(true, true)'")                          -->
write("local function f() error('deep') end\nlocal function g() f() end\ng()")
run("$lua " .. script .. " 2>&1 | sed 's,/[^ ]*lua_[^:>]*,FILE,g'")
--> lua: FILE:1: deep / stack traceback: /  [C]: in function 'error' /  FILE:1: in upvalue 'f' /  FILE:2: in local 'g' /  FILE:3: in main chunk /  [C]: in ?

-- environment
run([[LUA_INIT='x = 5' $lua -e 'print(x)']])                  --> 5
run([[LUA_INIT='x = 5' LUA_INIT_5_4='x = 6' $lua -e 'print(x)']])  --> 6
run([[LUA_INIT='x = 5' $lua -E -e 'print(x)']])               --> nil
write("y = 'init file'")
run("LUA_INIT=@" .. script .. " $lua -e 'print(y)'")          --> init file
run([[LUA_INIT='error("bad init", 0)' $lua -e 'print(1)' 2>&1 | head -1]])
--> lua: bad init
run([[LUA_PATH='a;;b' $lua -e 'print(package.path:sub(1, 2), package.path:sub(-2))']])
--> a; ;b
run([[LUA_PATH='x' LUA_PATH_5_4='y' $lua -e 'print(package.path)']])   --> y
run([[LUA_CPATH='c' $lua -e 'print(package.cpath)']])         --> c
run([[LUA_PATH='x' $lua -E -e 'print(package.path ~= "x")']]) --> true

-- warnings
run("$lua -W -e 'warn(\"a\", \"b\")'")
--> Lua warning: ab
run("$lua -e 'warn(\"no\") warn(\"@on\") warn(\"yes\")'")
--> Lua warning: yes
run("$lua -W -e 'setmetatable({}, {__gc = function() error(\"E\", 0) end}) collectgarbage()'")
--> Lua warning: error in __gc (E)

-- interactive
local quiet = [[-e "_PROMPT, _PROMPT2 = '', ''" -i 2>&1 | tail -n +2 | grep -v '^[^0-9(]*$' ]]
run("$lua " .. quiet, "return 41 + 1\n")                      -->~ 42
run([[$lua -i -e "print = nil" 2>&1 | grep -c "error calling 'print'"]], "10\n")
--> 1
run([[$lua -i 2>&1 | grep -c 'attempt to call']], "nosuch()\n1\n")     --> 1
run([[$lua -i 2>&1 | grep -c 'sum 3']], "a = 1 +\n2\nprint('sum ' .. a)\n")
--> 1
os.remove(script)
