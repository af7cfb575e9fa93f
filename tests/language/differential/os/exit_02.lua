-- SPDX-License-Identifier: MIT
-- exit status: 0
-- os.exit: the status, and what is closed.
io.write("before\n")
os.exit(true)
print("not reached")
