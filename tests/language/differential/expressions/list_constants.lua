-- SPDX-License-Identifier: MIT
-- List items that are constants, alone and among others.

local function mixed(x) return { 1, 2, "three", true, x, 6.5, -7 } end
local function constants() return { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } end
local function after(k) return { 10, 20, 30, [k] = "k" } end
local function between(k, ...) return { 10, 20, [k] = "k", 30, ... } end
local function named() return { 1, 2, n = 3, text = "x" } end
local function hole() return { nil, 1, nil, 3 } end
local function open(...) return { 1, 2, ... } end
local function falsy() return { false, false } end

local function show(t, n)
  local parts = {}
  for i = 1, n do parts[i] = tostring(t[i]) end
  print(#t, table.concat(parts, " "), rawget(t, "n"), rawget(t, "text"))
end

local function long(n)
  local items = {}
  for i = 1, n do items[i] = i % 7 == 0 and ("'s%d'"):format(i) or i end
  local text = "return function() return {" .. table.concat(items, ",") .. "} end"
  return load(text)()
end

local function round()
  show(mixed("x"), 8)
  local t = constants()
  t[1], t[11] = 99, 11
  show(t, 12)
  show(constants(), 11)
  for k = 0, 4 do
    show(after(k), 4)
    show(between(k, 7, 8), 5)
  end
  show(named(), 3)
  show({ hole()[2], hole()[4] }, 2)
  show(open(), 3)
  show(open(7, 8, 9), 6)
  show(falsy(), 3)
  for _, n in ipairs { 31, 32, 33, 50, 51, 64, 65, 83, 257 } do
    local make = long(n)
    show(make(), n + 1)
    make()[1] = "changed"
    show(make(), 2)
  end
end

round()
mixed = load(string.dump(mixed))
constants = load(string.dump(constants, true))
after = load(string.dump(after))
named = load(string.dump(named))
falsy = load(string.dump(falsy))
round()
collectgarbage()
round()
