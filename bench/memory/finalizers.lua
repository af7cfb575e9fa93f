-- SPDX-License-Identifier: MIT
--
-- Objects with finalizers: they live one cycle longer, and there are many.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled = memory.case, memory.scaled

-- Objects with separate metatables.
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

-- Finalizers that make garbage.
case("finalizers_allocate", "both", function()
  local class = { __gc = function(object) object[1] = { object } end }
  for i = 1, scaled(2000000) do setmetatable({ i }, class) end
end)

-- Objects that are resurrected once.
case("resurrection", "both", function()
  local pool = {}
  local class
  class = { __gc = function(object) pool[object[1] % 1000] = object end }
  for i = 1, scaled(3000000) do setmetatable({ i }, class) end
end)

-- Objects of 10 KB each: waiting for a finalizer is expensive.
case("finalizers_of_large", "both", function()
  local text = string.rep("x", 10000)
  local class = { __gc = function() end }
  for i = 1, scaled(400000) do setmetatable({ text .. i }, class) end
end)

-- Finalizable objects, 200,000 of them alive.
case("finalizers_beside_heap", "both", function()
  local class = { __gc = function() end }
  local live = {}
  for i = 1, 200000 do live[i] = setmetatable({ i }, class) end
  for i = 1, scaled(2500000) do
    live[i % 200000 + 1] = setmetatable({ i }, class)
  end
end)

memory.run()
