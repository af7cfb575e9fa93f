-- SPDX-License-Identifier: MIT
-- exit status: 1
-- os.exit: the status, and what is closed.
io.write("before\n")
os.exit("x")
print("not reached")
