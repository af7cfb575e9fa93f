-- SPDX-License-Identifier: MIT
-- sequences.lua -- random assignments to a table, and their visible effects
--
-- Arguments: number of sequences, seed, and the features of the sequences:
--
--     constructors   tables that are not empty at the beginning
--     removals       assignments of nil, table.remove
--     reads          reads of elements between assignments
--     names          fields with names
--     order          print the order of integer keys, not only lengths
--
-- Prints one line for each sequence.

local count, state = tonumber(arg[1]), tonumber(arg[2])
local has = {}
for i = 3, #arg do has[arg[i]] = true end

local function random(n)
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 33) % n + 1
end

local sources = { "{}" }
if has.constructors then
  for s in ([[
    {1} | {1, 2} | {1, 2, 3} | {1, 2, 3, 4, 5} | {1, 2, 3, 4, 5, 6, 7, 8} |
    {1, nil, 3} | {nil, nil, 3} | {nil, nil, nil, nil} | {[1] = 1} |
    {[1] = 1, [2] = 2} | {[0] = 0, [1] = 1, [2] = 2} | {1, [2] = 2} |
    {1, 2, [4] = 4} | {[3] = 3, [2] = 2, [1] = 1} | {[4] = 4, 1, 2, 3} |
    {[1] = 1, [3] = 3, [5] = 5} | {[10] = 1, [20] = 2} |
    {[-1] = 1, [0] = 2, [1] = 3} | {[0.5] = 1, [1.5] = 2, [2.25] = 3, [1] = 1} |
    {[true] = 1, [false] = 2, [3] = 3} | {table.unpack({1, 2, 3})} |
    {0, table.unpack({1, 2, 3, 4})} | {[5] = 5, table.unpack({1, 2})}
  ]]):gmatch("{.-}%f[%s]") do
    sources[#sources + 1] = s
  end
end
if has.names then
  for s in ([[
    {x = 1} | {x = 1, y = 2, z = 3} | {1, 2, x = 1} | {n = 0, 1, 2, 3} |
    {a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7} | {x = 1, [1] = 1}
  ]]):gmatch("{.-}") do
    sources[#sources + 1] = s
  end
end
local makers = {}
for i, s in ipairs(sources) do makers[i] = assert(load("return " .. s)) end

local names = { "a", "b", "c", "d", "e", "f", "g", "h" }

local function assign(t, k, i) t[k] = i end
local operations = {
  assign, assign, assign, assign,
  has.removals and function(t, k) t[k] = nil end or assign,
  has.removals and function(t, k) t[k] = nil end or assign,
  function(t, _, i) table.insert(t, i) end,
  has.removals and function(t) return table.remove(t) end
    or function(t, _, i) t[#t + 1] = i end,
  has.names and function(t, _, i) t[names[random(#names)]] = i end or assign,
  has.names and has.removals
    and function(t) t[names[random(#names)]] = nil end or assign,
  function(t) return #t end,
  has.reads and function(t, k) return t[k] end or function() end,
}

for _ = 1, count do
  local t = makers[random(#makers)]()
  local out = {}
  for i = 1, random(40) do
    local seen = operations[random(#operations)](t, random(20), i)
    if seen then out[#out + 1] = seen end
  end
  out[#out + 1] = #t
  if has.order then
    for k in next, t do
      if type(k) ~= "string" then out[#out + 1] = tostring(k) end
    end
  end
  print(table.concat(out, " "))
end
