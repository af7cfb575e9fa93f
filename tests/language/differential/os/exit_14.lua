-- SPDX-License-Identifier: MIT
-- exit status: 6
-- os.exit: the status, and what is closed.
io.write("before\n")
coroutine.wrap(function() local x <close> =
  setmetatable({}, {__close = function() print("tbc closed") end})
  pcall(function() os.exit(6, true) end) end)()
print("not reached")
