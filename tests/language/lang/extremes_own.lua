-- SPDX-License-Identifier: MIT
-- Every function of every library `penumbra.*` with the smallest and largest
-- numbers, and with values around them, in each argument. Each call may fail,
-- but it must end soon; the sanitizers see whether it computes something that C
-- does not define. The functions are those that the libraries have, so that a
-- new one is tried, too. Each has a process of its own, in an empty folder,
-- because some write files; a call that does not end is ended with the process.

local VALUES = {math.mininteger, math.mininteger + 1, math.maxinteger,
  math.maxinteger - 1, -2^63, 2^63, 2^53, 2^32, 1e308, -1e308, 1/0, -1/0, 0/0,
  -0.0, 0, 1, -1, 2, 0.5, 5e-324, "text", "", "-9223372036854775808", true,
  false}
local SECONDS = 2        -- of CPU time for a call, also under sanitizers
local PROCESS = 60       -- seconds for all calls of a function

-- An object with methods of its own, for each library that makes some.
local OBJECTS = {
  ["penumbra.sandbox"] = function(library) return library.new {units = 1000} end
}

-- A table in which each field is `v`, and the same two levels deep.
local function all_fields(v, depth)
  return setmetatable({}, {__index = function()
    return depth > 0 and all_fields(v, depth - 1) or v
  end})
end
local function census(v) return {names = {x = {count = v, bytes = v}}} end

-- The functions of a library and the methods of its objects.
local function functions_of(name)
  local library, list = require(name), {}
  for key, f in pairs(library) do list[key] = {f = f, firsts = {}} end
  if OBJECTS[name] then
    local object = OBJECTS[name](library)
    for key, f in pairs(debug.getmetatable(object).__index) do
      list[":" .. key] = {f = f, firsts = {object}}
    end
  end
  return list
end

-- Switches on what some functions need, and undoes what others set.
local function prepare()
  local gc, profile = require "penumbra.gc", require "penumbra.profile"
  gc.limit(0)
  gc.target(0)
  gc.frame(0)
  gc.finalizers(64)
  gc.external(-gc.external(0))
  gc.leaks(true, 4096)
  gc.report(true)
  gc.events(16)
  gc.pauses(true)
  pcall(profile.start)
  pcall(profile.startalloc)
end

local calls = 0
local function try(name, f, ...)
  local began = os.clock()
  calls = calls + 1
  pcall(f, ...)
  local seconds = os.clock() - began
  require "penumbra.gc".limit(0)
  if seconds < SECONDS then return end
  io.write(("%s takes %.1f s with"):format(name, seconds))
  for i = 1, select("#", ...) do io.write(" ", tostring((select(i, ...)))) end
  print()
  os.exit(1)
end

local function extremes(name, f, firsts)
  for _, a in ipairs(VALUES) do
    prepare()
    try(name, f, a)
    for depth = 0, 2 do try(name, f, all_fields(a, depth)) end
    for _, b in ipairs(VALUES) do
      try(name, f, a, b)
      try(name, f, census(a), census(b))
    end
    for _, first in ipairs(firsts) do
      for _, b in ipairs(VALUES) do
        try(name, f, first, a, b)
        try(name, f, first, "return ...", a, b)
      end
    end
  end
end

if arg[2] then
  local it = functions_of(arg[1])[arg[2]]
  extremes(arg[1] .. "." .. arg[2], it.f, it.firsts)
  print(calls > 1000 and "calls: many" or "calls: few")
  os.exit(true, true)
end

-- Runs one function in a process of its own. Returns what it prints.
local function run(library, name)
  local pipe <close> = assert(io.popen(([[
    folder=$(mktemp -d) && cd "$folder" && timeout %d '%s' '%s' %s '%s' 2>&1
    status=$?; cd / && rm -rf "$folder"
    [ $status -eq 0 ] || echo "status $status"]]):format(PROCESS, arg[-1], arg[0],
    library, name)))
  return pipe:read("a")
end

local tried = {}
for library in pairs(package.preload) do
  if library:find("^penumbra%.") then
    for name in pairs(functions_of(library)) do
      local text = run(library, name)
      if text ~= "calls: many\n" then print(library, name, text) end
      tried[library .. "." .. name] = true
    end
  end
end
print(tried["penumbra.gc.leaks"], tried["penumbra.sandbox.:run"],
      tried["penumbra.profile.start"], tried["penumbra.describe.signature"])
                                                  --> true true true true

-- The smallest limit is a limit, not the 0 that means none.
local sandbox, gc = require "penumbra.sandbox", require "penumbra.gc"
for _, least in ipairs {5e-324, 1e-9, 0.5} do
  local function ends(limit, code)
    return select(3, sandbox.new {[limit] = least}:run(code))
  end
  if least < 0.5 then print(ends("time", "while true do end")) end
  print(ends("units", "while true do end"))
  print(ends("memory", "local t = {} while true do t[#t + 1] = ('x'):rep(1e6 + #t) end"))
end
                                                  --> budget
                                                  --> budget
                                                  --> memory
                                                  --> budget
                                                  --> budget
                                                  --> memory
                                                  --> budget
                                                  --> memory
gc.frame(5e-324)
print(gc.frame(0))                                --> 1
print(pcall(gc.leaks, -1))                        -->~ ^false.*not negative expected
gc.leaks(true)
print(#gc.leaks(0), pcall(gc.leaks, math.mininteger))
                                                  -->~ ^0 false.*not negative expected
