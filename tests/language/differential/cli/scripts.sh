# SPDX-License-Identifier: MIT
# Script files: shebang, binary chunks, byte order mark, results, deep trees.
printf '#!/usr/bin/env lua\nprint("shebang", debug.getinfo(1, "l").currentline)\n' > a.lua; lua a.lua
printf '\357\273\277print("bom")\n' > b.lua; lua b.lua
printf '\357\273\277#!x\nprint("both")\n' > c.lua; lua c.lua
lua -e 'io.open("d.luac", "wb"):write(string.dump(load("print(\"binary\", ...)", "@d.lua"))):close()'; lua d.luac 1 2
lua -e 'io.open("e.luac", "wb"):write(string.dump(load("error(\"binary\")", "@d.lua"))):close()'; lua e.luac; echo "status $?"
lua -e 'io.open("f.luac", "wb"):write(string.dump(load("error(\"stripped\")", "@d.lua"), true)):close()'; lua f.luac; echo "status $?"
printf '\033Luagarbage' > g.luac; lua g.luac 2>&1 | sed 's/:.*/:/'; echo "status $?"
printf '#' > h.lua; lua h.lua; echo "status $?"
printf '#no newline' > i.lua; lua i.lua; echo "status $?"
: > empty.lua; lua empty.lua; echo "status $?"
echo 'return 1, 2' > r.lua; lua r.lua; echo "status $?"
echo 'x = = 1' > s.lua; lua s.lua; echo "status $?"
printf 'local a\n\n\nlocal b = a.x' > l.lua; lua l.lua; echo "status $?"
mkdir 'dir with space' && echo 'print("space", arg[0])' > 'dir with space/x.lua' && lua 'dir with space/x.lua'
lua .; echo "status $?"
printf 'print("cr")\r\nprint("lf")\r\n' > crlf.lua; lua crlf.lua
printf 'local t = setmetatable({}, {__gc = function() print("finalized at exit") end})\n' > gc.lua; lua gc.lua
printf 'local t <close> = setmetatable({}, {__close = function() print("closed at exit") end})\nprint("end")' > tbc.lua; lua tbc.lua
printf 'coroutine.wrap(function() error("in coroutine") end)()' > co.lua; lua co.lua; echo "status $?"
printf 'local function f() f() end f()' > nil.lua; lua nil.lua; echo "status $?"
printf 'local function f() return 1 + f() end f()' > so.lua; lua so.lua 2>&1 | sed 's/(.*//' | head -n 3; lua so.lua 2> /dev/null; echo "status $?"
