-- SPDX-License-Identifier: MIT
--
-- shrink.lua -- shrinks a failing program
--
-- Removes statements, first many at a time and then one by one, and replaces
-- compound statements by their bodies, as long as `fails` says that the rest
-- still fails.  The program (see statement.lua) is changed in place.

local Shrink = {}

-- All lists of statements in a program, outermost first.
local function lists_of(program)
  local lists = {program}
  local i = 1
  while lists[i] do
    for _, s in ipairs(lists[i]) do
      if type(s) == "table" then
        for _, part in ipairs(s) do
          if type(part) == "table" then lists[#lists + 1] = part end
        end
      end
    end
    i = i + 1
  end
  return lists
end

-- Replaces `count` entries from `at` by others.  Returns a function that undoes
-- it.
local function splice(list, at, count, others)
  local saved = table.move(list, 1, #list, 1, {})
  local tail = table.move(list, at + count, #list, 1, {})
  for i = #list, at, -1 do list[i] = nil end
  table.move(others, 1, #others, at, list)
  table.move(tail, 1, #tail, #list + 1, list)
  return function()
    for i = #list, 1, -1 do list[i] = nil end
    table.move(saved, 1, #saved, 1, list)
  end
end

local function try(list, at, count, others, fails)
  local undo = splice(list, at, count, others)
  if fails() then return true end
  undo()
  return false
end

-- Removes runs of `count` statements where that keeps the failure.
local function remove_runs(program, count, fails)
  local changed = false
  for _, list in ipairs(lists_of(program)) do
    local at = #list - count + 1
    while at >= 1 do
      if try(list, at, count, {}, fails) then changed = true end
      at = math.min(at - count, #list - count + 1)
    end
  end
  return changed
end

-- Replaces compound statements by their bodies.
local function unwrap(program, fails)
  for _, list in ipairs(lists_of(program)) do
    for at = #list, 1, -1 do
      local s = list[at]
      for _, part in ipairs(type(s) == "table" and s or {}) do
        if type(part) == "table" and try(list, at, 1, part, fails) then
          return true
        end
      end
    end
  end
  return false
end

function Shrink.run(program, fails)
  local changed
  repeat
    changed = false
    for _, count in ipairs {32, 16, 8, 4, 2, 1} do
      changed = remove_runs(program, count, fails) or changed
    end
    changed = unwrap(program, fails) or changed
  until not changed
  return program
end

return Shrink
