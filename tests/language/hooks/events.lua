-- SPDX-License-Identifier: MIT
-- Calls, returns and lines of operations that may not look like calls: built-in
-- functions of the loop, iterators, coroutines, metamethods, tail calls.

-- iterators
for k, v in next, {1, 2} do local x = k end
for k, v in pairs {3} do local x = v end
for i, v in ipairs {4, 5, 6} do if i == 2 then break end end
for i, v in ipairs(setmetatable({}, {__index = function(_, i) return i < 3 and i or nil end})) do end
for k in pairs(setmetatable({}, {__pairs = function(t) return next, {7}, nil end})) do end
for w in ("a b"):gmatch("%a") do local x = w end
for p, c in utf8.codes("ab") do local x = c end
for x in coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) do local y = x end
for x in (function(n) return function() n = n - 1; return n > 0 and n or nil end end)(3) do end
for a, b, c in
  next,
  {1}
do
  local x = a
end

-- library functions that the loop executes without a call if there is no hook
local t = {3, 1, 2}
local s = "text"
local function results(...) return select("#", ...), ... end
print(type(1), type(nil), rawget(t, 1), rawlen(t), rawequal(t, t), select(2, "a", "b", "c"))
print(tostring(1), tostring(true), tonumber("10"), tonumber("z", 36), getmetatable(t), next(t))
print(math.floor(1.5), math.ceil(1.5), math.max(1, 2), math.min(1, 2), math.abs(-1), math.sqrt(4))
print(math.fmod(5, 3), math.tointeger(2.0), math.type(1), math.ult(1, 2), math.exp(0), math.sin(0), math.cos(0))
print(s:byte(), s:sub(2, 3), s:len(), s:upper(), s:lower(), s:rep(2), s:reverse(), s:find("x", 1, true), string.char(65))
print(s:format(), ("%d"):format(1), s:match("t"), s:gsub("t", "d"))
print(table.unpack(t)) print(table.concat(t, ",")) print(results(table.remove(t)))
table.insert(t, 9) table.insert(t, 1, 8) rawset(t, 1, 7)
setmetatable(t, {}) assert(t) print(pcall(type, 1), pcall(error, "e"), utf8.char(228), utf8.len("ab"))
print(results(type(1)), (type(1)), results(t[1], type(2)))
local function tail() return type(1) end
local function tails() return math.floor(2.5) end
local function multi() return select(2, 1, 2, 3) end
print(tail(), tails(), multi(), (multi()))

-- tail calls
local function two(...) return ... end
local function one(...) return two(...) end
local function method(self) return self:more() end
print(one(1), one(1, 2), method {more = function() return 5 end})
local callable = setmetatable({}, {__call = function(self, ...) return ... end})
local function call(...) return callable(...) end
print(call(1, 2), callable(3))
local function long(...)
  return setmetatable({
  }, {__index = ...
  })
end
print(type(long({})))
print(pcall(function() return error("x", 0) end))
print(select("#", (function() return pcall(error) end)()))

-- metamethods
local m = {}
for _, e in ipairs {"add", "sub", "mul", "div", "mod", "pow", "idiv", "band", "bor", "bxor", "shl", "shr", "unm", "bnot", "concat", "len"} do
  m["__" .. e] = function(a, b) return e end
end
m.__eq = function() return true end
m.__lt = function() return true end
m.__index = function(t, k) return k end
m.__newindex = function(t, k, v) rawset(t, k, v) end
m.__tostring = function() return "m" end
m.__name = "M"
local a, b = setmetatable({}, m), setmetatable({}, m)
print(a + b, a - 1, 1 * a, a / 1, a % 1, a ^ 1, a // 1, a & 1, a | 1, a ~ 1, a << 1, a >> 1, -a, ~a, a .. "x", "x" .. a, #a)
print(a == b, a ~= b, a < b, a <= b, a > 1, a >= 1, a.field, a[1], tostring(a))
a.x = 1 a[2] = 2
if a == b then a.y = 1 end
while a < b do break end
m.__le = function() return false end
print(a <= b, not (a <= b))

-- closing
do
  local c <close> = setmetatable({}, {__close = function(o, e) return e end})
  local d <close> = setmetatable({}, {__close = function(o, e) return e end})
end
local function closes()
  local c <close> = setmetatable({}, {__close = function() end})
  return 1, 2
end
print(closes())
print(pcall(function() local c <close> = setmetatable({}, {__close = function() end}) error("e", 0) end))
for _ in next, {1}, nil, setmetatable({}, {__close = function() end}) do break end

-- coroutines
local co = coroutine.create(function(a, b)
  local c = coroutine.yield(a + b)
  local d = select(2, coroutine.yield(c))
  error("end of co", 0)
end)
print(coroutine.resume(co, 1, 2))
print(coroutine.resume(co, 3))
print(coroutine.resume(co, 4, 5))
print(coroutine.resume(co))
local gen = coroutine.wrap(function(...) local n = ... while true do n = coroutine.yield(n + 1) end end)
print(gen(1), gen(2), (gen(3)))
local nested = coroutine.wrap(function() local inner = coroutine.wrap(function() coroutine.yield(1) return 2 end) coroutine.yield(inner()) return inner() end)
print(nested(), nested())
print(pcall(coroutine.wrap(function() error("in wrap", 0) end)))
print(coroutine.resume(coroutine.create(function() return pcall(function() coroutine.yield(1) error("after", 0) end) end)))
local p = coroutine.create(function() return pcall(function() coroutine.yield(1) error("after", 0) end) end)
print(coroutine.resume(p)) print(coroutine.resume(p)) print(coroutine.status(p))
print(coroutine.close(coroutine.create(print)), coroutine.isyieldable(), coroutine.running())
local closing = coroutine.create(function() local c <close> = setmetatable({}, {__close = function() end}) coroutine.yield() end)
coroutine.resume(closing) print(coroutine.close(closing))
local yielding = setmetatable({}, {__add = function() return coroutine.yield("add") end, __lt = function() return coroutine.yield("lt") end, __index = function() return coroutine.yield("index") end, __close = function() coroutine.yield("close") end})
local y = coroutine.wrap(function() local z <close> = yielding; local v = z + 1; v = z <= z; v = z.x; for k in function() return coroutine.yield("iterator") end do break end return type(coroutine.yield("last")) end)
print(y(), y(1), y(true), y("v"), y(nil), y(), y())

-- lines
local n = 0
while n < 2 do
  n = n + 1
end
repeat
  n = n - 1
  local done = n == 0
until done
for i = 1, 2 do
  if i == 1 then goto continue end
  n = n + i
  ::continue::
end
for i = 3, 1, -1 do n = i end
for i = 1, 0 do n = 5 end
for i = 1.0, 2.0, 0.5 do
  n = i
end
for i = 1, 3 do break end
local forward
function forward()
  return n
end
local big = {
  forward(),
  n = n,
  [n] = forward,
  forward(
  ),
}
local x = n > 0
  and n
  or forward()
print(x, n,
  forward(),
  ("a"):rep(
    2))
