-- SPDX-License-Identifier: MIT
--
-- first_block.lua -- writes the first block of code in a page to a file
--
--    lua first_block.lua <page.md> <language> <file>

local page, language, name = arg[1], arg[2], arg[3]
local text = assert(io.open(page)):read("a")
local block = text:match("\n```" .. language .. "\n(.-)\n```")
local file <close> = assert(io.open(name, "w"))
assert(file:write(assert(block, "no such block"), "\n"))
