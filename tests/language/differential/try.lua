-- SPDX-License-Identifier: MIT
-- try.lua -- calls a function and prints the outcome
--
-- Every program finds this file in its folder:
--     local try, show = dofile("try.lua")

local function show(v)
  if type(v) == "string" then return string.format("%q", v) end
  if math.type(v) == "float" then return string.format("%.14g", v) end
  return (tostring(v):gsub("0x%x+", "ADDRESS"))
end
local function try(name, f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 1, r.n do
    r[i] = show(r[i]):sub(1, 250):gsub("0x%x%x%x%x%x+", "ADDRESS")
  end
  print(name, table.concat(r, " | "))
end

return try, show
