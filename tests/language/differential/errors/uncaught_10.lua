-- SPDX-License-Identifier: MIT
-- exit status: 1
-- An error that reaches the interpreter itself.
local function r() return r() + 1 end local ok, m = pcall(r)
error(m:match("stack overflow"), 0)
