-- SPDX-License-Identifier: MIT
--- A queue, for the tools to work on.
-- @module queue
local queue = {}
queue.__index = queue

--- Makes an empty queue.
-- @treturn queue the new one
function queue.new()
  return setmetatable({first = 1, last = 0}, queue)
end

--- Adds a value at the end.
-- @param value anything but nil
function queue:push(value)
  self.last = self.last + 1
  self[self.last] = value
end

--- Takes the first value.
-- @return the value, or nil if the queue is empty
function queue:pop()
  local value = self[self.first]
  if value == nil then return nil end
  self[self.first] = nil
  self.first = self.first + 1
  return value
end

local unused = 1
misspelt = queue
return queue
