# SPDX-License-Identifier: MIT
# The table `arg` and the script's varargs.
cat > show.lua <<'END'
local keys = {}
for k in pairs(arg) do keys[#keys + 1] = k end
table.sort(keys)
for i, k in ipairs(keys) do keys[i] = k .. "=" .. arg[k] end
print(table.concat(keys, " "))
print(select("#", ...), ...)
END
lua show.lua
lua show.lua a "b c" '' -x
lua -W show.lua a
lua -e 'x = 1' -W show.lua a b
lua -- show.lua a
lua - a b < show.lua
lua -e 'x = 1' - a < show.lua
cat show.lua | lua
lua -i show.lua a < /dev/null 2>&1
lua -e 'arg = nil' show.lua; echo "status $?"
lua -e 'arg = {"changed"}' show.lua x; echo "status $?"
lua -e 'table.insert(arg, "more")' show.lua x; echo "status $?"
