-- SPDX-License-Identifier: MIT
-- exit status: 0
-- os.exit: the status, and what is closed.
io.write("before\n")
local x <close> = setmetatable({}, {__close = function() print("tbc closed")
  end}) os.exit(true, true)
print("not reached")
