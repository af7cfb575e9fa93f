-- SPDX-License-Identifier: MIT
-- pcall_in_loop.lua -- protected calls that begin, end and fail in Lua code
local try = dofile("try.lua")
local yield, wrap = coroutine.yield, coroutine.wrap
local function many(...) return select("#", ...), ... end
local function echo(...) return ... end

-- results, wanted in all ways
local a, b, c, d = pcall(echo, 1)
print(a, b, c, d)
print((pcall(echo, 1, 2)), many(pcall(echo)), many(pcall(echo, nil)))
print(many(pcall(echo, table.unpack({}, 1, 200))))
print(many(xpcall(echo, print, table.unpack({}, 1, 200))))
local e = {pcall(select, 2, "x", "y", "z")}
print(#e, e[1], e[2], e[3])
local e = {xpcall(select, print, -1, "x", "y", "z")}
print(#e, e[1], e[2])
print(many((function(...) return pcall(...) end)(echo, 5)))
print(many((function(...) return xpcall(...) end)(echo, print, 5, 6)))
pcall(echo, 1) xpcall(echo, print, 1)

-- values that are called
local callable = setmetatable({}, {__call = function(self, x) return type(self), x end})
print(pcall(callable, 4))
print(xpcall(callable, print, 4))
print(select("#", pcall(setmetatable({}, {__call = callable}), 4)))
print(pcall(nil), pcall(5, 6), (pcall(pcall)))
print(xpcall(nil, echo), xpcall(5, function(m) return m .. "!" end))
print(pcall(pcall, pcall, pcall, error, "deep"))
print(pcall(xpcall))
print(pcall(xpcall, echo))
print(pcall(xpcall, echo, 1))

-- what was going on is as before
do
  local log = {}
  local function closing(name)
    return setmetatable({}, {__close = function(_, e) log[#log + 1] = name .. ":" .. tostring(e) end})
  end
  local up
  print(pcall(function()
    local x <close> = closing("x")
    local y <close> = closing("y")
    local z = 1
    up = function() z = z + 1 return z end
    error("oops", 0)
  end))
  print(table.concat(log, " "), up(), up())
  print(pcall(function()
    local x <close> = setmetatable({}, {__close = function(_, e) error(e .. " again", 0) end})
    local y <close> = setmetatable({}, {__close = function(_, e) error(e .. " and", 0) end})
    error("once", 0)
  end))
end
print(pcall(table.sort, {3, 2, 1}, function() error("in sort", 0) end))
print(pcall(string.gsub, "abc", "%w", function(c) return pcall(error, c) and 1 or "no" end))
print(pcall(function() return #setmetatable({}, {__len = function() error("len", 0) end}) end))
print(select(2, pcall(function() return pcall(function() return pcall(error) end) end)))

-- handlers
local function handler(m) return "<" .. tostring(m) .. ">" end
print(xpcall(function() error("outer", 0) end, handler))
print(xpcall(function() print(xpcall(error, function(m) return m .. "!" end, "inner")) error("outer", 0) end, handler))
print(xpcall(function() print(pcall(error, "no handler")) error("handler again", 0) end, handler))
print(xpcall(function() local t = nil; t.x = 1 end, function(m) return (m:gsub("^.-:%d+: ", "")) end))
print(xpcall(error, function(m) error(m) end, "in the handler"))

-- frames
local function names()
  local t = {}
  for level = 1, 12 do
    local info = debug.getinfo(level, "Slnt")
    if not info then break end
    t[#t + 1] = ("%s:%s:%s:%s"):format(info.what, info.name, info.currentline, info.istailcall)
  end
  return table.concat(t, " ")
end
print(pcall(names))
print(xpcall(function() return (names()) end, handler))
print(select(2, xpcall(function() error("x") end, debug.traceback)))
pcall(function() print(debug.getlocal(2, 1)) print((debug.getlocal(2, 3))) end)
xpcall(function() print(debug.getlocal(2, 3)) print((debug.getlocal(2, 5))) end, handler, 1)

-- yields
local function run(f, ...)
  local co = wrap(f)
  print(co(...)) print(co("second")) print(co("third", 4))
end
run(function(...) return pcall(function(...) local x = yield(...) return x, yield(x) end, ...) , "end" end, 1, 2)
run(function() return xpcall(function() local x = yield() error(x .. yield(), 0) end, handler) end)
run(function() return pcall(yield, 1), xpcall(yield, handler, 2, 3) end)
run(function() print(pcall(pcall, yield, 7)) return pcall(yield, 8) end)
run(function()
  print(pcall(function() local t <close> = setmetatable({}, {__close = function() yield("closing") end}) error("e", 0) end))
  return yield(1)
end)
print(pcall(wrap(function() pcall(yield) end)))
do
  local co = wrap(function() print(pcall(function() yield(1) error("after", 0) end)) return "over" end)
  print(pcall(co)) print(pcall(co)) print(pcall(co))
end
do
  local co = coroutine.create(function() pcall(function() pcall(yield, 1) end) end)
  coroutine.resume(co) print(coroutine.close(co), coroutine.status(co))
end

-- hooks that come and go meanwhile
do
  local events = {}
  local function hook(event) events[#events + 1] = event .. ":" .. tostring(debug.getinfo(2, "n").name) end
  pcall(function() debug.sethook(hook, "cr") end)
  debug.sethook()
  print(table.concat(events, " "))
  debug.sethook(function() end, "cr")
  print(pcall(function() debug.sethook() return 1, pcall(error, 2) end))
  print(pcall(function() debug.sethook(function() debug.sethook() error("hooked", 0) end, "l")
    return 1
  end))
  debug.sethook()
end

-- depth
local function deep(n) local ok, r = pcall(deep, n + 1) return ok and r or n end
print(deep(1))
local function deeper(n) local ok, r = xpcall(deeper, handler, n + 1) return ok and r or n end
print(deeper(1))
local function mixed(n) local ok, r = pcall(wrap(mixed), n + 1) return ok and r or n end
print(mixed(1) > 60)
for i = 1, 1000 do pcall(error) xpcall(error, handler) pcall(wrap(error)) end
print(deep(1))
local function recurse(n) return recurse(n + 1) + 1 end
print(select(2, pcall(recurse, 1)):match("stack overflow"), pcall(echo, "fine"))
