-- SPDX-License-Identifier: MIT
-- exit status: 1
-- An error that reaches the interpreter itself.
setmetatable({}, {__gc = function() print("finalized") end})
error("with finalizer")
