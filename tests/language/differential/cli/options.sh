# SPDX-License-Identifier: MIT
# Every option of the command line, right and wrong, with its exit status.
t() { echo "\$ lua $*"; lua "$@"; echo "status $?"; }
echo 'print("script", ...) return 5' > script.lua
echo 'return {name = ...}' > mod.lua
echo 'g_loaded = true return "value of m2"' > m2.lua
t -e 'print(1)'
t -e'print(2)'
t -e 'a = 1' -e 'print(a)'
t -e
t -e -i
t -e 'x ='
t -e 'error("e")'
t -e 'error({})'
t -e 'return 5'
t -e ''
t -l mod -e 'print(mod.name)'
t -lmod -e 'print(mod.name)'
t -l x=mod -e 'print(x.name, mod)'
t -l m2 -e 'print(m2, g_loaded)'
LUA_PATH='./?.lua' LUA_CPATH='./?.so' t -l nomodule
t -l
t -l string -e 'print(string == package.loaded.string)'
t -v -e 'print(1)'
t -W -e 'warn("w")'
t -e 'warn("w")'
t -W -e 'warn("@off") warn("w")'
t -E -e 'print(package.path ~= nil)'
t -x
t -vx
t -ex
t -- script.lua a
t --versio
t -i- 
t script.lua
t script.lua a b c
t script.lua -e x
t -e 'print("first")' script.lua arg
t nofile.lua
t -W script.lua -v
t -
t - a b < script.lua
t < script.lua
t -e 'print(arg[0], arg[1], arg[-1], #arg)'
t -e 'os.exit(7)'
t -e 'os.exit(true)' script.lua
t '' a
t -i < /dev/null
t -v
t -vv
t -WW
t -E -W -v script.lua
