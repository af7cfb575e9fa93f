-- SPDX-License-Identifier: MIT
--
-- pieces.lua -- calls with long strings count as much as they take
--
--    penumbra pieces.lua [milliseconds]
--
-- Each function of a sandbox is called in an endless loop with a long string in
-- each place of its arguments. The loop must end when its time is over. A call
-- that takes long without counting could be made a thousand times before the
-- clock is read.

local sandbox = require "penumbra.sandbox"

local late = tonumber(arg[1]) or 10
local TIME, MEMORY = 0.003, 16e6

-- Long strings, and what else a function may want.
local long = {"('1'):rep(2e6)", "('x'):rep(2e6)"}
local patterns = {
  "L", "L, 1", "L, L", "1, L", "'x', L", "'x', 'x', L", "'x', L, 1", "'x', 1, L",
  "{}, L", "{}, 'x', L", "{}, 1, L", "tostring, L", "L, tostring", "'%d', L", "'%s', L", "'i4', L",
}

local names = {}
do
  local box = sandbox.new()
  local ok, list = box:run [[
    local list = {}
    for library, functions in pairs(_G) do
      if type(functions) == "function" then
        list[#list + 1] = library
      elseif type(functions) == "table" and functions ~= _G then
        for name, f in pairs(functions) do
          if type(f) == "function" then list[#list + 1] = library .. "." .. name end
        end
      end
    end
    return table.concat(list, " ")]]
  assert(ok, list)
  for name in list:gmatch "%S+" do
    if name ~= "print" then names[#names + 1] = name end
  end
  table.sort(names)
  assert(#names > 80)
end

local calls, failures, worst = 0, 0, 0
for _, name in ipairs(names) do
  for _, text in ipairs(long) do
    for _, arguments in ipairs(patterns) do
      local code = ("local L = %s while true do pcall(%s, %s) end"):format(text, name, arguments)
      local box = sandbox.new {time = TIME, memory = MEMORY}
      local start = os.clock()
      local ok, _, why = box:run(code)
      local over = (os.clock() - start - TIME) * 1000
      calls = calls + 1
      worst = math.max(worst, over)
      if ok or why ~= "budget" and why ~= "memory" or over > late then
        failures = failures + 1
        print(("%s(%s) with %s: %s after %.1f ms too much"):format(
          name, arguments, text, ok and "no end" or why, over))
      end
    end
  end
end
print(("%d calls, %d failures; the worst was %.1f ms over its %d ms"):format(
  calls, failures, worst, TIME * 1000))
os.exit(failures == 0)
