-- SPDX-License-Identifier: MIT
--
-- run.lua -- runs a program interpreted and with machine code, and compares
--
-- usage: penumbra run.lua PENUMBRA PROGRAM.lua
--
-- Every setting of PENUMBRA_MACHINE must print the same. Except for `off`, it
-- must have made machine code.

local penumbra, program = arg[1], arg[2]
local SETTINGS = {"", "once", "once,guards", "once,tiny"}
if not program:find "operations" then SETTINGS[#SETTINGS + 1] = "once,steps" end -- too slow

local function output(setting)
  local command = ("PENUMBRA_MACHINE='count,%s' '%s' '%s' 2>&1"):format(setting, penumbra, program)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  local ok = pipe:close()
  assert(ok, setting .. ": the program has failed:\n" .. text)
  local pieces = tonumber(text:match "\nmachine code: (%d+) pieces") or 0
  text = text:gsub("\nmachine code: .*", "")
  return text, pieces
end

local function differ(setting, expected, found)
  local old, new = expected:gmatch "[^\n]*", found:gmatch "[^\n]*"
  for line in old do
    local other = new()
    if line ~= other then
      print(("%s: expected %s"):format(setting, line))
      print(("%s: found    %s"):format(setting, other))
      break
    end
  end
end

local expected, pieces = output "off"
expected = expected:gsub("%s+$", "")
assert(pieces == 0, "there is machine code although it is off")
local failed = 0
for _, setting in ipairs(SETTINGS) do
  local found, made = output(setting)
  found = found:gsub("%s+$", "")
  if found ~= expected then
    failed = failed + 1
    differ(setting, expected, found)
  end
  assert(made > 0, setting .. ": no machine code")
  print(("%-12s %d pieces"):format(setting, made))
end
os.exit(failed == 0)
