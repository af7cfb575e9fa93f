#!/bin/sh
# SPDX-License-Identifier: MIT
#
# perf.sh PENUMBRA -- the names of machine code that perf reads
#
# They are written if they are asked for, and only then, and not through a link.
set -eu
program='local function hot(n) local s = 0 for i = 1, n do s = s + i end return s end
for i = 1, 100 do hot(100) end'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\n' "$program" > "$folder/hot.lua"

# Runs the program with a setting; the process keeps the number of the shell.
# Sets `map` to the name of its file.
run() {
  pid=$(SETTING="$1" LINK="${2-}" sh -c '
    [ -z "$LINK" ] || ln -s "$LINK" "/tmp/perf-$$.map"
    echo $$; PENUMBRA_MACHINE=$SETTING exec "$0" "$1"' "$penumbra" "$folder/hot.lua")
  map=/tmp/perf-$pid.map
}

penumbra=$1
run count 2> /dev/null
[ ! -e "$map" ] || { echo "$map was not asked for"; exit 1; }

run perf
lines=$(grep -c "^[0-9a-f]* [0-9a-f]* lua $folder/hot.lua:1, line 1\$" "$map" || true)
rm -f "$map"
[ "$lines" -gt 0 ] || { echo "no piece has a name"; exit 1; }

run perf "$folder/elsewhere"
rm -f "$map"
[ ! -e "$folder/elsewhere" ] || { echo "written through a link"; exit 1; }
echo "$lines names"
