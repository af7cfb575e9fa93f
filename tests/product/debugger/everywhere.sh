#!/bin/sh
# SPDX-License-Identifier: MIT
#
# everywhere.sh -- a program of tests/language/lang, with breakpoints everywhere
#
#    everywhere.sh <penumbra> <everywhere> <folder of the programs> <program>
#
# Then the same with steps.
set -eu
"$1" "$3/run.lua" "$2" "$3/$4.lua"
EVERYWHERE=step "$1" "$3/run.lua" "$2" "$3/$4.lua"
