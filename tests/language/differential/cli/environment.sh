# SPDX-License-Identifier: MIT
# LUA_INIT, LUA_PATH and their versions.
mkdir dir && echo 'return "dir/m"' > dir/m.lua && echo 'print("init file")' > init.lua
LUA_INIT='print("init")' lua -e 'print(1)'
LUA_INIT_5_4='print("init 5.4")' LUA_INIT='print("init")' lua -e 'print(1)'
LUA_INIT=@init.lua lua -e 'print(1)'
LUA_INIT='print("init")' lua -E -e 'print(1)'
LUA_INIT='x =' lua -e 'print(1)'; echo "status $?"
LUA_INIT='error("in init")' lua -e 'print(1)'; echo "status $?"
LUA_INIT=@nofile.lua lua -e 'print(1)'; echo "status $?"
LUA_INIT= lua -e 'print(1)'
LUA_INIT='arg0 = arg[0]' lua -e 'print(arg0)'
LUA_PATH='./dir/?.lua' lua -e 'print(package.path) print(require "m")'
LUA_PATH_5_4='./dir/?.lua' LUA_PATH='./x/?.lua' lua -e 'print(package.path)'
LUA_PATH='./dir/?.lua;;' lua -e 'print(package.path:match("^./dir/%?.lua;") ~= nil, #package.path > 20)'
LUA_PATH=';;./dir/?.lua' lua -e 'print(package.path:match(";./dir/%?.lua$") ~= nil)'
LUA_PATH='a;;b' lua -e 'print(package.path:match("^a;.*;b$") ~= nil)'
LUA_PATH=';;' lua -e 'local p = package.path print(p:match("^;"), p:match(";$"))'
LUA_CPATH='./c/?.so' lua -e 'print(package.cpath)'
LUA_CPATH_5_4='./d/?.so' LUA_CPATH='./c/?.so' lua -e 'print(package.cpath)'
LUA_PATH='./dir/?.lua' lua -E -e 'print(package.path == "./dir/?.lua")'
