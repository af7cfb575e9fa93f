-- SPDX-License-Identifier: MIT
--
-- Objects with finalizers live one cycle longer, and their number is large.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

-- Each with a metatable of its own.
case("finalizers", "both", function()
  local count = 0
  local function finalize() count = count + 1 end
  for i = 1, scaled(3000000) do
    setmetatable({ i, i, i }, { __gc = finalize })
  end
end)

case("finalizers_of_a_class", "both", function()
  local count = 0
  local class = { __gc = function() count = count + 1 end }
  for i = 1, scaled(4000000) do setmetatable({ i }, class) end
end)

-- Finalizers that make garbage of their own.
case("finalizers_allocate", "both", function()
  local class = { __gc = function(object) object[1] = { object } end }
  for i = 1, scaled(2000000) do setmetatable({ i }, class) end
end)

-- Objects that come back once.
case("resurrection", "both", function()
  local pool = {}
  local class
  class = { __gc = function(object) pool[object[1] % 1000] = object end }
  for i = 1, scaled(3000000) do setmetatable({ i }, class) end
end)

-- Each holds 10 KB: what waits for a finalizer is expensive.
case("finalizers_of_large", "both", function()
  local text = string.rep("x", 10000)
  local class = { __gc = function() end }
  for i = 1, scaled(400000) do setmetatable({ text .. i }, class) end
end)

-- Beside 200,000 live ones.
case("finalizers_beside_heap", "both", function()
  local class = { __gc = function() end }
  local live = {}
  for i = 1, 200000 do live[i] = setmetatable({ i }, class) end
  for i = 1, scaled(2500000) do
    live[i % 200000 + 1] = setmetatable({ i }, class)
  end
end)

memory.run()
