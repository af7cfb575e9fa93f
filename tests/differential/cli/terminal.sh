# SPDX-License-Identifier: MIT
# On a terminal there is a dialogue without any option. What a line editor shows
# depends on the moment a key is pressed, so results go to a file.
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
terminal() { # input, command
  script -qec "$2" /dev/null < "$1" > shown; echo "$2: status $?"
}
terminal session lua; cat results
terminal session 'lua -e x=9'; cat results 2> /dev/null
printf '1+1\n\004' > eof
terminal eof lua
grep -c 'caught by the dialogue' shown
echo 'print(...)' > s.lua
terminal session 'lua s.lua a b'; tr -d '\r' < shown | grep -x "$(printf 'a\tb')"
echo 'io.open("results", "a"):write("script\n")' > s.lua
terminal session 'lua -i s.lua'; cat results
terminal session 'lua -v -i'; tail -n 2 results
terminal session 'lua -'; tail -n 2 results
