-- SPDX-License-Identifier: MIT
--
-- batch.lua -- runs many random programs in one process
--
-- Starting a process takes longer than running most programs.  So this file
-- runs on the interpreter under test.  It reads programs from a file and runs
-- them one after the other, each with its own globals.  A line before each
-- gives its seed.

-- The file is a list of "<seed> <length>\n<text>".
local function programs(name)
  local f = assert(io.open(name, "rb"))
  return function()
    local seed, length = f:read("n", "n")
    if not seed then f:close() return nil end
    f:read "L"
    return seed, f:read(length)
  end
end

local function fresh_globals()
  local env = {}
  for name, v in pairs(_G) do env[name] = v end
  env._G = env
  return env
end

local function run(text)
  local f, fault = load(text, "@program.lua", "t", fresh_globals())
  if not f then return print("error", fault) end
  local ok, message = pcall(f)
  if not ok then print("error", message) end
end

for seed, text in programs(arg[1]) do
  print("-- seed " .. seed)
  run(text)
  collectgarbage "restart"
  collectgarbage("incremental", 200, 100, 13)
  collectgarbage()    -- finalizers print in the output of their own program
end
print "-- end"
