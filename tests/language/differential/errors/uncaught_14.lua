-- SPDX-License-Identifier: MIT
-- exit status: 1
-- An error that reaches the interpreter itself.
io.write("unfinished line") io.stderr:write("to stderr\n") error("x\ny")
