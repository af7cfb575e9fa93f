-- SPDX-License-Identifier: MIT
--
-- A host in C: userdata, external memory, buffers, threads.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local host = memory.host()
local case, scaled, random = memory.case, memory.scaled, memory.random

-- 300,000 tables that a cycle has to visit.
local function beside_tables(run)
  return function()
    local live = {}
    for i = 1, 300000 do live[i] = { i } end
    run()
    assert(#live == 300000)
  end
end

-- Userdata of 10 MB that is never written: none of its pages is resident.
case("userdata_untouched", "both", beside_tables(function()
  for _ = 1, scaled(2000) do host.userdata(10000000, false) end
end))

case("userdata_filled", "both", beside_tables(function()
  for _ = 1, scaled(400) do host.userdata(10000000, true) end
end))

-- Buffers of 4 MB outside of the state, freed by finalizers.  If a state cannot
-- be told of them, they are in the userdata, for comparison.
case("external", "both", beside_tables(function()
  for _ = 1, scaled(800) do host.external(4000000) end
end))

case("external_small", "both", function()
  local ring = {}
  for i = 1, scaled(300000) do ring[i % 100] = host.external(20000) end
end)

case("userdata_sizes", "both", function()
  local ring = {}
  for i = 1, scaled(1500000) do
    local size = 2 ^ (random(13) + 2) // 1 | 0
    ring[i % 2000] = host.userdata(size + random(size), true)
  end
end)

case("userdata_small", "both", function()
  local ring = {}
  for i = 1, scaled(8000000) do ring[i % 50000] = host.userdata(24, true) end
end)

-- Userdata with a finalizer.
case("userdata_finalizers", "both", function()
  local class = { __gc = function() end }
  for _ = 1, scaled(5000000) do host.finalizable(24, class) end
end)

-- luaL_Buffer: the strings are 10 MB, the buffers grow by doubling.
case("buffers_in_c", "both", function()
  for _ = 1, scaled(300, 60) do
    assert(#host.buffer(10000000) == 10000000)
  end
end)

-- A loop in C that does not return to Lua: tables, strings, references.
case("tables_in_c", "both", function() host.tables(scaled(10000000)) end)

case("strings_in_c", "both", function()
  host.strings(scaled(1500000), 10000)
end)

case("threads_in_c", "both", function() host.threads(scaled(4000000)) end)

memory.run()
