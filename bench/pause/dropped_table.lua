-- SPDX-License-Identifier: MIT
--
-- Huge tables dropped at once: eight tables are alive at the beginning, four
-- with 400,000 entries in the array and four in the hash.  One after the other
-- loses its only reference.  Freeing them must not stop the program.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local size = meter.scaled(400000)
local tables = {}
for t = 1, 8 do
  local entries = {}
  for i = 1, size do
    if t % 2 == 1 then
      entries[i] = { i }
    else
      entries[-i] = { i }
    end
  end
  tables[t] = entries
end

meter.run(function(n)
  if n % 6000 == 0 then tables[n / 6000] = nil end
  meter.litter(200)
end)
