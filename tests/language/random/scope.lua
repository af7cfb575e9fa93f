-- SPDX-License-Identifier: MIT
--
-- scope.lua -- the names that the generated program can see at this point
--
-- A scope is a list of variables {name, type, const}; functions nest scopes.
-- The cost is an estimate of the number of statements that will run.  A loop
-- multiplies it, and nothing is generated that would make it too large.

local Scope = {}
Scope.__index = Scope

local MAX_COST = 600

function Scope.new(rng)
  return setmetatable({rng = rng, stack = {}, names = 0, factor = 1, cost = 0,
    loops = 0, functions = 0, depth = 0, vararg = false, coroutine = false,
    labels = 0}, Scope)
end

function Scope:push() self.stack[#self.stack + 1] = {} end
function Scope:pop() self.stack[#self.stack] = nil end

function Scope:fresh(prefix)
  self.names = self.names + 1
  return prefix .. self.names
end

function Scope:declare(name, kind, extra)
  local variable = extra or {}
  variable.name, variable.kind = name, kind
  local top = self.stack[#self.stack]
  top[#top + 1] = variable
  return variable
end

-- All visible variables of that kind.
function Scope:visible(kind, writable)
  local found = {}
  for _, level in ipairs(self.stack) do
    for _, v in ipairs(level) do
      if v.kind == kind and not (writable and v.const) then
        found[#found + 1] = v
      end
    end
  end
  return found
end

-- One visible variable, more often a recent one; nil if there is none.
function Scope:any(kind, writable)
  local found = self:visible(kind, writable)
  if #found == 0 then return nil end
  local n = #found
  if n > 4 and not self.rng:once_in(3) then
    return found[self.rng:int(n - 3, n)]
  end
  return self.rng:pick(found)
end

function Scope:spend(cost) self.cost = self.cost + (cost or 1) * self.factor end

function Scope:affords(cost)
  return cost * self.factor <= MAX_COST and self.cost < 4 * MAX_COST
end

-- Runs `f` as the body of a loop: all costs are multiplied by n.
function Scope:times(n, f)
  local factor = self.factor
  self.factor = factor * n
  self.loops = self.loops + 1
  f()
  self.loops = self.loops - 1
  self.factor = factor
end

-- Runs `f` as the body of a function. Returns the cost of one call.
function Scope:as_function(vararg, coroutine, f)
  local saved = {self.factor, self.cost, self.loops, self.vararg,
                 self.coroutine}
  self.factor, self.cost, self.loops = 1, 0, 0
  self.vararg, self.coroutine = vararg, coroutine
  self.functions = self.functions + 1
  f()
  self.functions = self.functions - 1
  local cost = self.cost + 1
  self.factor, self.cost, self.loops, self.vararg, self.coroutine =
    table.unpack(saved)
  return cost
end

return Scope
