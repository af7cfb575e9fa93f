-- SPDX-License-Identifier: MIT
--
-- profile.lua -- profiles show where the time goes, equally in both formats
--
--    penumbra profile.lua <penumbra> <folder to write to>

local profile = require "penumbra.profile"
local penumbra, folder = arg[1], arg[2]

local function read(name)
  local file <close> = assert(io.open(name, "rb"))
  return file:read("a")
end

-- The fields of a protocol buffer message.
local function fields(text)
  local list, at = {}, 1
  local function varint()
    local n, shift = 0, 0
    while true do
      local byte = text:byte(at)
      at = at + 1
      n = n | (byte & 0x7F) << shift
      shift = shift + 7
      if byte < 0x80 then return n end
    end
  end
  while at <= #text do
    local key = varint()
    local field, wire = key >> 3, key & 7
    assert(wire == 0 or wire == 2, "unknown sort of field")
    local value = varint()
    if wire == 2 then
      assert(at + value - 1 <= #text, "a field beyond the end")
      at, value = at + value, text:sub(at, at + value - 1)
    end
    list[#list + 1] = {field, value}
  end
  return list
end

local function one(list, field)
  for _, f in ipairs(list) do if f[1] == field then return f[2] end end
end

-- Stacks with their numbers of a type, as in the table of folded stacks.
local function decode(text, wanted)
  local strings, functions, locations, samples = {}, {}, {}, {}
  for _, f in ipairs(fields(text)) do
    if f[1] == 6 then strings[#strings + 1] = f[2] end
  end
  assert(strings[1] == "")
  local types, place = {}, nil
  for _, f in ipairs(fields(text)) do
    if f[1] == 1 then
      types[#types + 1] = strings[one(fields(f[2]), 1) + 1]
      if types[#types] == wanted then place = #types end
    end
  end
  assert(place, "no such type")
  for _, f in ipairs(fields(text)) do
    if f[1] == 5 then
      local m = fields(f[2])
      functions[one(m, 1)] = {name = strings[one(m, 2) + 1],
                              file = strings[one(m, 4) + 1]}
    elseif f[1] == 4 then
      local m = fields(f[2])
      local line = fields(one(m, 4))
      locations[one(m, 1)] = {id = one(line, 1), line = one(line, 2)}
    end
  end
  for _, f in ipairs(fields(text)) do
    if f[1] == 2 then
      local stack, counts = {}, {}
      for _, g in ipairs(fields(f[2])) do
        if g[1] == 2 then
          counts[#counts + 1] = g[2]
        else
          local location = assert(locations[g[2]])
          local fn = assert(functions[location.id])
          table.insert(stack, 1, location.line > 0 and
            ("%s (%s:%d)"):format(fn.name, fn.file, location.line) or
            fn.file ~= "" and ("%s (%s)"):format(fn.name, fn.file) or fn.name)
        end
      end
      assert(#counts == #types)
      samples[table.concat(stack, ";")] = counts[place]
    end
  end
  return samples
end

local function decode_folded(text)
  local samples = {}
  for stack, count in text:gmatch("([^\n]+) (%d+)\n") do
    samples[stack] = math.tointeger(count)
  end
  return samples
end

local function same(a, b)
  for stack, count in pairs(a) do
    assert(b[stack] == count, ("%s: %s and %s"):format(stack, count, b[stack]))
  end
  for stack in pairs(b) do assert(a[stack], stack) end
end

local function share(samples, pattern)
  local all, found = 0, 0
  for stack, count in pairs(samples) do
    all = all + count
    if stack:find(pattern) then found = found + count end
  end
  return found / all, all
end

local function hot(n)
  local x = 0
  for i = 1, n do x = x + i % 7 end
  return x
end
local function cold() return hot(10) end
local inside = coroutine.wrap(function()
  while true do
    hot(math.random(40000))
    coroutine.yield()
  end
end)

-- Pieces of random length: the samples come at regular times, and a loop that
-- takes a third of that would always be met in the same place.
local function work(seconds)
  local stop = os.clock() + seconds
  while os.clock() < stop do
    hot(math.random(120000))
    cold()
    inside()
  end
end

local pprof, folded = folder .. "/profile.pb", folder .. "/profile.folded"
profile.start()
work(0.7)
local samples = profile.stop(pprof)
same(samples, decode(read(pprof), "samples"))
for stack, nanoseconds in pairs(decode(read(pprof), "cpu")) do
  assert(nanoseconds == samples[stack] * 10000000)
end
local hot_share, all = share(samples, "hot %(")
assert(all > 20, all)
assert(hot_share > 0.8, hot_share)
local in_coroutine = share(samples, "^function %([^;]*profile.lua:%d+%);hot")
assert(in_coroutine > 0.05 and in_coroutine < 0.6, in_coroutine)

profile.start(50)
work(0.3)
samples = profile.stop(folded)
same(samples, decode_folded(read(folded)))

-- Allocations: the sum is right, and most of it is in the right function.
do
  local gc = require "penumbra.gc"
  local function maker(n)
    local list = {}
    for i = 1, n do list[i] = {i, {}} end
    return list
  end
  local function saver(n)
    local x
    for i = 1, n do x = {i} end
    return x
  end
  local before = gc.stats().allocated
  profile.startalloc(16384)
  for _ = 1, 50 do
    maker(2000)
    saver(200)
  end
  local bytes = profile.stopalloc(pprof)
  local allocated = gc.stats().allocated - before
  same(bytes, decode(read(pprof), "alloc_space"))
  local makers, sum = share(bytes, "maker %(")
  assert(makers > 0.8, makers)
  assert(sum > allocated * 0.9 and sum < allocated * 1.5,
         ("%d of %d bytes"):format(sum, allocated))
  assert(not pcall(profile.stopalloc))
  assert(not pcall(profile.readalloc))
end

-- Names of sources with bytes that separate calls or lines of a profile.
do
  local odd = assert(load("local t = {} for i = 1, 50000 do t[i % 10] = {i} end",
                          "=one;two\nthree\tfour"))
  profile.startalloc(1024)
  odd()
  local found = share(profile.stopalloc(), "one_two_three_four")
  assert(found > 0.8, found)
end

-- What is still alive, by bytes and by objects, and the line that made it.
do
  local kept = {}
  local function keeper(n)
    for i = 1, n do
      kept[#kept + 1] = {i, i}
    end
  end
  local function waster(n)
    for i = 1, n do local x = {i, i} end
  end
  collectgarbage()
  local before = collectgarbage("count")
  profile.startalloc(1024)
  for _ = 1, 20 do
    keeper(1000)
    waster(3000)
  end
  collectgarbage()
  local kilobytes = collectgarbage("count") - before
  local types = {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}
  local found = {}
  for _, what in ipairs(types) do
    local list = profile.readalloc(pprof, "pprof", what)
    same(list, decode(read(pprof), what))
    list = profile.readalloc(folded, "folded", what)
    for stack, n in pairs(list) do if n == 0 then list[stack] = nil end end
    same(list, decode_folded(read(folded)))
    for _, name in ipairs {"keeper", "waster"} do
      local share_of, all_of = share(list, name .. " %(")
      found[name .. " " .. what] = share_of * all_of
    end
  end
  local function near(name, expected)
    local n = found[name]
    assert(n > expected * 0.7 and n < expected * 1.4,
           ("%s: %.0f, not %.0f"):format(name, n, expected))
  end
  near("waster alloc_space", found["keeper alloc_space"] * 2.4)
  near("keeper inuse_space", kilobytes * 1024)
  near("keeper inuse_objects", 20 * 1000)
  assert(found["waster inuse_space"] == 0)
  assert(found["waster inuse_objects"] == 0)
  local stacks = profile.stopalloc(nil, nil, "inuse_space")
  local line = debug.getinfo(keeper, "S").linedefined + 2
  local there = share(stacks, ("keeper %%(.*profile.lua:%d%%)$"):format(line))
  local keepers = share(stacks, "keeper %(")
  assert(there == keepers and there > 0.5, there)
end

-- Errors, and a hook of the program is kept.
assert(not pcall(profile.stop))
assert(not pcall(profile.start, 0))
profile.start()
assert(not pcall(profile.start))
local hooked = 0
debug.sethook(function() hooked = hooked + 1 end, "", 1000)
work(0.2)
assert(debug.gethook() and hooked > 100)
debug.sethook()
assert(not profile.stop(folder .. "/no/such/folder.pb"))

-- The collector, and the command line.
local script = folder .. "/profile_program.lua"
do
  local file <close> = assert(io.open(script, "w"))
  file:write [[
    local list = {}
    for i = 1, 300000 do list[i] = {i} end
    local function busy() for i = 1, 3000000 do list[i % 300000 + 1] = {i} end end
    busy()
  ]]
end
assert(os.execute(("'%s' --profile '%s' '%s'"):format(penumbra, folded, script)))
samples = decode_folded(read(folded))
local busy
busy, all = share(samples, "busy %(")
assert(all > 5 and busy > 0.3, busy)
assert(share(samples, ";%(collector%)$") > 0)
assert(os.execute(("'%s' --profile-alloc='%s' '%s'"):format(penumbra, pprof,
                                                            script)))
samples = decode(read(pprof), "inuse_space")
assert(share(samples, "profile_program.lua:[23]%)$") > 0.9)
for _, name in ipairs {pprof, folded, script} do os.remove(name) end
print "ok"

-- The slowest and the fastest rate.
for _, hz in ipairs {0, -1, 10001} do assert(not pcall(profile.start, hz), hz) end
for hz, seconds in pairs {[1] = 1.5, [2] = 0.8, [10000] = 0.1} do
  profile.start(hz)
  local began = os.clock()
  while os.clock() - began < seconds do end
  local count = 0
  for _, n in pairs(profile.stop()) do count = count + n end
  assert(count > 0, ("no sample at %d Hz"):format(hz))
end
