---@meta penumbra.machine

-- Definitions for the Lua language server. docs/machine-code.md has the whole
-- story; tests/product/editors compares this file with what the library holds.

---Machine code for functions that run often, where it was built in.
---@class penumbra.machine
local machine = {}

---@class penumbra.machine.status
---@field on boolean         functions that run often get machine code
---@field why? string        why they do not
---@field bytes integer      memory for code
---@field code integer       bytes of code in it
---@field functions integer  that got code
---@field pieces integer     of code
---@field exits integer      from code to the interpreter
---@field drops integer      of all code, most often because its memory was full

---Whether there is machine code, and how much.
---@return penumbra.machine.status
function machine.status() end

---Functions get machine code, or this one does.
---@param f? function
function machine.on(f) end

---No function gets machine code, or this one does not.
---@param f? function
function machine.off(f) end

return machine
