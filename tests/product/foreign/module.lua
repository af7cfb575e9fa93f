-- SPDX-License-Identifier: MIT
-- Uses the module of module.c, which is beside the program.
local module, where = require("module")
assert(where:find("[\\/]module%.%a+$"), where)
assert(module.sum(function(n) return 2 * n end, 1, 2, 3) == 12)
local ok, why = pcall(module.sum, function(n) error("at " .. n, 0) end, 7)
assert(not ok and why == "at 7", why)
ok, why = pcall(module.sum, 1)
assert(why:find("function expected, got number"), why)
print("module: calls, results and errors are right")
