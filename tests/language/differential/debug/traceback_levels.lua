-- SPDX-License-Identifier: MIT
-- Tracebacks from every level, also from levels that do not exist, of stacks
-- of all depths around the one at which levels are left out
local function deep(n, level)
  if n > 0 then return (deep(n - 1, level)) end
  return debug.traceback("message", level)
end

local levels = { math.mininteger, -2 ^ 31 | 0, -100, -12, -11, -10, -2, -1, 0, 1, 2,
                 5, 10, 11, 12, 20, 21, 22, 23, 24, 25, 100, 2 ^ 31 - 1 | 0 }
for _, depth in ipairs { 0, 1, 5, 8, 9, 10, 15, 16, 17, 18, 19, 20, 21, 22, 40 } do
  for _, level in ipairs(levels) do
    local text = deep(depth, level):gsub("[^\n]*%[C%]: in %?", ""):gsub("\n\t[^\n]*main chunk.*", "")
    print(depth, level, #text, text)
  end
end
