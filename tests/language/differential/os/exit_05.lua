-- SPDX-License-Identifier: MIT
-- exit status: 255
-- os.exit: the status, and what is closed.
io.write("before\n")
os.exit(-1)
print("not reached")
