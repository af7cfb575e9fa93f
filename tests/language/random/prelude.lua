-- SPDX-License-Identifier: MIT
-- The beginning of every random program: printing that does not depend on the
-- interpreter, and values with metatables. (The generator copies this file.)
local function show(v, depth)
  local kind = math.type(v) or type(v)
  if v ~= v then return "nan" end
  if kind == "float" then return ("%.17g"):format(v) .. "f" end
  if kind == "string" then return ("%q"):format(v) end
  if kind == "function" or kind == "thread" or kind == "userdata" then
    return kind
  end
  if kind ~= "table" then return tostring(v) end
  local meta = getmetatable(v)
  if type(meta) == "table" and meta.__tostring then return tostring(v) end
  if depth > 2 then return "{...}" end
  local keys, n = {}, 0
  for k in next, v do
    n = n + 1
    local plain = type(k) ~= "table" and type(k) ~= "function"
      and type(k) ~= "thread" and type(k) ~= "userdata"
    keys[n] = {type(k) .. (plain and show(k, 9) or show(v[k], depth + 1)), k}
  end
  table.sort(keys, function(a, b) return a[1] < b[1] end)
  local parts = {}
  for i = 1, math.min(n, 12) do
    local k = keys[i][2]
    parts[i] = show(k, 9) .. "=" .. show(v[k], depth + 1)
  end
  return "{" .. table.concat(parts, ",") .. (n > 12 and ",.." .. n or "") .. "}"
end

local function P(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = show(t[i], 0) end
  print(table.concat(t, " "))
end

-- Calls protected and prints the results, with addresses masked.
local function T(f, ...)
  local t = table.pack(pcall(f, ...))
  for i = 2, t.n do
    if type(t[i]) == "string" then t[i] = t[i]:gsub("0x%x%x%x%x+", "0x?") end
  end
  P(table.unpack(t, 1, t.n))
  return t[1]
end

local function section(name, f)
  print("== " .. name)
  local ok, message = pcall(f)
  if not ok then P("error", message) end
end

local function int(v, default)
  return math.type(v) == "integer" and v or default
end

-- Bounds the length of a string that is built in a loop.
local function cut(s) return #s > 80 and s:sub(1, 80) or s end

-- A concatenation of two operands. With more operands, and a metamethod that
-- makes the stack move, 5.4.4 fails.
local function cat(a, b) return a .. b end

-- A number in a table, with every metamethod; `calls` counts them.
local calls = 0
local V, Vmeta = nil, {}
local function num(v)
  if type(v) == "table" then return rawget(v, "n") or 0 end
  return tonumber(v) or 0
end
function V(n) return setmetatable({n = int(n, 1)}, Vmeta) end
local function binary(f)
  return function(a, b)
    calls = calls + 1
    return V(f(num(a) | 0, num(b) | 0))
  end
end
Vmeta.__add = binary(function(a, b) return a + b end)
Vmeta.__sub = binary(function(a, b) return a - b end)
Vmeta.__mul = binary(function(a, b) return a * b end)
Vmeta.__div = binary(function(a, b) return a // (b | 1) end)
Vmeta.__mod = binary(function(a, b) return a % (b | 1) end)
Vmeta.__pow = binary(function(a, b) return a * 3 - b end)
Vmeta.__idiv = binary(function(a, b) return a // (b | 3) end)
Vmeta.__band = binary(function(a, b) return a & b end)
Vmeta.__bor = binary(function(a, b) return a | b end)
Vmeta.__bxor = binary(function(a, b) return a ~ b end)
Vmeta.__shl = binary(function(a, b) return a << (b & 15) end)
Vmeta.__shr = binary(function(a, b) return a >> (b & 15) end)
Vmeta.__unm = function(a) calls = calls + 1 return V(-num(a)) end
Vmeta.__bnot = function(a) calls = calls + 1 return V(~num(a)) end
Vmeta.__len = function(a) calls = calls + 1 return num(a) & 255 end
Vmeta.__concat = function(a, b)
  local function text(v)
    return type(v) == "table" and "<" .. num(v) .. ">" or v
  end
  return text(a) .. text(b)
end
Vmeta.__eq = function(a, b) calls = calls + 1 return num(a) == num(b) end
Vmeta.__lt = function(a, b) calls = calls + 1 return num(a) < num(b) end
Vmeta.__le = function(a, b) calls = calls + 1 return num(a) <= num(b) end
Vmeta.__call = function(self, a, ...)
  calls = calls + 1
  return num(self) + num(a), select("#", ...)
end
Vmeta.__index = function(self, key)
  calls = calls + 1
  if key == "twice" then return num(self) * 2 end
  if key == "get" then return function(o, d) return num(o) + (d or 0) end end
  return nil
end
Vmeta.__newindex = function(self, key, value)
  calls = calls + 1
  rawset(self, key, value)
end
Vmeta.__tostring = function(self) return "V(" .. num(self) .. ")" end

-- A table whose metamethods yield if possible.
local Y = setmetatable({}, {
  __add = function(_, b) return int(coroutine.yield("add", b), 1) end,
  __index = function(_, k) return int(coroutine.yield("index", k), 2) end,
  __newindex = function(_, k, v) coroutine.yield("newindex", k, v) end,
  __call = function(_, a) return int(coroutine.yield("call", a), 3) end,
  __lt = function(_, b) return coroutine.yield("lt", b) ~= nil end,
  __concat = function() return tostring(coroutine.yield("concat")) end,
  __len = function() return int(coroutine.yield("len"), 4) end,
})

-- Prints when and why it is closed.
local function closer(name, fails)
  return setmetatable({}, {__close = function(_, e)
    P("close", name, e)
    if fails then error("from " .. name, 0) end
  end})
end

local function range(n) return coroutine.wrap(function()
  for i = 1, n do coroutine.yield(i, n - i) end
end) end

local G = {a = 1, b = 2, list = {1, 2, 3}, name = "global"}
