-- SPDX-License-Identifier: MIT
--
-- What penumbra.describe says of each function of the libraries is what the
-- function does.
local describe = require "penumbra.describe"

local libraries = {[""] = _G, ["file:"] = getmetatable(io.stdout).__index}
for name, library in pairs(package.loaded) do
  if type(library) == "table" and _G[name] == library and name ~= "_G" then
    libraries[name .. "."] = library
  end
end

local count = 0
local function each(visit)
  for prefix, library in pairs(libraries) do
    for name, f in pairs(library) do
      if type(f) == "function" and not debug.getinfo(f, "S").source:find "^@" then
        count = count + 1
        visit(prefix .. name, f, prefix == "file:")
      end
    end
  end
end

-- Every function has a description, and it begins with its name.
each(function(name, f)
  local text = describe.signature(f)
  assert(text and text:sub(1, #name + 1) == name .. "(", name)
  local names = {}
  for _, p in ipairs(describe.parameters(f)) do
    assert(not names[p.name] and #p.type > 0, name)
    names[p.name] = true
    assert(p.name == "file" or text:find(p.name, 1, true), text)
  end
end)
assert(count > 130, count)

-- These read from the terminal, end the program, or change the state.
local left_out = {["debug.debug"] = true, ["os.exit"] = true,
  ["io.read"] = true, ["dofile"] = true, ["loadfile"] = true,
  ["coroutine.yield"] = true, ["io.close"] = true, ["file:close"] = true}

local samples = {integer = 1, number = 1.5, string = "x", table = {},
  ["function"] = print, any = 1, coroutine = coroutine.create(print),
  ["function or string"] = "x",
  file = io.stdout, ["table or nil"] = {}, ["table or string"] = "x"}
local wrong = {integer = {}, number = {}, string = {}, table = 1,
  ["function"] = 1, coroutine = 1, file = 1, ["table or nil"] = 1,
  ["table or string"] = 1}

-- The arguments that a call needs at least.
local function needed(parameters)
  local args = {}
  for i, p in ipairs(parameters) do
    if p.optional then break end
    args[i] = samples[p.type]
  end
  return args
end

local function refused(ok, message)
  return not ok and (message:find "bad argument" or message:find "attempt to")
end

-- Without the last argument that it needs, and with one of another type, each
-- function raises an error. It may be about another argument.
each(function(name, f)
  local parameters = describe.parameters(f)
  local args = needed(parameters)
  if left_out[name] or #args == 0 then return end
  local ok, message = pcall(f, table.unpack(args, 1, #args - 1))
  assert(refused(ok, message), name .. ": " .. tostring(message))
  for i = 1, #args do
    local bad = wrong[parameters[i].type]
    if bad then
      local changed = table.move(args, 1, #args, 1, {})
      changed[i] = bad
      ok, message = pcall(f, table.unpack(changed))
      assert(refused(ok, message), ("%s %d: %s"):format(name, i, message))
    end
  end
end)

-- Functions of the program and of other libraries.
print(describe.signature(function(a, b, ...) end))              --> function(a, b, ...)
print(describe.signature(load(string.dump(function(a) end, true)))) --> function(?)
print(describe.signature(coroutine.wrap(print)))                --> nil
print(describe.parameters(function(a) end))                     --> nil
print(describe.signature(require))                              --> require(modname)
print(pcall(describe.signature, 1)) -->~ bad argument #1
