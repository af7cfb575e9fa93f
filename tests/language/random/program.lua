-- SPDX-License-Identifier: MIT
--
-- program.lua -- a whole random program from a seed, and its text
--
-- A program is a list of statements (see statement.lua) after the prelude.
-- Most of them are sections: functions that run protected, so that an error
-- ends only the section.

local Hot = require "hot"
local Rng = require "rng"
local Scope = require "scope"
local Statement = require "statement"

local Program = {}

local MODES = {"", "", "collectgarbage('generational')",
  "collectgarbage('incremental', 100, 400)",
    "collectgarbage('incremental', 50)"}

-- Constants or variables in front of a section, so that the numbers of those
-- that follow do not fit into the fields of short instructions.
local function padding(rng)
  local kind, items = rng:weighted {12, "none", 2, "constants", 2, "locals"}, {}
  if kind == "none" then return "" end
  local count = kind == "locals" and 120 or rng:once_in(20) and 66000 or 300
  for i = 1, count do
    items[i] = kind == "locals" and "p" .. i or i .. ".25"
  end
  local list = table.concat(items, ", ")
  if kind == "locals" then return "local " .. list .. " = 1, 2, 3" end
  return "if not G then P {" .. list .. "} end"
end

local function section(scope, number)
  local body
  scope:as_function(false, false, function()
    body = Statement.block(scope, scope.rng:int(3, 8))
  end)
  table.insert(body, 1, padding(scope.rng))
  return {("section(%d, function()"):format(number), body, "end)"}
end

-- Variables of the main chunk: upvalues of all sections.
local function declare_shared(scope, program)
  for _, v in ipairs {{"x1", "integer", "7"}, {"x2", "integer", "-3"},
      {"x3", "float", "1.5"}, {"x4", "string", "'shared'"},
      {"x5", "array", "{5, 3, 9}"}, {"x6", "object", "V(4)"},
      {"x7", "record", "{a = 1, b = 2, c = 3, s = 'x'}"},
      {"x8", "boolean", "true"}} do
    program[#program + 1] = "local " .. v[1] .. " = " .. v[3]
    scope:declare(v[1], v[2])
  end
end

function Program.generate(seed)
  local rng = Rng.new(seed)
  local scope, program = Scope.new(rng), {rng:pick(MODES)}
  scope:push()
  declare_shared(scope, program)
  for i = 1, rng:int(2, 5) do program[#program + 1] = section(scope, i) end
  if rng:once_in(2) then
    program[#program + 1] = {"section('hot', function()", Hot.section(rng),
      "end)"}
  end
  program[#program + 1] = "P(x1, x2, x3, x4, x5, x6, x7, x8, G, calls)"
  return program
end

local function add_lines(lines, statements, indent)
  for _, s in ipairs(statements) do
    if type(s) == "string" then
      lines[#lines + 1] = indent .. s
    else
      for _, part in ipairs(s) do
        if type(part) == "string" then lines[#lines + 1] = indent .. part
        else add_lines(lines, part, indent .. "  ") end
      end
    end
  end
end

function Program.text(program, prelude)
  local lines = {prelude}
  add_lines(lines, program, "")
  return table.concat(lines, "\n") .. "\n"
end

return Program
