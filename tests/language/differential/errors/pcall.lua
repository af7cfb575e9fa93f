-- SPDX-License-Identifier: MIT
-- error, pcall, xpcall, levels and values (manual 2.3, 6.1).
print(pcall(error)) print(pcall(error, nil)) print(pcall(error, "m"))
print(pcall(error, "m", 0)) print(pcall(error, "m", 1))
print(pcall(error, "m", 2)) print(pcall(error, 5)) print(pcall(error, true))
local function l0() error("level 0", 0) end local function l1()
error("level 1", 1) end local function l2() error("level 2", 2) end local
function l3() error("level 3", 3) end local function call(f) f() end
for _, f in ipairs {l0, l1, l2, l3} do print(pcall(f)) print(pcall(call, f))
print(pcall(function() call(f) end)) end
print(select("#", pcall(error))) print(pcall(function() return 1, nil, 3 end))
print(pcall(pcall, error, "x")) print(pcall(pcall)) print(pcall(5))
print(pcall(nil)) print(pcall({}))
local t = {} print(select(2, pcall(error, t)) == t)
print(pcall(error, setmetatable({},
  {__tostring = function() return "string form" end})))
print(xpcall(error, function(m) return "h:" .. tostring(m) end, "arg"))
print(xpcall(function(...) return ... end, print, 1, 2))
print(xpcall(function() local x = nil; x() end, function(m) return m:upper(),
  "second" end))
print(xpcall(error, function(m) error("again") end, "x"))
print(xpcall(error, error, "same")) print(pcall(xpcall, error, 5, "x"))
print(pcall(xpcall, error, nil, "x")) print(pcall(xpcall, error))
print(xpcall(function() error(nil) end, function(m) return type(m) end))
print(xpcall(function() error({1}) end, function(m) return m[1] end))
print(select(2, xpcall(function() error("tb") end, debug.traceback)))
print(select(2, xpcall(function() error({}) end, function(e) return
  type(debug.traceback(e)) end)))
local depth = 0 local function handler(m) depth = depth + 1 if depth < 5 then
error("nested" .. depth, 0) end return "final " .. m end
print(xpcall(error, handler, "start")) print(depth)
local function recurse() return recurse() + 1 end local ok, m = pcall(recurse)
print(ok, (m:gsub("%(.*", "")):sub(1, 60)) local function infinite(m)
return infinite(m) .. "x" end
local ok, m = xpcall(recurse, function(m) return "overflow handled: " ..
  tostring(m:match "stack overflow") end) print(ok, m)
local ok, m = xpcall(recurse, recurse) print(ok, type(m))
print(pcall(string.rep, "x", 1 << 40))
print(pcall(function() return ("x"):rep(1e10) end))
print(pcall(string.rep, "abc", math.maxinteger))
print(pcall(table.concat, setmetatable({},
  {__len = function() return math.maxinteger end, __index = function() return
  "x" end}), "", math.maxinteger - 1, math.maxinteger))
print(pcall(assert, false, "msg")) print(pcall(assert, nil))
print(assert(1, 2, 3))
print(pcall(assert, false, {1}) , select(2, pcall(assert, false, 12)))
print(select("#", assert(true, nil)))
for i = 1, 3 do
local ok, e = pcall(function() for j = 1, 3 do if i == j then
  error("at " .. i, 0) end end end) io.write(e, " ") end print()
local count = 0 for i = 1, 1000 do if not pcall(error) then count = count + 1
end end print(count)
print(pcall(function() local ok, e = pcall(error, "inner", 0)
  error("outer " .. e, 0) end))
print(pcall(setmetatable({}, {__call = function(self, a) return "called", a
  end}), 5))
print(pcall(function(...) error(select("#", ...), 0) end, nil, nil))
print(pcall(load, "x ="))
print(pcall(function() error("multi\nline") end))
print(pcall(function() error("") end))
print(pcall(function() error("\0zero") end))
print(tostring(nil) .. "", pcall(tostring))
