-- SPDX-License-Identifier: MIT
--
-- Huge prototypes: thirty chunks are loaded, each a function with 2,500
-- functions inside and as many constants, and ten chunks with one table
-- constructor of 30,000 strings.  Some are loaded again while the program runs,
-- and the old ones dropped.  Loading is timed separately.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local load = loadstring or load
local wide, long = meter.scaled(30), meter.scaled(10)

-- A function may have at most 2^8 upvalues and 200 locals, so none are used.
local function wide_source(tag, functions)
  local lines = { "local t = {}" }
  for i = 1, functions do
    lines[#lines + 1] = string.format(
      "t[%d] = function(x) return x + %d, 'name %d of %d' end", i, i, i, tag)
  end
  lines[#lines + 1] = "return t"
  return table.concat(lines, "\n")
end

local function long_source(tag, constants)
  local lines = { "return {" }
  for i = 1, constants do
    lines[#lines + 1] = string.format("'constant %d of %d',", i, tag)
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n")
end

local chunks = {}
for i = 1, wide do chunks[#chunks + 1] = assert(load(wide_source(i, 2500))) end
for i = 1, long do chunks[#chunks + 1] = assert(load(long_source(i, 30000))) end
local small = wide_source(0, 300)

meter.run(function(n)
  if n % 500 == 0 then
    chunks[meter.random(#chunks)] = meter.apart(load, small)
  end
  meter.litter(200)
end)
