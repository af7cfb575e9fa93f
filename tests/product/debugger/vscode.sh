#!/bin/sh
# SPDX-License-Identifier: MIT
#
# vscode.sh -- the debugger and the client that VS Code's adapters are tested with
#
#    vscode.sh <penumbra> <folder of this test> <folder to write to>
#
# The client comes from npm, into the folder that PENUMBRA_NPM names, or into the
# folder to write to. If it is not available, the test is skipped.
set -eu
penumbra=$1 here=$2 out=$3
. "$here/../../collector/npm.sh"
need @vscode/debugadapter-testsupport @vscode/debugadapter-testsupport@1.68.0

cp "$here/program.lua" "$out/vscode_program.lua"
node "$here/vscode.cjs" "$npm/node_modules" "$penumbra" \
  "$out/vscode_program.lua"
