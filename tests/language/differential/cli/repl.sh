# SPDX-License-Identifier: MIT
# Interactive mode with piped input: values, incomplete lines, errors.
i() { printf "$1" | lua -i 2>&1; echo "status $?"; }
i '1 + 1\n'
i '"string"\n{}\nnil\ntrue\nprint\n'
i '= 5\n=5, 6\n= x\n'
i 'x = 5\nx\nx, x + 1\n'
i 'return 1, 2, 3\n'
i 'print("p")\n'
i 'for i = 1, 2 do\nprint(i)\nend\n'
i 'function f(a)\nreturn a * 2\nend\nf(21)\n'
i 'x = [[\nlong\nstring]]\n#x\n'
i 'local a = 1\na\n'
i 'error("message")\n1\n'
i 'error({})\n'
i 'error()\n'
i 'error(setmetatable({}, {__tostring = function() return "obj" end}))\n'
i 'x = \n\n5\nx\n'
i 'f(\n1\n)\n'
i '1 +'
i 'syntax error here\n1\n'
i 'end\n'
i ')\n1\n'
i '-- comment\n\n  \n1\n'
i 'do local x = 1\nprint(x) end\n'
i 'goto x\n'
i '::l::\n'
i 'os.exit(3)\n'
i 'io.write("no newline")\n'
i 'nil\n'
i ';\n'
i ''
i '_PROMPT = "prompt> "\n1\n_PROMPT2 = "more> "\nprint(\n2)\n'
i '_PROMPT = 5\n1\n'
i '_PROMPT = setmetatable({}, {__tostring = function() return "T> " end})\n1\n'
i 'print = nil\n1\n'
i 'print = function(...) io.write("custom ", ..., "\\n") end\n1\n'
i 'tostring = nil\n1\n'
i 'coroutine.yield()\n'
i 'function g() error("in g") end\ng()\n'
i 'local t = nil; t.x = 1\n'
i '...\n'
i 'a.b.c\n'
i 'return\n'
i 'return nil\n'
i 'a = 1; b = 2\na; b\n'
i 'a = 1 b = 2\na b\n'
i 'warn("@on")\nwarn("x")\n'
echo 'y = 7 print("script ran")' > s.lua
printf 'y\n' | lua -i s.lua 2>&1
printf 'y\n' | lua -i -e 'y = 8' 2>&1
echo 'error("script failed") ' > bad.lua
printf '1\n' | lua -i bad.lua 2>&1; echo "status $?"
printf '1\n' | lua -i -e 'x =' 2>&1; echo "status $?"
printf '#!/bin/lua\n1\n' | lua -i 2>&1
printf '1\n2' | lua -i 2>&1
