-- SPDX-License-Identifier: MIT
--
-- tour.lua -- a short tour: the language, then the collector at work
--
--    penumbra tour.lua
--
-- The second half builds heaps that are hard on a collector and measures the
-- longest delay of a small piece of the program. For that it runs this file
-- again, once per heap, with this interpreter and, if it is installed, with
-- lua5.4.

local function section(title)
  print()
  print("-- " .. title .. " " .. ("-"):rep(70 - #title))
end

-- Shows a piece of code and its results.
local function show(code)
  local results = table.pack(assert(load(code, "=tour"))())
  for i = 1, results.n do results[i] = tostring(results[i]) end
  for line in code:gmatch("[^\n]+") do print("  " .. line) end
  print("    --> " .. table.concat(results, "  "))
end

-- == The language ==========================================================

local function tour_language()
  section("Numbers are integers or floats, and strings know patterns")
  show [[return 7 // 2, 7 / 2, 2^53 | 0, math.maxinteger + 1 == math.mininteger]]
  show [[return ("2024-05-17"):match("(%d+)-(%d+)-(%d+)")]]
  show [[return ("%5.2f|%-6s|%x"):format(math.pi, "ab", 255)]]

  section("Functions are values, and remember where they come from")
  show [[
local function counter()
  local n = 0
  return function() n = n + 1; return n end
end
local a, b = counter(), counter()
return a(), a(), b()]]

  section("Tables are everything else")
  show [[
local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
V.__tostring = function(v) return "V(" .. v.x .. ")" end
local function new(x) return setmetatable({x = x}, V) end
return new(1) + new(2)]]
  show [[
local words = {}
for w in ("to be or not to be"):gmatch("%a+") do
  words[w] = (words[w] or 0) + 1
end
return words.to, words.be, words.maybe]]

  section("Coroutines, goto, and variables that close what they hold")
  show [[
local function primes()
  for n = 2, math.huge do
    for d = 2, n // 2 do if n % d == 0 then goto next end end
    coroutine.yield(n)
    ::next::
  end
end
local p = coroutine.wrap(primes)
return p(), p(), p(), p(), p()]]
  show [[
local log = {}
do
  local f <close> = setmetatable({}, {__close = function() log[#log + 1] = "closed" end})
  log[#log + 1] = "used"
end
return table.concat(log, ", then ")]]

  section("Errors say where and what")
  show [[return select(2, pcall(function() local config = {}; return config.window.width end))]]
end

-- == The collector =========================================================

-- Heaps that stay alive while the program continues. Each function returns the
-- objects to keep.
local heaps = {
  {"a million small objects", function()
    local list
    for i = 1, 1000000 do list = {next = list} end
    return list
  end},
  {"one array of a million tables", function()
    local t = {}
    for i = 1, 1000000 do t[i] = {i} end
    return t
  end},
  {"one table of 500000 keys", function()
    local t = {}
    for i = 1, 500000 do t["key" .. i] = i end
    return t
  end},
  {"50000 coroutines", function()
    local t = {}
    for i = 1, 50000 do
      t[i] = coroutine.wrap(function() coroutine.yield(); return i end)
      t[i]()
    end
    return t
  end},
  {"a weak cache of 500000 entries", function()
    local cache, keep = setmetatable({}, {__mode = "v"}), {}
    for i = 1, 500000 do
      cache[i] = {i}
      if i % 2 == 0 then keep[#keep + 1] = cache[i] end
    end
    return {cache, keep}
  end},
  {"a chain of 50000 ephemerons", function()
    local t = setmetatable({}, {__mode = "k"})
    local first = {}
    local k = first
    for i = 1, 50000 do local v = {}; t[k] = v; k = v end
    return {t, first}
  end},
  {"100000 objects with finalizers", function()
    local t, meta = {}, {__gc = function() end}
    for i = 1, 100000 do t[i] = setmetatable({}, meta) end
    return t
  end},
}

-- Allocates garbage in slices of some microseconds, for 0.6 s of processor
-- time.  Returns the longest and the typical slice, in milliseconds.
local function measure(build)
  local kept = build()
  local clock = os.clock
  local worst, times = 0, {}
  local stop = clock() + 0.6
  local now = clock()
  while now < stop do
    local garbage
    for i = 1, 50 do garbage = {i, garbage} end
    local later = clock()
    local time = later - now
    if time > worst then worst = time end
    if #times < 10000 then times[#times + 1] = time end
    now = clock()
  end
  table.sort(times)
  return worst * 1000, times[#times // 2] * 1000, kept
end

local function quote(s)
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

local function measure_once(interpreter, index)
  local p = io.popen(string.format("%s %s --measure %d 2>/dev/null",
                                   quote(interpreter), quote(arg[0]), index))
  local worst, usual = p:read("n", "n")
  p:close()
  return worst, usual
end

-- Runs this file again to measure one heap; nil if that interpreter fails.  The
-- machine disturbs single slices, so the better of two runs counts.
local function measure_with(interpreter, index)
  local worst, usual = measure_once(interpreter, index)
  local again = measure_once(interpreter, index)
  return worst and again and math.min(worst, again), usual
end

local function milliseconds(x)
  return x and ("%10.3f"):format(x) or ("%10s"):format("-")
end

local function tour_collector()
  section("The collector")
  print([[
  Each row keeps a heap alive, allocates for a while in slices of 50 small
  tables, and shows the longest slice, of two runs the better one. What is
  above the usual slice is time for which the program had to wait.
]])
  local other = os.execute("command -v lua5.4 >/dev/null 2>&1") and "lua5.4"
  local columns = {"usual", "longest", other or nil}
  local header = ("  %-32s"):format("milliseconds of processor time")
  for _, c in ipairs(columns) do header = header .. ("%10s"):format(c) end
  print(header)
  for i, heap in ipairs(heaps) do
    local worst, usual = measure_with(arg[-1], i)
    local row = ("  %-32s"):format(heap[1]) .. milliseconds(usual)
                .. milliseconds(worst)
    if other then row = row .. milliseconds((measure_with(other, i))) end
    print(row)
  end
  if not other then
    print("\n  (With lua5.4 installed there is a column to compare with.)")
  end
end

if arg[1] == "--measure" then
  local worst, usual = measure(heaps[tonumber(arg[2])][2])
  print(worst, usual)
else
  print("Penumbra: " .. _VERSION .. ", with a collector that works in short,"
        .. " bounded steps")
  tour_language()
  tour_collector()
end
