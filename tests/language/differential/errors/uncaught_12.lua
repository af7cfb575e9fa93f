-- SPDX-License-Identifier: MIT
-- exit status: 1
-- An error that reaches the interpreter itself.
local x <close> = setmetatable({}, {__close = function(_, e) print("closed", e)
  end}) error("with close")
