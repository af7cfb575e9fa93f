-- SPDX-License-Identifier: MIT
-- package: lua-sql-sqlite3 lua-dbi-sqlite3
-- module: luasql.sqlite3
-- module: DBI
-- module: dbd.sqlite3
-- Two bindings to SQLite: environments, connections, cursors and statements
-- refer to each other and are finalized in any order.
local function luasql()
  local env = assert(require("luasql.sqlite3").sqlite3())
  local db = assert(env:connect(":memory:"))
  print(db:execute("CREATE TABLE t (id INTEGER, name TEXT, x REAL)"))
  db:setautocommit(false)
  for i = 1, 500 do
    db:execute(("INSERT INTO t VALUES (%d, '%s', %g)")
               :format(i, db:escape("it's " .. i), i / 4))
  end
  print(db:commit())
  local cursor = assert(
    db:execute("SELECT * FROM t WHERE id % 100 = 0 ORDER BY id"))
  print(table.concat(cursor:getcolnames(), ","),
        table.concat(cursor:getcoltypes(), ","))
  local row = cursor:fetch({}, "a")
  while row do
    print(row.id, row.name, row.x)
    row = cursor:fetch(row, "a")
  end
  print((db:execute("SELECT nothing FROM nowhere")))
  -- Cursors that are not closed.
  for i = 1, 300 do
    local c = db:execute("SELECT * FROM t")
    c:fetch()
    if i % 3 == 0 then c:close() end
  end
  collectgarbage() collectgarbage()
  local env2 = require("luasql.sqlite3").sqlite3()
  for _ = 1, 20 do env2:connect(":memory:"):execute("CREATE TABLE a (b)") end
  collectgarbage() collectgarbage()
  print(db:close(), env:close(), pcall(db.execute, db, "x"))
end

local function dbi()
  local DBI = require "DBI"
  local db = assert(DBI.Connect("SQLite3", ":memory:"))
  print(db:ping(), db:autocommit(true))
  assert(DBI.Do(db, "CREATE TABLE t (id INTEGER, name TEXT)"))
  local insert = assert(db:prepare("INSERT INTO t VALUES (?, ?)"))
  for i = 1, 300 do assert(insert:execute(i, "name " .. i)) end
  local select = assert(
    db:prepare("SELECT id, name FROM t WHERE id > ? ORDER BY id"))
  assert(select:execute(297))
  for row in select:rows(true) do print(row.id, row.name) end
  local n = 0
  for round = 1, 100 do
    local s = assert(db:prepare("SELECT * FROM t WHERE id <= ?"))
    s:execute(round)
    for row in s:rows() do n = n + row[1] end
  end
  print(n)
  collectgarbage() collectgarbage()
  print((select:execute("too", "many")), (db:prepare("SELEKT")))
  print(db:close(), (db:prepare("SELECT 1")))
end

luasql()
dbi()
