-- SPDX-License-Identifier: MIT
-- exit status: 5
-- os.exit: the status, and what is closed.
io.write("before\n")
setmetatable({}, {__gc = function() print("closed") end}) os.exit(5, true)
print("not reached")
