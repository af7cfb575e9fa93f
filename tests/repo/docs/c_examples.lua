-- SPDX-License-Identifier: MIT
--
-- c_examples.lua -- makes a program from the C examples of a page
--
--    lua c_examples.lua <page.md> <program.c>
--
-- Every function example_*(lua_State *L) in the blocks is called in a fresh
-- state, in the order of the page. #line refers back to the page.

local page, program = arg[1], arg[2]
local text = assert(io.open(page)):read("a")
local out = {[[
#include "own.h"
]]}
local names = {}
for before, block in text:gmatch("()\n```c\n(.-)\n```") do
  local _, line = text:sub(1, before):gsub("\n", "")
  out[#out + 1] = string.format('#line %d "%s"\n%s\n', line + 2, page, block)
  for name in block:gmatch("void (example_[%w_]+)%(lua_State") do
    names[#names + 1] = name
  end
end
out[#out + 1] = "int main(void) {\n"
for _, name in ipairs(names) do
  out[#out + 1] = string.format(
    "  { lua_State *L = own_open(); %s(L); lua_close(L); }\n", name)
end
out[#out + 1] = string.format('  printf("%d examples\\n");\n  return 0;\n}\n', #names)
assert(io.open(program, "w")):write(table.concat(out)):close()
assert(#names > 0, "no examples in " .. page)
