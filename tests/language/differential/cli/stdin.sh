# SPDX-License-Identifier: MIT
# Programs from standard input, and programs that read it.
echo 'print("from stdin")' | lua; echo "status $?"
echo 'print("from stdin", ...)' | lua - a b; echo "status $?"
printf '#!shebang\nprint("after shebang")' | lua -; echo "status $?"
printf '# comment line\nerror("line two")' | lua -; echo "status $?"
echo 'x =' | lua -; echo "status $?"
echo 'error("x")' | lua; echo "status $?"
echo 'return 1' | lua; echo "status $?"
: | lua; echo "status $?"
printf 'one\ntwo\n3 4.5\nrest\nof it' | lua -e 'print(io.read()) print(io.read("L")) print(io.read("n", "n")) print(io.read("l")) print(io.read("a")) print(io.read("l"))'
printf 'a\nb\nc' | lua -e 'for l in io.lines() do io.write("<", l, ">") end print()'
printf 'abc' | lua -e 'print(io.read(1), io.read(5), io.read(1), io.read(0))'
printf 'print(1)\nprint(io.read("l"))\nunread line' > s.lua; echo 'input line' | lua s.lua; echo "status $?"
printf 'local x = io.read()\nprint("got", x)\nfrom the same stream' | lua - 2>&1; echo "status $?"
lua -e 'io.stdin:close() print(pcall(io.read))' < /dev/null
lua -e 'print(io.read("n"))' < /dev/null
printf '\033Lua' | lua - 2>&1; echo "status $?"
lua -e 'io.write("no newline")'; echo; lua -e 'io.stdout:close() print("x")' 2>&1; echo "status $?"
lua -e 'print(("x"):rep(100000))' | head -c 10; echo
lua -e 'io.stderr:write("e") io.write("o")' 2>/dev/null; echo
lua -e 'os.exit(io.write("x") and 3)'; echo " status $?"
