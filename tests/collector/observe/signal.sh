#!/bin/sh
# SPDX-License-Identifier: MIT
#
# signal.sh -- penumbra --snapshot-on USR1 writes a snapshot while a program runs,
# also after one that failed
#
#    signal.sh <penumbra> <folder of the snapshot tests> <folder to write to>
set -eu
penumbra=$1 check=$2 out=$3/signal
rm -rf "$out"
mkdir -p "$out"
cd "$out"
cat >program.lua <<'PROGRAM'
local list, x = {}, 0
for i = 1, 1000 do list[i] = {i} end
io.open("ready", "w"):close()
local stop = os.time() + 20
while not io.open("done") and os.time() < stop do
  for i = 1, 100000 do x = x + 1 end        -- allocates next to nothing
end
PROGRAM
"$penumbra" --snapshot-on USR1 program.lua 2>errors &
program=$!
i=0
while [ ! -e ready ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
mkdir "penumbra-$program-1.heapsnapshot" # the first one cannot be written
kill -USR1 $program
i=0
while ! grep -q heapsnapshot errors && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
kill -USR1 $program
i=0
while ! grep -q objects errors && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
touch done
wait $program
"$penumbra" -e "dofile('$check/check.lua')('penumbra-$program-2.heapsnapshot')"
cat errors
