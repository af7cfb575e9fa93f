-- SPDX-License-Identifier: MIT
-- warn: control messages, pieces, states (manual 6.1).
warn("before on") warn("@on") warn("first") warn("in ", "three ", "pieces")
  warn("@off") warn("hidden") warn("@on") warn("@unknown") warn("again")
  warn("@", "on") warn("") warn("number ", 5, " ", 1.5) print(pcall(warn))
print(pcall(warn, nil)) print(pcall(warn, "x", {}))
print(pcall(warn, "a", true)) warn("with\nnewline") warn("with \0 zero")
  setmetatable({}, {__gc = function() error("in finalizer") end})
collectgarbage() setmetatable({}, {__gc = function() error({}) end})
collectgarbage() setmetatable({}, {__gc = function()
  error(setmetatable({}, {__tostring = function() return "obj" end})) end})
collectgarbage() setmetatable({}, {__gc = function() error("x", 0) end})
collectgarbage() setmetatable({}, {__gc = function() error(nil) end})
collectgarbage() setmetatable({}, {__gc = function() local t = nil; return t.x
  end}) collectgarbage() setmetatable({}, {__gc = 5})
collectgarbage() coroutine.wrap(function() setmetatable({},
  {__gc = function() error("in coroutine") end}) collectgarbage() end)()
print(select("#", warn("result"))) warn("@off")
  setmetatable({}, {__gc = function() error("silent") end})
collectgarbage() warn("@on") setmetatable({},
  {__gc = function() error("at the end") end})
