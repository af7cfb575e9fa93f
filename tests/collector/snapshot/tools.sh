#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools.sh -- other tools read our snapshots
#
#    tools.sh <penumbra> <folder of this test> <folder to write to>
#
# DevTools' code (heap-snapshot-toolkit) and memlab come from npm, into the folder
# that PENUMBRA_NPM names, or into the folder to write to. If they are not
# available, the test is skipped.
set -eu
penumbra=$1 here=$2 out=$3
. "$here/../npm.sh"
need memlab heap-snapshot-toolkit@1.1.3 memlab@2.0.5

set -- $("$penumbra" "$here/tools.lua" "$here" "$out")
bytes=$1 nodes=$2 id=$3 retained=$4 key=$5
node "$here/devtools.mjs" "$npm/node_modules/heap-snapshot-toolkit/index.js" \
  "$out/first.heapsnapshot" "$out/second.heapsnapshot" \
  "$bytes" "$nodes" "$id" "$retained" "$key"

node "$here/memlab.cjs" "$npm/node_modules" "$out/second.heapsnapshot" \
  "$id" "$retained" >"$out/memlab.log" 2>&1 || {
    tail -20 "$out/memlab.log"
    exit 1
  }
tail -1 "$out/memlab.log"
