---@meta penumbra.profile

-- Definitions for the Lua language server. docs/profile.md has the whole story;
-- tests/editors compares this file with what the library holds.

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
---@return table<string, integer>
function profile.stop(file, format) end

---Begins to note where memory is allocated: a sample for each 512 KB, or as many
---bytes as you say.
---@param bytes? integer
function profile.startalloc(bytes) end

---Ends that, writes the file if there is one, and returns bytes by stack.
---@param file? string
---@param format? penumbra.profile.format
---@return table<string, integer>
function profile.stopalloc(file, format) end

return profile
