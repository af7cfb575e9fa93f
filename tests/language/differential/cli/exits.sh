# SPDX-License-Identifier: MIT
# The exit status for every way to end, and what is written then.
t() { lua -e "$1"; echo "status $?"; }
t 'os.exit()'; t 'os.exit(0)'; t 'os.exit(1)'; t 'os.exit(200)'; t 'os.exit(-2)'; t 'os.exit(1.0)'; t 'os.exit(true, true)'; t 'os.exit(false, true)'
t 'error()'; t 'error(nil)'; t 'error("x", 0)'; t 'error(5)'; t 'error({code = 2})'; t 'error(setmetatable({}, {__tostring = function() return "T" end}))'; t 'error(false)'
t 'local x <close> = setmetatable({}, {__close = function(_, e) print("close", e) end}) error("e")'
t 'setmetatable({}, {__gc = function() error("gc") end})'
t 'setmetatable({}, {__gc = function() os.exit(9) end})'
t 'io.write("partial") error("e")'
t 'io.stdout:write("a"):write("b") os.exit(3, true)'
t 'io.popen("exit 4"):close() os.exit(select(3, os.execute("exit 4")))'
t 'string.rep("x", -1)()'
t 'return 7'
t 'goto nowhere'
