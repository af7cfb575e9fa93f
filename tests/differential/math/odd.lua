-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: math

local function show(v)
  if type(v) == "string" then return string.format("%q", v) end
  if math.type(v) == "float" then return string.format("%.14g", v) end
  return (tostring(v):gsub("0x%x+", "ADDRESS"))
end
local function try(name, f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 1, r.n do
    r[i] = show(r[i]):sub(1, 250):gsub("0x%x%x%x%x%x+", "ADDRESS")
  end
  print(name, table.concat(r, " | "))
end

try("max", math.max)
try("min", math.min)
try("max1", math.max, 1, 2.5, -1)
try("max nan", math.max, 0/0, 1)
try("fmod0", math.fmod, 1, 0)
try("fmod0f", math.fmod, 1, 0.0)
try("fmodmin", math.fmod, math.mininteger, -1)
try("log", math.log, 8, 2)
try("log10", math.log, 1000, 10)
try("log0", math.log, 0)
try("log b", math.log, 27, 3)
try("log str", math.log, "x")
try("abs min", math.abs, math.mininteger)
try("random 0", function() return math.type(math.random(0)) end)
try("random bad", math.random, 2, 1)
try("random bad", math.random, 1, 2, 3)
try("random bad", math.random, 0.5)
try("random bad", math.random, -1)
try("random full", function() return math.type(math.random(math.mininteger,
  math.maxinteger)) end)
try("atan", math.atan, 1, 0)
try("ult", math.ult, -1, 1)
try("ult", math.ult, 1.5, 1)
try("rad", math.rad, 180)
try("seed", math.randomseed, 1, 2)
try("seed f", math.randomseed, 1.5)
try("seed s", math.randomseed, "x")
try("seed", math.randomseed, 42)
try("rnd", math.random, 100)
try("rnd", math.random)
try("rnd", math.random, 0)
try("rnd", math.random, -10, 10)
try("rnd", math.random, math.mininteger, math.maxinteger)
try("seed", math.randomseed, 42, 7)
try("rnd", math.random, 1 << 40)
