#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pprof.sh -- Go's pprof reads our profiles, and finds the totals we do
#
#    pprof.sh <penumbra> <folder of this test> <folder to write to>
#
# If go is not installed, the test is skipped.
set -eu
penumbra=$1 here=$2 out=$3
command -v go >/dev/null || { echo "SKIPPED: go is not installed"; exit 77; }

totals=$("$penumbra" "$here/pprof.lua" "$out")

# total FILE TYPE: the sum of that type over all samples, as pprof reads them.
total() {
  go tool pprof -raw "$1" 2>/dev/null | awk -v type="$2" '
    /^Locations/ { exit }
    samples == 2 { sub(/:.*/, ""); sum += $column }
    samples == 1 { for (i = 1; i <= NF; i++) if (index($i, type "/") == 1) column = i
                   samples = 2 }
    /^Samples:/ { samples = 1 }
    END { printf "%d", sum }'
}

for line in $totals; do
  file=${line%%:*} rest=${line#*:} type=${rest%%:*} expected=${rest#*:}
  found=$(total "$out/$file" "$type")
  if [ "$found" != "$expected" ]; then
    echo "$file: pprof finds $found of $type, we $expected"
    exit 1
  fi
  echo "$file: $found $type"
done
go tool pprof -top -lines "$out/time.pb" 2>/dev/null | grep -q 'busy .*pprof.lua:' || {
  echo "pprof does not name the line of the function 'busy'"
  exit 1
}
