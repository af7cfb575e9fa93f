-- SPDX-License-Identifier: MIT
-- Random edits of weak tables of all modes, with strings, numbers, objects and
-- objects that come back from their finalizers, while the collector works.
-- Builds with checks notice what goes wrong; here every entry that can be seen
-- must be whole.

local random = math.random

local MODES = {"k", "v", "kv", "kv"}
local tables, kept, revived = {}, {}, {}

local function new_weak(mode) return setmetatable({}, {__mode = mode}) end

local function is_whole(x)
  if type(x) == "table" then return x.id > 0 and x.text == "text " .. x.id end
  return type(x) == "number" or #x > 0
end

local function look_at(t)
  for k, v in next, t do assert(is_whole(k) and is_whole(v)) end
end

local function finalize(object)
  if random(3) == 1 then revived[random(5)] = object end
  for _, t in ipairs(tables) do look_at(t) end
end

local function object()
  local o = {id = random(100)}
  o.text = "text " .. o.id
  if random(4) == 1 then setmetatable(o, {__gc = finalize}) end
  if random(2) == 1 then kept[random(20)] = o end
  return o
end

local function something()
  local kind = random(6)
  if kind == 1 then return "short" .. random(50) end
  if kind == 2 then return ("long"):rep(20) .. random(20) end
  if kind == 3 then return random(100) end
  return object()
end

local edits = {
  {2, function(t) t[random(20)] = something() end},
  {3, function(t) look_at(t) end},
  {6, function() kept[random(20)] = nil end},
  {1, function() revived = {} end},
  {2, function() collectgarbage("step", random(3)) end},
  {.2, function() collectgarbage(random(2) == 1 and "generational" or "incremental") end},
  {.3, function() tables[random(4)] = new_weak(MODES[random(4)]) end},
  {.3, function(t) for _ = 1, random(200) do t[object()] = something() end end},
}

for seed = 1, 3 do
  math.randomseed(seed)
  for i, mode in ipairs(MODES) do tables[i] = new_weak(mode) end
  for _ = 1, 2500 do
    local t = tables[random(#tables)]
    t[something()] = something()
    for _, edit in ipairs(edits) do
      if random() * 50 < edit[1] then edit[2](t) end
    end
  end
end
collectgarbage()
print("done")                                   --> done
