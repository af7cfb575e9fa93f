-- SPDX-License-Identifier: MIT
--
-- Closures, and functions that are compiled and dropped.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

case("closures", "both", function()
  local kept = {}
  for i = 1, scaled(6000000) do
    local n, m = i, i
    local function add(x) n = n + x; return n + m end
    kept[i % 20000] = add
  end
end)

-- Closures that share one variable of the enclosing loop.
case("shared_upvalues", "both", function()
  local kept = {}
  for i = 1, scaled(2000000) do
    local n = i
    kept[i % 20000] = { function() return n end, function(x) n = x end }
  end
end)

case("load", "both", function()
  local kept = {}
  for i = 1, scaled(200000) do
    kept[i % 500] = load("local x = ...; return x + " .. i .. ", 'text'")
  end
end)

-- A chunk with a table of 10,000 entries, like a data file.
case("load_data", "both", function()
  local parts = {}
  for i = 1, 10000 do
    parts[i] = string.format("{id=%d,name='name%d'},", i, i)
  end
  local source = "return {" .. table.concat(parts) .. "}"
  for _ = 1, scaled(60) do
    local data = load(source)()
    assert(#data == 10000)
  end
end)

case("dump_and_load", "both", function()
  local code = string.dump(load(
    "local t = {} for i = 1, 10 do t[i] = i * 2 end " ..
    "local function f(x) return t[x] end return f(3)"))
  local kept = {}
  for i = 1, scaled(400000) do kept[i % 500] = load(code, "c", "b") end
end)

memory.run()
