# SPDX-License-Identifier: MIT
# The input of the interactive mode ends inside a statement.
printf 'f(' | lua -i 2>&1
#5.4.4< >> (null)
#5.4.8> >> stdin:1: unexpected symbol near <eof>
