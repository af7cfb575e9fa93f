-- SPDX-License-Identifier: MIT
-- A variable that is assigned and used in the next instruction.
local function id(x) return x end
print(pcall(function() local c c = id(nil) c() end))
print(pcall(function() local c c = id(nil) return c.x end))
print(pcall(function() local c c = id(nil) return (c()) end))
print(pcall(function() local c c = id(nil) c.y = 1 end))
print(pcall(function() local c c = id(nil) print(-c) end))
print(pcall(function() local c c = id(nil) c:foo() end))
print(pcall(function() local c c = id(nil) print(c .. "x") end))
