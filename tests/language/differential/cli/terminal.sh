# SPDX-License-Identifier: MIT
# On a terminal there is a dialogue without any option. What a line editor shows
# depends on the moment a key is pressed, and the last of it may be lost when the
# program ends, so results go to a file.
cat > session <<'END'
f = io.open("results", "w")
function out(...) f:write(table.concat({...}, " "), "\n") end
out(arg[0], #arg, tostring(arg[-1]))
out(_PROMPT == nil and "no prompt set" or "prompt set")
for i = 1, 2 do
out("loop", i)
end
x =
5
out(x)
error("caught by the dialogue")
out("goes on")
local gone = 1
out(type(gone))
f:close()
os.exit(7)
END
say() { printf '%s\n' "$1"; }
terminal() { # input, command
  script -qec "$2" /dev/null < "$1" > shown; echo "$2: status $?"
}
terminal session lua; cat results
terminal session 'lua -e x=9'; cat results 2> /dev/null
# The key that ends the input is pressed again and again: it has no effect in
# the moments in which the line editor has not taken over the terminal.
rm results
{ say 'io.open("results", "w"):write("one line\n"):close()'
  while [ ! -e over ]; do printf '\004'; sleep 0.1; done
} | { terminal /dev/stdin lua; : > over; }
cat results
say 'io.open("results", "w"):write(table.concat({...}, " "), "\n"):close()' > s.lua
terminal session 'lua s.lua a b'; cat results
say 'io.open("ran", "w"):write("script\n"):close()' > s.lua
terminal session 'lua -i s.lua'; cat ran results
terminal session 'lua -v -i'; tail -n 2 results
terminal session 'lua -'; tail -n 2 results
