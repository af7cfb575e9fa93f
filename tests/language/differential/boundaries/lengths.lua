-- Lengths of tables with keys at powers of two, up to the largest integer, and
-- the largest possible number of values.
local try = dofile("try.lua")

-- Every border is a power of two less one, or the end; the ends are one case each.
for last = 0, 62 do
  local t = {}
  for k = 0, last do t[1 << k] = true end
  local n = #t
  print(last, t[n] ~= nil or n == 0, t[n + 1] == nil or n == math.maxinteger)
end
local t = {}
for k = 0, 62 do t[1 << k] = true end
t[math.maxinteger] = true
local n = #t
print(n == math.maxinteger or (t[n] and t[n + 1] == nil))
for _, key in ipairs {math.maxinteger, math.mininteger, 0, -1, math.maxinteger - 1} do
  local t = {[key] = "v"}
  print(key, #t, t[key], next(t))
  t[key] = nil
  print(#t, next(t))
end
try("insert", function()
  local t = setmetatable({}, {__len = function() return math.maxinteger end})
  table.insert(t, "x")
  return next(t)
end)
try("insert at", table.insert, {1, 2, 3}, 5, "x")
try("insert at", table.insert, {1, 2, 3}, 4, "x")
try("insert at", table.insert, {1, 2, 3}, 0, "x")
try("remove at", table.remove, {1, 2, 3}, 4)
try("remove at", table.remove, {}, 0)
try("unpack", function() return select("#", table.unpack({}, 1, 1000000)) end)
try("unpack", function() return select("#", table.unpack({}, 1, 10000000)) end)
try("unpack", table.unpack, {}, math.mininteger, math.maxinteger)
try("unpack", function()
  return select("#", table.unpack({}, math.maxinteger - 3, math.maxinteger))
end)
try("unpack", table.unpack, {}, 1, 0)

-- Results that do not fit on the stack of the resuming coroutine.
local function many(n) return table.unpack({}, 1, n) end
local function told(ok, message, ...)
  return ok, ok and select("#", ...) or message
end
for _, n in ipairs {10, 100000, 400000, 900000} do
  try("resume " .. n, function(...)
    local co = coroutine.create(function() return many(n) end)
    return (function(...)
      return told(coroutine.resume(co))
    end)(many(500000))
  end)
  try("yield " .. n, function()
    local co = coroutine.create(function() coroutine.yield(many(n)) end)
    return (function(...)
      local ok, more = told(coroutine.resume(co))
      return ok, more, coroutine.status(co)
    end)(many(500000))
  end)
  try("wrap " .. n, function()
    local co = coroutine.wrap(function() return many(n) end)
    return (function(...) return select("#", co()) end)(many(500000))
  end)
end

-- A comparison that is always true: no element may be lost.
for _, count in ipairs {3, 10, 99, 100, 101, 200, 250, 1000} do
  for name, order in pairs {always = function() return true end,
                            never = function() return false end} do
    local t = {}
    for i = 1, count do t[i] = i end
    local ok, message = pcall(table.sort, t, order)
    local seen, lost = {}, 0
    for i = 1, count do if t[i] then seen[t[i]] = true end end
    for i = 1, count do if not seen[i] then lost = lost + 1 end end
    assert(ok or message == "invalid order function for sorting", message)
    assert(lost == 0 and #t == count)
  end
end
