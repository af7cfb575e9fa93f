-- SPDX-License-Identifier: MIT
-- exit status: 7
-- os.exit: the status, and what is closed.
io.write("before\n")
os.exit(7.0)
print("not reached")
