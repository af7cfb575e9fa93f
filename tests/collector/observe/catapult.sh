#!/bin/sh
# SPDX-License-Identifier: MIT
#
# catapult.sh -- the importer of chrome://tracing reads our traces
#
#    catapult.sh <penumbra> <folder of this test> <folder to write to>
#
# The importer comes from npm, into the folder that PENUMBRA_NPM names, or into
# the folder to write to. If it is not available, the test is skipped.
set -eu
penumbra=$1 here=$2 out=$3
. "$here/../npm.sh"
need traceviewer traceviewer@1.0.11

"$penumbra" --trace "$out/catapult.json" -e '
  local gc, keep = require "penumbra.gc", {}
  for frame = 1, 100 do
    gc.mark("frame")
    for i = 1, 5000 do keep[i] = {{}} end
  end
  collectgarbage()'
steps=$(grep -c '"name":"step"' "$out/catapult.json")
node "$here/catapult.cjs" "$npm/node_modules" "$out/catapult.json" "$steps"
