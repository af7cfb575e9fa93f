#!/bin/sh
# SPDX-License-Identifier: MIT
#
# listing.sh PENUMBRAC -- machine code beside instructions and lines
set -eu
penumbrac=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/hot.lua" <<'END'
local function cold() return 1 end
local function hot(n)
  local s = 0
  for i = 1, n do
    s = s + i
  end
  do
    local kept <close> = nil
    s = s + 1
  end
  return s
end
for i = 1, 1000 do hot(10) end
print(hot(9), cold(), ...)
END
"$penumbrac" --machine "$folder/hot.lua" one two > "$folder/out"

# expect WHAT PATTERN: a line of the listing
expect() {
  grep -q "$2" "$folder/out" || { echo "no $1: $2"; cat "$folder/out"; exit 1; }
}
expect "output of the program" '^46	1	one	two$'
expect "cold function" '^function at line 1: no machine code$'
expect "hot function" '^function at line 2: machine code'
expect "counter of entries" '^  piece at [0-9]*, entered [1-9][0-9]* times$'
expect "line of the program" '^    line 5:     s = s + i$'
expect "instruction" '^ *[0-9]*  ADD_RR'
expect "machine code" '^ *| [0-9a-f]*$'
PENUMBRA_MACHINE=once "$penumbrac" --machine "$folder/hot.lua" > "$folder/out"
expect "counter of exits" 'TBC.*; left [1-9][0-9]* times so far: never has machine code$'
PENUMBRA_MACHINE=off "$penumbrac" --machine "$folder/hot.lua" > "$folder/out"
expect "reason" '^no machine code: .*PENUMBRA_MACHINE=off'
