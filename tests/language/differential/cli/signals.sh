# SPDX-License-Identifier: MIT
# What an interrupt and a closed pipe do.
cat > loop.lua <<'END'
io.stdout:setvbuf "no"
print "ready"
while true do end
END
: > out
lua loop.lua > out 2> err & pid=$!
while ! grep -q ready out; do sleep 0.02; done
kill -INT $pid; wait $pid; echo "status $?"; cat out; sed 's/:.*: interrupted/: interrupted/' err | head -n 1
cat > caught.lua <<'END'
io.stdout:setvbuf "no"
local ok, message = pcall(function()
  print "ready"
  while true do end
end)
print(ok, (message:gsub("^.-:%d+: ", "")))
END
: > out; lua caught.lua > out 2> err & pid=$!
while ! grep -q ready out; do sleep 0.02; done
kill -INT $pid; wait $pid; echo "status $?"; cat out err
cat > table.lua <<'END'
io.stdout:setvbuf "no"
print "ready"
local t = {}
while true do for i = 1, 100 do t[i] = {i, tostring(i)} end end
END
: > out; lua table.lua > out 2> err & pid=$!
while ! grep -q ready out; do sleep 0.02; done
kill -TERM $pid; wait $pid 2> /dev/null; echo "status $?"
