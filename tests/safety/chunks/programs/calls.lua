-- Calls, closures, variable arguments, coroutines, scopes that close.
local count = 0
local function counter(step)
  local n = 0
  return function(...)
    n = n + step
    count = count + 1
    return n, ...
  end, function() return n end
end
local inc, get = counter(2)
inc(1, 2, 3)
local function pack(...) return {n = select("#", ...), ...} end
local function last(...)
  local a, b, c = ...
  if a then return last(select(2, ...)) end
  return c, ...
end
local function fact(n, acc)
  if n <= 1 then return acc end
  return fact(n - 1, acc * n)
end
local t = pack(inc(fact(10, 1), last(1, 2, nil)))
local log = {}
local function closing(name)
  return setmetatable({}, {__close = function(_, e) log[#log + 1] = name end})
end
local function scoped(n)
  local a <close> = closing("a")
  for i = 1, n do
    local b <close> = closing("b" .. i)
    local f = function() return i, a end
    if i == 3 then return f, i end
    log[f()] = f
  end
  local x <const> = 5
  return x + n
end
local function scoped_vararg(...)
  local a <close> = closing("v")
  return ...
end
local ok, e = pcall(function(...)
  local c <close> = closing("c")
  scoped_vararg(scoped(2), ...)
  error({...})
end, 1, 2)
local co = coroutine.wrap(function(a, b)
  for i = 1, 3 do a = coroutine.yield(a, i, b) end
  local d <close> = closing("d")
  return coroutine.yield(d) and a
end)
co(1, 2) co(3) co(4)
co(5)
local function iterate(s, c) if c < s then return c + 1, c * 2, s end end
local sum = 0
for i, v, w in iterate, 5, 0 do sum = sum + i * v + w end
for k in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do
  local f = function() return k end
  sum = sum + f()
end
local s = ("%d %s %5.2f"):format(3, "x", 1.5) .. ("abc"):upper():rep(3, "-")
local found = s:find("%d+") or s:gsub("(%w)", "%1%1") or s:match("^(.-)%s")
for w in s:gmatch("%a+") do sum = sum + #w end
return sum, #log, t.n, get(), found, string.pack("i4", 7), utf8.char(65, 8364)
