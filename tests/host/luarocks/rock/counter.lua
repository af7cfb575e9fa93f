-- SPDX-License-Identifier: MIT
-- The Lua half of the rock.
local core = require "counter.core"
return {
  take = function(count, from)
    local c, list = core.new(from), {}
    for i = 1, count do list[i] = c() end
    return list
  end,
}
