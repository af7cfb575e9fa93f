---@meta penumbra.describe

-- Definitions for the Lua language server. docs/library.md has the whole story;
-- tests/product/editors compares this file with what the library holds.

---How functions are called.
---@class penumbra.describe
local describe = {}

---A parameter of a function of the standard libraries.
---@class penumbra.describe.parameter
---@field name string `...` stands for any number of values
---@field type string such as "integer" or "table or nil"
---@field optional boolean

---How the function is called, such as `string.rep(s, n [, sep])`. For a Lua
---function `function(a, ...)`. nil for functions of other C libraries.
---@param f function
---@return string?
function describe.signature(f) end

---The parameters of a function of the standard libraries. nil for others.
---@param f function
---@return penumbra.describe.parameter[]?
function describe.parameters(f) end

return describe
