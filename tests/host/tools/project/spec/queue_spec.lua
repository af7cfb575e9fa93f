-- SPDX-License-Identifier: MIT
local queue = require "queue"

describe("a queue", function()
  local q
  before_each(function() q = queue.new() end)

  it("gives back in order", function()
    q:push("a") q:push("b")
    assert.are.equal("a", q:pop())
    assert.are.equal("b", q:pop())
    assert.is_nil(q:pop())
  end)

  it("can be spied on", function()
    local s = spy.new(function(value) q:push(value) end)
    s(1)
    assert.spy(s).was_called_with(1)
  end)

  it("fails where it should", function()
    assert.are.same({1, {2}}, {1, {3}})
  end)

  it("errors where it should", function()
    assert.has_error(function() error("oops", 0) end, "oops")
  end)

  pending("is finished")
end)
