#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cost.sh -- a breakpoint in another function costs nothing
#
#    cost.sh <everywhere> <folder of this test> <folder to write to>
#
# Counts the processor's instructions, by callgrind: with a breakpoint in a
# function that is not called, and without one. Setting it takes some, too.
set -eu
everywhere=$1 here=$2 out=$3
command -v valgrind >/dev/null || { echo "SKIPPED: no valgrind"; exit 77; }

count() {
  EVERYWHERE=$1 valgrind --tool=callgrind --callgrind-out-file="$out/cost.$1" \
    "$everywhere" "$here/cost.lua" 2>&1 | sed -n 's/.*Collected : //p'
}

without=$(count none)
with=$(count 2)
everywhere_too=$(count all)
echo "no breakpoint $without, one elsewhere $with, everywhere $everywhere_too"
[ "$((with - without))" -lt "$((without / 1000))" ] || {
  echo "FAILED: a breakpoint elsewhere costs more than 0.1 %"; exit 1; }
[ "$everywhere_too" -gt "$((with * 2))" ] || {
  echo "FAILED: breakpoints that are met should be seen"; exit 1; }
