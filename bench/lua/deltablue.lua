-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 70
--
-- DeltaBlue: an incremental solver of constraints of different strengths
-- (Freeman-Benson, Maloney and Borning 1990).  Classes with inheritance, lists
-- of objects, many short methods.  Solves a chain of equalities and a set of
-- linear projections, and checks the values.
-- Argument: length of the chain and number of projections.

local size = tonumber(arg and arg[1]) or 600
local repetitions = 40

-- Strengths: the smaller, the stronger ---------------------------------------

local REQUIRED, PREFERRED, NORMAL, WEAK_DEFAULT, WEAKEST = 0, 1, 2, 3, 4

local function class(parent)
  local methods = {}
  methods.__index = methods
  return setmetatable(methods, { __index = parent })
end

-- Variables ------------------------------------------------------------------

-- `strength` is that of the weakest constraint that could be dropped to free
-- the variable; `stay` says that its value is known when planning.
local Variable = class()

local function new_variable(value)
  return setmetatable({ value = value, constraints = {}, determined_by = nil,
                        strength = WEAKEST, stay = true, mark = 0 }, Variable)
end

function Variable:add(constraint)
  self.constraints[#self.constraints + 1] = constraint
end

function Variable:remove(constraint)
  local list = self.constraints
  for i = 1, #list do
    if list[i] == constraint then
      table.remove(list, i)
      break
    end
  end
  if self.determined_by == constraint then self.determined_by = nil end
end

-- Calls `visit` for each constraint that takes the variable as an input.
function Variable:each_use(visit)
  local list, source = self.constraints, self.determined_by
  for i = 1, #list do
    local constraint = list[i]
    if constraint ~= source and constraint:is_satisfied() then
      visit(constraint)
    end
  end
end

-- Constraints ----------------------------------------------------------------

local Constraint = class()

function Constraint:is_input() return false end

-- Tries to enforce the constraint.  Returns the constraint it displaced, if
-- any.
function Constraint:satisfy(planner, mark)
  self:choose_method(mark)
  if not self:is_satisfied() then
    assert(self.strength ~= REQUIRED, "a required constraint cannot be met")
    return nil
  end
  self:mark_inputs(mark)
  local out = self:output()
  local displaced = out.determined_by
  if displaced then displaced:mark_unsatisfied() end
  out.determined_by = self
  assert(planner:add_propagate(self, mark), "cycle")
  out.mark = mark
  return displaced
end

function Constraint:destroy(planner)
  if self:is_satisfied() then planner:incremental_remove(self) end
  self:remove_from_graph()
end

-- On one variable: keeps its value, or lets it be set from outside.
local Unary = class(Constraint)

local function new_unary(of, planner, variable, strength)
  local self = setmetatable({ variable = variable, strength = strength,
                              satisfied = false }, of)
  variable:add(self)
  planner:incremental_add(self)
  return self
end

function Unary:is_satisfied() return self.satisfied end
function Unary:mark_unsatisfied() self.satisfied = false end
function Unary:output() return self.variable end
function Unary:mark_inputs() end
function Unary:inputs_known() return true end
function Unary:execute() end

function Unary:remove_from_graph()
  self.variable:remove(self)
  self.satisfied = false
end

function Unary:choose_method(mark)
  local variable = self.variable
  self.satisfied = variable.mark ~= mark and
                   self.strength < variable.strength
end

function Unary:recalculate()
  local variable = self.variable
  variable.strength = self.strength
  variable.stay = not self:is_input()
  if variable.stay then self:execute() end
end

local Stay = class(Unary)
local Edit = class(Unary)
function Edit:is_input() return true end

-- Between two variables; `direction` is nil, "forward" or "backward".
local Binary = class(Constraint)

local function connect(self, planner)
  self.a:add(self)
  self.b:add(self)
  planner:incremental_add(self)
  return self
end

function Binary:is_satisfied() return self.direction ~= nil end
function Binary:mark_unsatisfied() self.direction = nil end

function Binary:output()
  return self.direction == "forward" and self.b or self.a
end

function Binary:input()
  return self.direction == "forward" and self.a or self.b
end

function Binary:mark_inputs(mark) self:input().mark = mark end

function Binary:inputs_known(mark)
  local input = self:input()
  return input.mark == mark or input.stay or input.determined_by == nil
end

function Binary:remove_from_graph()
  self.a:remove(self)
  self.b:remove(self)
  self.direction = nil
end

function Binary:choose_method(mark)
  local a, b = self.a, self.b
  local into
  if a.mark == mark then
    into = b.mark ~= mark and b or nil
  elseif b.mark == mark then
    into = a
  else
    into = a.strength > b.strength and a or b
  end
  if not into or self.strength >= into.strength then
    self.direction = nil
  else
    self.direction = into == b and "forward" or "backward"
  end
end

function Binary:recalculate()
  local input, output = self:input(), self:output()
  output.strength = math.max(self.strength, input.strength)
  output.stay = input.stay
  if output.stay then self:execute() end
end

local Equality = class(Binary)

local function new_equality(planner, a, b, strength)
  return connect(setmetatable({ a = a, b = b, strength = strength }, Equality),
                 planner)
end

function Equality:execute() self:output().value = self:input().value end

-- b = a * scale + offset; scale and offset are inputs in both directions.
local Scale = class(Binary)

local function new_scale(planner, a, scale, offset, b, strength)
  local self = setmetatable({ a = a, b = b, scale = scale, offset = offset,
                              strength = strength }, Scale)
  scale:add(self)
  offset:add(self)
  return connect(self, planner)
end

function Scale:remove_from_graph()
  Binary.remove_from_graph(self)
  self.scale:remove(self)
  self.offset:remove(self)
end

function Scale:mark_inputs(mark)
  Binary.mark_inputs(self, mark)
  self.scale.mark, self.offset.mark = mark, mark
end

function Scale:execute()
  local scale, offset = self.scale.value, self.offset.value
  if self.direction == "forward" then
    self.b.value = self.a.value * scale + offset
  else
    self.a.value = (self.b.value - offset) / scale
  end
end

function Scale:recalculate()
  local input, output = self:input(), self:output()
  output.strength = math.max(self.strength, input.strength)
  output.stay = input.stay and self.scale.stay and self.offset.stay
  if output.stay then self:execute() end
end

-- The planner ----------------------------------------------------------------

local Planner = class()

local function new_planner() return setmetatable({ mark = 0 }, Planner) end

function Planner:new_mark()
  self.mark = self.mark + 1
  return self.mark
end

function Planner:incremental_add(constraint)
  local mark = self:new_mark()
  local displaced = constraint:satisfy(self, mark)
  while displaced do displaced = displaced:satisfy(self, mark) end
end

-- The strongest possible constraint takes over what depended on this one.
function Planner:incremental_remove(constraint)
  local out = constraint:output()
  constraint:mark_unsatisfied()
  constraint:remove_from_graph()
  local unsatisfied = self:remove_propagate_from(out)
  for strength = REQUIRED, WEAKEST do
    for i = 1, #unsatisfied do
      local candidate = unsatisfied[i]
      if candidate.strength == strength then self:incremental_add(candidate) end
    end
  end
end

-- False if the constraint turns out to depend on its own output.
function Planner:add_propagate(constraint, mark)
  local todo = { constraint }
  while #todo > 0 do
    local one = table.remove(todo)
    local out = one:output()
    if out.mark == mark then
      self:incremental_remove(constraint)
      return false
    end
    one:recalculate()
    out:each_use(function(use) todo[#todo + 1] = use end)
  end
  return true
end

function Planner:remove_propagate_from(out)
  out.determined_by, out.strength, out.stay = nil, WEAKEST, true
  local unsatisfied, todo = {}, { out }
  while #todo > 0 do
    local variable = table.remove(todo)
    for _, constraint in ipairs(variable.constraints) do
      if not constraint:is_satisfied() then
        unsatisfied[#unsatisfied + 1] = constraint
      end
    end
    variable:each_use(function(use)
      use:recalculate()
      todo[#todo + 1] = use:output()
    end)
  end
  return unsatisfied
end

-- The constraints to execute, in order, when these inputs change.
function Planner:plan_for(sources)
  local mark, plan, todo = self:new_mark(), {}, {}
  for _, source in ipairs(sources) do
    if source:is_input() and source:is_satisfied() then
      todo[#todo + 1] = source
    end
  end
  while #todo > 0 do
    local one = table.remove(todo)
    local out = one:output()
    if out.mark ~= mark and one:inputs_known(mark) then
      plan[#plan + 1] = one
      out.mark = mark
      out:each_use(function(use) todo[#todo + 1] = use end)
    end
  end
  return plan
end

local function execute(plan)
  for i = 1, #plan do plan[i]:execute() end
end

-- Temporarily gives the variable a value from outside.
local function change(planner, variable, value)
  local edit = new_unary(Edit, planner, variable, PREFERRED)
  local plan = planner:plan_for({ edit })
  for _ = 1, 10 do
    variable.value = value
    execute(plan)
  end
  edit:destroy(planner)
end

-- Two problems ---------------------------------------------------------------

local function solve_chain(n)
  local planner = new_planner()
  local first = new_variable(0)
  local last = first
  for _ = 1, n do
    local following = new_variable(0)
    new_equality(planner, last, following, REQUIRED)
    last = following
  end
  new_unary(Stay, planner, last, WEAK_DEFAULT)
  local edit = new_unary(Edit, planner, first, PREFERRED)
  local plan = planner:plan_for({ edit })
  for value = 1, 50 do
    first.value = value
    execute(plan)
    assert(last.value == value)
  end
  edit:destroy(planner)
  return #plan
end

local function solve_projection(n)
  local planner = new_planner()
  local scale, offset = new_variable(10), new_variable(1000)
  local from, to, ends = nil, nil, {}
  for i = 1, n do
    from, to = new_variable(i), new_variable(i)
    ends[i] = to
    new_unary(Stay, planner, from, NORMAL)
    new_scale(planner, from, scale, offset, to, REQUIRED)
  end
  change(planner, from, 17)
  assert(to.value == 1170)
  change(planner, to, 1050)
  assert(from.value == 5)
  change(planner, scale, 5)
  for i = 1, n - 1 do assert(ends[i].value == i * 5 + 1000) end
  change(planner, offset, 2000)
  for i = 1, n - 1 do assert(ends[i].value == i * 5 + 2000) end
  return ends[1].value + ends[n].value
end

local sum = 0
for _ = 1, repetitions do
  sum = (sum * 31 + solve_chain(size)) % 1000000007
  sum = (sum * 31 + solve_projection(size)) % 1000000007
end
print(string.format("checksum %d", sum))
