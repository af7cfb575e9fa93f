#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sandbox.sh PENUMBRA -- a program that is not trusted has no machine code
set -eu
program='local s = 0 for i = 1, 1e6 do s = s + i end print(s)'
lines() {
  PENUMBRA_MACHINE=count "$penumbra" "$@" -e "$program" 2>&1 | grep -c '^machine code: '
}
penumbra=$1
[ "$(lines)" = 1 ] || { echo "a hot loop has no machine code"; exit 1; }
[ "$(lines --sandbox)" = 0 ] || { echo "a sandbox has machine code"; exit 1; }
[ "$(lines --max-time 10s)" = 0 ] || { echo "a program with a budget has machine code"; exit 1; }
