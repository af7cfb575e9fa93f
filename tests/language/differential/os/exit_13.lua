-- SPDX-License-Identifier: MIT
-- exit status: 4
-- os.exit: the status, and what is closed.
io.write("before\n")
coroutine.wrap(function() io.write("unflushed") os.exit(4, true) end)()
print("not reached")
