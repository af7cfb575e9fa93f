-- SPDX-License-Identifier: MIT
--
-- luals.lua <folder of definitions>: every library of ours has a file of
-- definitions. The file lists exactly the functions of the library, with their
-- parameters documented, and exactly the fields of the tables they return.

local folder = arg[1]
local failures = 0

local function fail(...)
  failures = failures + 1
  print("FAILED: " .. string.format(...))
end

-- Reads the definitions of a file: functions with parameters, classes with
-- fields.
local function read(name)
  local path = folder .. "/" .. name .. ".lua"
  local file = io.open(path)
  if not file then
    fail("%s has no definitions: %s is missing", name, path)
    return nil
  end
  local text = file:read("a")
  file:close()
  assert(load(text, "@" .. path))
  if not text:find("^%-%-%-@meta " .. name:gsub("%p", "%%%0") .. "\n") then
    fail("%s does not begin with ---@meta %s", path, name)
  end
  local defined = {functions = {}, classes = {}}
  local class, documented = nil, {}
  for line in text:gmatch("[^\n]*") do
    local new = line:match("^%-%-%-@class ([%w_.]+)")
    local field, optional = line:match("^%-%-%-@field ([%w_]+)(%??) ")
    local parameter = line:match("^%-%-%-@param ([%w_.]+)%??%s")
    local f, parameters = line:match("^function [%w_]+%.([%w_]+)%((.-)%) end$")
    if new then
      class = {}
      defined.classes[new] = class
    elseif field then
      class[field] = optional == "?" and "optional" or "always"
    elseif parameter then
      documented[parameter] = true
    elseif f then
      defined.functions[f] = true
      for p in parameters:gmatch("[%w_.]+") do
        if not documented[p] then fail("%s.%s: %s is not documented", name, f, p) end
        documented[p] = nil
      end
      for p in pairs(documented) do fail("%s.%s has no parameter %s", name, f, p) end
      documented = {}
    end
  end
  return defined
end

-- Checks that both lists have the same names.
local function compare(what, real, defined)
  for name in pairs(real) do
    if not defined[name] then fail("%s: %s is not defined", what, name) end
  end
  for name, when in pairs(defined) do
    if when ~= "optional" and real[name] == nil then
      fail("%s: %s is defined, but not there", what, name)
    end
  end
end

local function compare_class(defined, class, ...)
  for _, value in ipairs {...} do
    compare(class, value, defined.classes[class] or {})
  end
end

-- Tables that the functions of penumbra.gc return.
local function compare_gc_tables(defined)
  local gc = require "penumbra.gc"
  compare_class(defined, "penumbra.gc.stats", gc.stats())
  gc.pauses(true)
  gc.events(100000)
  for i = 1, 300000 do local garbage = {i} end
  collectgarbage()
  local big = string.rep("x", 1000000)
  local pauses, events = gc.pauses(false), gc.poll()
  gc.events(false)
  compare_class(defined, "penumbra.gc.pauses", pauses)
  compare_class(defined, "penumbra.gc.collections", pauses.collections)
  assert(#pauses.buckets > 0)
  compare_class(defined, "penumbra.gc.bucket", table.unpack(pauses.buckets))
  assert(#events > 0)
  local optional = {}
  for _, event in ipairs(events) do
    compare("penumbra.gc.event", event, defined.classes["penumbra.gc.event"])
    for name in pairs(event) do optional[name] = true end
  end
  for name in pairs(defined.classes["penumbra.gc.event"]) do
    if not optional[name] then fail("no event has %s", name) end
  end
  return #big
end

local libraries = 0
for name in pairs(package.preload) do
  if name:find("^penumbra%.") then
    libraries = libraries + 1
    local library = require(name)
    local defined = read(name)
    if defined and type(library) == "table" then
      local functions = {}
      for key, value in pairs(library) do
        if type(value) == "function" then functions[key] = true end
      end
      compare(name, functions, defined.functions)
      if name == "penumbra.gc" then compare_gc_tables(defined) end
    end
  end
end
assert(libraries > 0, "no library of ours")
print(libraries .. " libraries, " .. failures .. " failures")
os.exit(failures == 0)
