---@meta penumbra.sandbox

-- Definitions for the Lua language server. docs/sandbox.md has the whole story;
-- tests/product/editors compares this file with what the library holds.

---Runs code that is not trusted, with bounds on time and memory.
---@class penumbra.sandbox
local sandbox = {}

---@class penumbra.sandbox.options
---@field time? number seconds on the processor
---@field units? integer instructions, about
---@field memory? integer bytes
---@field globals? table what the code sees besides the safe functions

---@class penumbra.sandbox.box
---@field run fun(self: penumbra.sandbox.box, code: string, name?: string, ...: any): boolean, ...: any
---@field globals fun(self: penumbra.sandbox.box): table

---Makes a sandbox. Each limit may be left out.
---@param options? penumbra.sandbox.options
---@return penumbra.sandbox.box
function sandbox.new(options) end

return sandbox
