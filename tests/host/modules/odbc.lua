-- SPDX-License-Identifier: MIT
-- package: lua-sql-odbc
-- module: luasql.odbc
-- LuaSQL's ODBC: environments, and connections that fail. (With a driver the
-- module overwrites its own stack on 64-bit machines, on any Lua.)
local odbc = require "luasql.odbc"
local env = assert(odbc.odbc())
for i = 1, 20 do
  local db, e = env:connect("no such source", "user", "word")
  if i == 1 then print(db, type(e)) end
  odbc.odbc()
end
collectgarbage()
print(tostring(env):match("^%S+ %S+"), pcall(env.connect))
print(env:close(), pcall(env.connect, env, "x"))
