-- SPDX-License-Identifier: MIT
-- exit status: 1
-- An error that reaches the interpreter itself.
coroutine.wrap(function() error("in coroutine") end)()
