-- SPDX-License-Identifier: MIT
--
-- extremes.lua -- api/own/extremes calls every function of penumbra.h that has
-- a number among its parameters
--
--    penumbra extremes.lua <penumbra.h> <extremes.c>

local function read(name)
  local file <close> = assert(io.open(name))
  return file:read("a")
end

-- Removes comments, which may have parentheses, and deprecated names, which do
-- what the new ones do.
local header = read(arg[1]):gsub("/%*.-%*/", "")
                           :gsub("PENUMBRA_DEPRECATED[^;]*;", "")
local test = read(arg[2])

local function has_number(parameters)
  for parameter in parameters:gmatch("[^,]+") do
    if not parameter:find("*", 1, true) and
       (parameter:find("%f[%w_]int%f[^%w_]") or
        parameter:find("size_t") or parameter:find("lua_Unsigned") or
        parameter:find("lua_Number")) then
      return true
    end
  end
  return false
end

local count = 0
for name, parameters in header:gmatch("%((penumbra_%w+)%)%((.-)%);") do
  if has_number(parameters) then
    count = count + 1
    if not test:find(name .. "(", 1, true) then
      print(("%s does not call %s"):format(arg[2], name))
      os.exit(1)
    end
  end
end
assert(count > 20, "the header has functions with numbers")
print(("%d functions with numbers, all called"):format(count))
