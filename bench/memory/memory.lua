-- SPDX-License-Identifier: MIT
--
-- memory.lua -- shared by the programs of this folder
--
--     lua5.4 arrays.lua CASE MODE [SHARE]
--
-- A program declares cases, each of which makes it hard for a collector to
-- estimate the program's need of memory.  One process runs one case, in one
-- mode of the collector.  SHARE scales the number of repetitions of a case (1);
-- the live heap keeps its size if possible.
--
--     local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
--     memory.case("fill", "both", function() ... end)
--     memory.run()
--
-- The modes of a case: both, incremental, generational.  The call of `case`
-- begins a line and has the name on the same line, so that tools can find it.
-- A name that ends in _then_small says that the memory at the end is bounded,
-- too.
--
-- The report is a line of JSON: peak_kb and end_kb of resident memory, as
-- counted by the system, and on penumbra also the collector's own records.

local memory = {}
local name, mode = arg[1], arg[2]
local share = tonumber(arg[3]) or 1
local cases = {}

-- The number of repetitions for `count` at full size.  It is at least `least`,
-- where fewer would tell nothing.
function memory.scaled(count, least)
  return math.max(least or 1, math.floor(count * share))
end

-- Numbers from 1 to n, the same on every interpreter.
local seed = 20240229
function memory.random(n)
  seed = seed * 16807 % 2147483647
  return seed % n + 1
end

function memory.case(case_name, _, run) cases[case_name] = run end

-- Reports that this interpreter cannot run the case, and ends.
function memory.skip(reason)
  print(string.format('{"skip":"%s"}', reason))
  os.exit(0)
end

-- The C functions of host.c; MEMORY_HOST is their path.
function memory.host()
  local path = os.getenv("MEMORY_HOST")
  if not path then memory.skip("MEMORY_HOST is not set") end
  return assert(package.loadlib(path, "luaopen_memory_host"))()
end

-- Figures of this process by their names in /proc, in kilobytes.
local function resident()
  local file = io.open("/proc/self/status")
  if not file then return {} end
  local figures = {}
  for key, value in file:read("a"):gmatch("(%w+):%s*(%d+) kB") do
    figures[key] = value
  end
  file:close()
  return figures
end

local function report()
  local fields, figures = {}, resident()
  local function add(key, value)
    if value then
      fields[#fields + 1] = string.format('"%s":%d', key, value)
    end
  end
  add("peak_kb", figures.VmHWM)
  add("end_kb", figures.VmRSS)
  local known, gc = pcall(require, "penumbra.gc")
  if known then
    local stats = gc.stats()
    for _, key in ipairs { "largest_unit", "largest_step", "steps", "cycles",
                           "live", "footprint" } do
      add(key, stats[key])
    end
  end
  print("{" .. table.concat(fields, ",") .. "}")
end

function memory.run()
  local run = assert(cases[name], "no such case")
  collectgarbage(mode)
  run()
  report()
end

return memory
