#!/bin/sh
# SPDX-License-Identifier: MIT
#
# panel.sh -- the Memory panel of Chrome's DevTools shows our snapshots
#
#    panel.sh <penumbra> <folder of this test> <folder to write to>
#
# puppeteer-core comes from npm, into the folder that PENUMBRA_NPM names, or into
# the folder to write to. Without it or Chromium, the test is skipped.
set -eu
penumbra=$1 here=$2 out=$3
. "$here/../npm.sh"
browser=$(command -v chromium) || skip "chromium is not installed"
need puppeteer-core puppeteer-core@24

"$penumbra" "$here/panel.lua" "$out"
node "$here/panel.cjs" "$npm/node_modules" "$browser" "$out"
