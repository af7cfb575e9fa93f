-- SPDX-License-Identifier: MIT
-- exit status: 3
-- os.exit: the status, and what is closed.
io.write("before\n")
os.exit(3)
print("not reached")
