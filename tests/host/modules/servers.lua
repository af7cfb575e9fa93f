-- SPDX-License-Identifier: MIT
-- package: lua-sql-mysql lua-sql-postgres
-- package: lua-dbi-mysql lua-dbi-postgresql lua-ldap
-- module: luasql.mysql
-- module: luasql.postgres
-- module: DBI
-- module: dbd.mysql
-- module: dbd.postgresql
-- module: lualdap
-- Bindings to servers that are not available here. The test does what is
-- possible without a server: fail properly, and be collected.
for _, name in ipairs {"mysql", "postgres"} do
  local luasql = require("luasql." .. name)
  for i = 1, 20 do
    local env = assert(luasql[name]())
    local db, e = env:connect("none", "nobody", "", "127.0.0.1", 1)
    if i == 1 then print(name, db, type(e), tostring(env):match("^%S+ %S+")) end
    if i % 2 == 0 then print(env:close()) end
  end
  collectgarbage()
  print(pcall(luasql[name]().connect))
end

local DBI = require "DBI"
print(table.concat(DBI.Drivers(), ",") ~= "")
for _, name in ipairs {"MySQL", "PostgreSQL"} do
  local db, e = DBI.Connect(name, "none", "nobody", "", "127.0.0.1", 1)
  print(name, db, type(e))
end

local lualdap = require "lualdap"
for i = 1, 10 do
  local ld, e = lualdap.open_simple("ldap://127.0.0.1:1", "cn=x", "y", false, 1)
  if i == 1 then print(ld, type(e)) end
end
local ld = lualdap.initialize and lualdap.initialize("ldap://127.0.0.1:1")
print(ld and tostring(ld):match("^%a+"),
      ld and pcall(ld.bind_simple, ld, "cn=x", "y"))
print(ld and pcall(ld.add, ld, "cn=x", {a = {1}}))
ld = nil
collectgarbage()
