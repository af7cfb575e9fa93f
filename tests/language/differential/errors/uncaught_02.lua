-- SPDX-License-Identifier: MIT
-- exit status: 1
-- An error that reaches the interpreter itself.
error("no position", 0)
