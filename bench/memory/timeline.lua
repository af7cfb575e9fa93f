-- SPDX-License-Identifier: MIT
--
-- timeline.lua -- records how the heap of a program changes while it runs
--
--     penumbra timeline.lua FILE EVERY PROGRAM CASE MODE [SHARE]
--
-- Runs a case of this folder and samples its heap every EVERY microseconds
-- (watch.c).  Writes a line for each sample to FILE: the CPU time, bytes in
-- objects, bytes held from the system, the size at which the cycle is to end,
-- and the number of cycles that have ended; 0 for figures that this Lua does
-- not have.

local file, every, program = arg[1], math.tointeger(arg[2]), arg[3]
local module = assert(os.getenv("MEMORY_HOST"), "MEMORY_HOST is not set")
local watch = assert(package.loadlib(module, "luaopen_memory_watch"))()

arg = { [-1] = arg[-1], [0] = program, table.unpack(arg, 4) }
watch.start(every)
assert(loadfile(program))()
watch.stop(file)
