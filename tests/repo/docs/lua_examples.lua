-- SPDX-License-Identifier: MIT
--
-- lua_examples.lua -- runs the examples of a page
--
--    lua lua_examples.lua <interpreter> <run.lua> <page.md>
--
-- Each Lua block of the page is a separate program, with its expected output
-- behind "-->". run.lua of tests/language/lang compares.

local interpreter, runner, page = arg[1], arg[2], arg[3]
local text = assert(io.open(page)):read("a")
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir '" .. folder .. "'"))

local files = {}
for before, block in ("\n" .. text):gmatch("()\n```lua\n(.-)\n```") do
  local _, number = text:sub(1, before):gsub("\n", "")
  local name = string.format("%s/line_%d.lua", folder, number + 1)
  local f <close> = assert(io.open(name, "w"))
  f:write(block, "\n")
  files[#files + 1] = "'" .. name .. "'"
end
print(#files .. " examples in " .. page)

local command = string.format("'%s' '%s' '%s' %s", interpreter, runner,
                              interpreter, table.concat(files, " "))
local ok = #files > 0 and os.execute(command)
os.execute("rm -r '" .. folder .. "'")
os.exit(ok == true)
