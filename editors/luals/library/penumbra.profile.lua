---@meta penumbra.profile

-- Definitions for the Lua language server. docs/profile.md has the whole story;
-- tests/product/editors compares this file with what the library holds.

---Samples where a program spends its time, and where it allocates memory.
---@class penumbra.profile
local profile = {}

---@alias penumbra.profile.format "folded" | "pprof"

---Begins to sample where time is spent, 100 times a second if nothing is said.
---@param hz? integer
function profile.start(hz) end

---Ends that, writes the file if there is one, and returns ticks by stack.
---@param file? string
---@param format? penumbra.profile.format
---@return table<string, integer> samples nil if the file cannot be written
---@return string? message
function profile.stop(file, format) end

---Begins to note where memory is allocated: a sample for each 512 KB, or as many
---bytes as you say.
---@param bytes? integer
function profile.startalloc(bytes) end

---@alias penumbra.profile.type
---| "alloc_space"   # bytes allocated
---| "alloc_objects" # objects allocated
---| "inuse_space"   # bytes that are still alive
---| "inuse_objects" # objects that are still alive

---Writes the file if there is one, and returns numbers by stack: bytes
---allocated, or what you ask for.
---@param file? string
---@param format? penumbra.profile.format
---@param type? penumbra.profile.type
---@return table<string, integer> samples nil if the file cannot be written
---@return string? message
function profile.readalloc(file, format, type) end

---The same, and ends that.
---@param file? string
---@param format? penumbra.profile.format
---@param type? penumbra.profile.type
---@return table<string, integer> samples nil if the file cannot be written
---@return string? message
function profile.stopalloc(file, format, type) end

return profile
