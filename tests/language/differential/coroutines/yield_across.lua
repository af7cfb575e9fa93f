-- SPDX-License-Identifier: MIT
-- Yields across pcall, metamethods, iterators, library functions (manual 2.6, 4.5).
local yield = coroutine.yield
local function drive(name, f, ...)
  local co = coroutine.create(f)
  local values = table.pack(coroutine.resume(co, ...))
  local n = 0
  while coroutine.status(co) == "suspended" do
    n = n + 1
    for i = 1, values.n do values[i] = tostring(values[i]) end
    print(name, "yield", table.concat(values, ","))
    values = table.pack(coroutine.resume(co, "r" .. n, n))
  end
  for i = 1, values.n do values[i] = tostring(values[i]) end
  print(name, "end", table.concat(values, ","))
end
drive("pcall", function() return pcall(function() local a = yield(1)
  error("e" .. a, 0) end) end)
drive("pcall ok", function() return pcall(function(...) return yield(...) end,
  1, 2) end)
drive("pcall nested", function() return pcall(pcall, pcall, function() yield()
  error({}, 0) end) end)
drive("pcall chain", function() local r = {} for i = 1, 3 do r[i] =
  select(2, pcall(function() yield(i) error(i) end)) end return table.unpack(r)
  end)
drive("xpcall", function() return xpcall(function() yield "in" error "bad" end,
  function(m) return "handled " .. m end) end)
drive("error in handler", function() return xpcall(function() yield "in" error
  "bad" end, function(m) error "worse" end) end)
local mt = {}
for _, e in ipairs {"add", "sub", "mul", "div", "mod", "pow", "idiv", "band",
  "bor", "bxor", "shl", "shr", "concat", "unm", "bnot", "len", "index", "call"}
do
  mt["__" .. e] = function(a, b) return (yield(e)), "extra" end
end
for _, e in ipairs {"eq", "lt", "le"} do mt["__" .. e] = function()
return yield(e) == "r1" end end
mt.__newindex = function(t, k, v) rawset(t, k, yield("newindex", k, v)) end
mt.__tostring = function() return "object" end
local function v() return setmetatable({}, mt) end
for _, text in ipairs {"a + b", "a - 1", "2 * a", "a / b", "a % 3", "a ^ 2",
  "a // 2", "a & 1", "a | b", "1 ~ a", "a << 1", "a >> b",
    "a .. b", "a .. 'x'", "'x' .. a", "'x' .. a .. 'y' .. b", "-a", "~a", "#a",
      "a.field", "a[1]", "a[b]", "a(1, 2)", "(a(1))", "a:method()",
    "a == b", "a ~= b", "a < b", "a <= b", "a > b", "a >= b", "a < 1", "1 <= a",
      "not (a == b)", "a == b and 1 or 2", "a < b or 5"} do
  local f = load("local a, b = ... return " .. text)
  if f then drive(text, f, v(), v()) end
end
drive("set", function(a) a.x = 1 a[1], a.y = 2, 3 return rawget(a, "x"),
  rawget(a, 1), rawget(a, "y") end, v())
drive("if", function(a, b) if a < b then return "then" else return "else" end
  end, v(), v())
drive("while", function(a, b) local n = 0 while a == b do n = n + 1 if n > 1
  then break end end return n end, v(), v())
drive("global", function() local _ENV = setmetatable({}, mt) return foo end)
drive("self", function(a) return a:foo(1) end, v())
drive("for", function() local s = 0 for a, b in function(_, c) c = (c or 0) + 1
  if c < 4 then yield("iter", c) return c, c * 2 end end do s = s + b end return
  s end)
drive("pairs", function() for k, val in
  pairs(setmetatable({}, {__pairs = function() yield "pairs" return next,
  {x = 1}, nil end})) do yield(k, val) end return "done" end)
drive("wrap in for", function() for i in coroutine.wrap(function() for i = 1, 3
  do coroutine.yield(i) end end) do yield(i) end end)
drive("sort", function() return pcall(table.sort, {3, 1, 2}, function(a, b)
  yield() return a < b end) end)
drive("gsub", function() return pcall(string.gsub, "abc", ".", function()
  yield() end) end)
drive("tostring", function() return pcall(tostring,
  setmetatable({}, {__tostring = function() yield() end})) end)
drive("dofile", function() local name = os.tmpname() local f =
  io.open(name, "w") f:write "return coroutine.yield('in file')" f:close()
  local r = dofile(name) os.remove(name) return r end)
drive("require", function() package.preload.m1 = function() return yield "req"
  end return pcall(require, "m1") end)
drive("load", function() return pcall(load, function() yield() end) end)
drive("close", function() local r do local x <close> =
  setmetatable({}, {__close = function(_, e) r = yield("closing", e) end}) end
  return r end)
drive("close error", function() return pcall(function() local x <close> =
  setmetatable({}, {__close = function(_, e) yield("closing", e) end})
  error("err", 0) end) end)
drive("close return", function() return (function() local x <close> =
  setmetatable({}, {__close = function() yield "closing" end}) return 1, 2, 3
  end)() end)
drive("tail", function() local function t(n) if n == 0 then return yield "deep"
  end return t(n - 1) end return t(100) end)
drive("deep", function() local function t(n) if n == 0 then return yield "deep"
  end return 1, t(n - 1) end return select("#", t(50)) end)
drive("varargs", function(...) local a = {yield(...)} return ..., #a end, 1, 2,
  3)
drive("table.foreach", function() return select("#",
  table.unpack({yield(1), yield(2)})) end)
