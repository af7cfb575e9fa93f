-- SPDX-License-Identifier: MIT
-- Resume and yield from every kind of call, mixed with calls from C, errors,
-- to-be-closed variables, tracebacks and the collector.

local create, resume, wrap = coroutine.create, coroutine.resume, coroutine.wrap
local yield, status = coroutine.yield, coroutine.status
local unpack, pack = table.unpack, table.pack

local function show(...)
  local t = pack(...)
  for i = 1, t.n do t[i] = tostring(t[i]):gsub("0x%x+", "0x") end
  print(unpack(t, 1, t.n))
end

local function echo(...)
  local t = pack(...)
  while true do t = pack(yield(unpack(t, 1, t.n))) end
end

local function closer(name, action)
  return setmetatable({}, {__close = function(_, e)
    show("closing", name, e)
    if action then action() end
  end})
end

-- The number of results that are requested, and that there are.
do
  local co = create(echo)
  resume(co, 1, 2)
  resume(co, 3)
  local a = resume(co, 4, 5)
  local b, c = resume(co, 6, 7, 8)
  local d, e, f, g = resume(co, 9)
  show(a, b, c, d, e, f, g)
  show(resume(co, 10, 11))
  show((resume(co, 12)))
  show({resume(co, 1, nil, 3)}, select("#", resume(co)), #{resume(co, 1, 2)})
  show(select("#", resume(co, unpack({}, 1, 200))))
  show(pcall(function(...) return resume(co, ...) end, 1, 2, 3))
  show((function() return resume(co, 13, 14) end)())
  local w = wrap(echo)
  w(1); w()
  local h = w(2, 3)
  local i, j, k = w(4, 5)
  show(h, i, j, k, w(6, 7))
  show((function(...) return w(...) end)(8, nil))
  show(w(unpack({}, 1, 150)) == nil, select("#", w(unpack({}, 1, 150))))
end

do -- what the yield gets
  local function takes()
    local a = yield()
    local b, c = yield()
    local d, e, f = yield()
    show(a, b, c, d, e, f)
    show(yield())
    show((yield()))
    yield()
    show(yield(), yield())
    show(#{yield()}, ({n = yield()}).n)
    return yield("tail")
  end
  local co = create(takes)
  show(resume(co, "ignored"))
  for i = 1, 12 do show(i, resume(co, i, -i)) end
  show(status(co))
end

do -- parameters of the first function
  show(resume(create(function(a, b, c) return c, b, a end), 1))
  show(resume(create(function(a) return a end), 1, 2, 3))
  show(resume(create(function(...) return select("#", ...), ... end)))
  show(resume(create(function(a, ...) return a, select("#", ...), ... end), 1, nil, 3, nil))
  show(resume(create(function(...) local a, b = ... yield(b, a) return ... end), 1, 2, 3))
  show(select("#", resume(create(function(...) return ... end), unpack({}, 1, 240))))
end

-- Loops
do
  local function range(n) return wrap(function() for i = 1, n do yield(i, i * i, -i) end end) end
  for a in range(2) do show(a) end
  for a, b, c, d in range(2) do show(a, b, c, d) end
  local co = create(function(s, c) while true do s, c = yield(c) show(s, c) end end)
  local n = 0
  for ok in resume, co do n = n + 1 if n == 3 then break end end
  show(n)
  local function both(...)
    local out = {}
    for a in wrap(function(...) for b in ... do yield(b) end end), ... do out[#out + 1] = a end
    return #out
  end
  show(pcall(both, 1))
  for v in wrap(function() for v in wrap(function() for v in range(3) do yield(v + 1) end end) do
    yield(v * 10) end end) do show(v) end
  local w = wrap(function() for v in yield, 1 do yield("body", v) end return "over" end)
  show(w()) show(w("x")) show(w()) show(w())
end

-- Errors propagate to the resume.
do
  local function nested(depth, value)
    if depth == 0 then error(value, 0) end
    local co = create(nested)
    local t = pack(resume(co, depth - 1, value))
    if depth % 2 == 0 then return unpack(t, 1, t.n) end
    error(t[2], 0)
  end
  show(pcall(nested, 0, "e")) show(pcall(nested, 1, "e")) show(pcall(nested, 2, "e"))
  show(pcall(nested, 3, {})) show(pcall(nested, 4, nil))
  local function deep_wrap(n)
    if n == 0 then error("deep") end
    wrap(deep_wrap)(n - 1)
  end
  show(pcall(deep_wrap, 0)) show(pcall(deep_wrap, 1)) show(pcall(deep_wrap, 3))
  show(pcall(wrap(function() local x = nil + 1 end)))
  show(pcall(wrap(function() error() end)))
  show(pcall(wrap(function() error(12) end)))
  local co
  co = create(function() show(resume(co)) show(pcall(wrap(function() return resume(co) end))) end)
  show(resume(co)) show(resume(co)) show(status(co))
  local w
  w = wrap(function() return pcall(w) end)
  show(w()) show(pcall(w))
  show(resume(create(function() return pcall(resume, co) end)))
  show(select("#", resume(create(function() end))))
end

do -- caught inside, with yields before and after
  local co = wrap(function(...)
    show("start", ...)
    show(pcall(function(...) show(yield("in pcall", ...)) error("one") end, ...))
    show(pcall(pcall, error, "two"))
    show(pcall(function() return yield("returned") end))
    show(xpcall(function() yield("xpcall") error("three", 0) end, function(m) return m .. "!" end))
    show(xpcall(function() local t = nil; t.x = 1 end, function(m) error("again") end))
    show(pcall(yield, "direct"))
    show(select("#", pcall(yield, 1, 2, 3)))
    error(setmetatable({}, {__tostring = function() return "last" end}))
  end)
  for i = 1, 8 do show(i, pcall(co, i, "x")) end
end

do -- pcall around resumes around pcall
  local function f(n)
    if n == 0 then error("bottom", 0) end
    local ok, e = pcall(wrap(function() return f(n - 1) end))
    yield(n, ok, e)
    if n % 3 == 0 then error(e, 0) end
    return ok, e
  end
  for a, b, c in wrap(function() show("f", pcall(f, 7)) end) do show(a, b, c) end
end

-- C functions in between.
do
  local gen = function(n) return wrap(function() for i = 1, n do yield(i) end end) end
  local keys = {3, 1, 2}
  table.sort(keys, function(a, b)
    local co = create(function(a, b) yield() return a < b end)
    resume(co, a, b)
    return select(2, resume(co))
  end)
  show(unpack(keys))
  show(pcall(table.sort, {3, 2, 1}, function(a, b) yield() end))
  show(resume(create(function()
    return pcall(table.sort, {3, 2, 1}, function(a, b)
      show(coroutine.isyieldable())
      show(pcall(yield))
      return wrap(function() yield(a < b) end)()
    end)
  end)))
  show(("abc"):gsub(".", gen(2)))
  show(resume(create(function() return (("abc"):gsub(".", function(c) return yield(c) end)) end)))
  show(pcall(string.gsub, "abc", ".", wrap(function(c) while true do c = yield(c .. c) end end)))
  show(load(wrap(function() yield("return ") yield("1") yield("+ 2") end))())
  show(load(function() yield() end))
  show(pcall(wrap(function() return load(function() return yield() end) end)))
  show(resume(create(pcall), wrap(function() yield(1) end)))
  show(resume(create(resume), create(function(...) return ... end), 1, 2))
  local y = create(yield)
  show(resume(y, 1, 2)) show(resume(y, 3, 4)) show(resume(y))
  local s = create(select)
  show(resume(s, 2, "a", "b")) show(status(s))
  show(pcall(wrap(wrap(function() yield(1) end)), 2))
  show(select(2, pcall(error)))
end

do -- now this way, now that
  local co = create(function(...)
    local n, args = 0, pack(...)
    while n < 12 do
      n = n + 1
      if n % 3 == 0 then args = pack(pcall(yield, n, unpack(args, 1, args.n)))
      elseif n % 3 == 1 then args = pack(yield(n, unpack(args, 1, args.n)))
      else args = pack(pcall(function(...) return yield(...) end, n, unpack(args, 1, args.n))) end
    end
    return "end", unpack(args, 1, args.n)
  end)
  for i = 1, 14 do
    if i % 2 == 0 then show(pcall(resume, co, i)) else show(resume(co, i)) end
  end
end

-- Metamethods
do
  local object = setmetatable({}, {
    __index = wrap(function(t, k) while true do t, k = yield(k .. "?") end end),
    __add = function(a, b) return yield("add") end,
    __lt = wrap(function() yield(true) yield(false) error("no more", 0) end),
    __call = function(self, ...) return yield("call", ...) end,
    __concat = resume, __close = yield,
    __eq = function(a, b) return wrap(function() yield(true) end)() end,
  })
  show(object.a, object.b, object < 1, object < 1, pcall(function() return object < 1 end))
  show(object == setmetatable({}, getmetatable(object)))
  show(pcall(function() return object .. "x" end))
  local co = create(function()
    local sum = object + 1
    local t = {object("args", sum)}
    do local c <close> = object end
    local d <close> = object
    return sum, #t, t[1]
  end)
  for i = 1, 6 do show(i, resume(co, i * 10, "r")) end
end

-- To-be-closed variables
do
  local function body(fail)
    local a <close> = closer("a")
    local b <close> = closer("b", function() yield("in b") end)
    yield("body")
    if fail then error("failed", 0) end
    return "result", 2
  end
  local co = create(body)
  show(resume(co)) show(resume(co)) show(resume(co)) show(status(co))
  co = create(body)
  show(resume(co, true)) show(resume(co)) show(status(co))
  show(coroutine.close(co)) show(status(co)) show(coroutine.close(co))
  co = create(body) resume(co)
  show(coroutine.close(co)) show(status(co))
  local w = wrap(function() local c <close> = closer("c") error("wrapped", 0) end)
  show(pcall(w)) show(pcall(w))
  w = wrap(function() local c <close> = closer("c", function() error("replaced", 0) end) error("first", 0) end)
  show(pcall(w))
  w = wrap(function()
    show(pcall(function() local c <close> = closer("in pcall", function() yield("closing") end) error("x", 0) end))
    return "fine"
  end)
  show(w()) show(w())
  show(pcall(function()
    local outer <close> = closer("outer")
    wrap(function() local inner <close> = closer("inner") error("through", 0) end)()
  end))
  for v in wrap(function() local d <close> = closer("for") yield(1) yield(2) end) do show(v) end
  co = create(function()
    for v in wrap(function() yield(1) yield(2) end), nil, nil, closer("loop") do yield(v) error("in loop", 0) end
  end)
  show(resume(co)) show(resume(co)) show(coroutine.close(co))
  co = create(function()
    local c <close> = closer("closes another", function()
      local other = create(function() local d <close> = closer("other") yield() end)
      resume(other) show(coroutine.close(other))
      show(pcall(wrap(function() error("inside close", 0) end)))
    end)
    yield()
  end)
  resume(co) show(coroutine.close(co))
  co = create(function() local c <close> = closer("resumes itself", function() show(resume(co)) show(status(co)) end) yield() end)
  resume(co) show(coroutine.close(co))
end

do -- C functions as closing methods, to be gone on with after a yield
  local function callable(name)
    return setmetatable({}, {__close = pcall, __call = function(_, e)
      show("called", name, yield(name))
      if e then error(e, 0) end
    end})
  end
  local co = wrap(function()
    do local a <close> = callable("a") end
    local b <close> = callable("b")
    show(pcall(function() local c <close> = callable("c") error("with c", 0) end))
    return 7, 8
  end)
  show(co()) show(co(1)) show(co(2)) show(co(3))
end

-- Wrong arguments
do
  local wrong = {
    function() resume() end, function() return resume(1) end, function() local a = resume(nil, 1) end,
    function() create() end, function() return (create(1)) end, function() return wrap({}) end,
    function() status() end, function() return status("x") end, function() yield(1) end,
    function() for _ in resume do end end, function() for _ in yield do end end,
  }
  for i, f in ipairs(wrong) do show(i, pcall(f)) end
  local co = coroutine.running()
  show(pcall(function() return resume(co) end))
end

-- The running coroutine
do
  local main = coroutine.running()
  local a, b
  b = create(function() show(status(a), status(b), status(main), coroutine.running() == b) yield()
    show(resume(a)) show(resume(main)) show(coroutine.isyieldable(a), coroutine.isyieldable(main)) end)
  a = create(function() resume(b) show(status(b)) resume(b) show(status(b)) end)
  show(status(a), status(b)) resume(a) show(status(a), status(b))
end

-- Tracebacks
do
  local main = coroutine.running()
  local function lines(text) print((text:gsub("0x%x+", "0x"):gsub("\n%s+", "\n  "))) end
  local co, inner
  local function leaf()
    lines(debug.traceback("main", main)) lines(debug.traceback("outer", co))
    lines(debug.traceback("inner", inner)) lines(debug.traceback("here"))
    yield()
    error("stop")
  end
  inner = create(function() leaf() end)
  co = create(function() resume(inner) yield("one") return wrap(function() yield("two") end)() end)
  resume(co)
  lines(debug.traceback(co)) lines(debug.traceback(inner, "suspended"))
  resume(co) lines(debug.traceback(co)) resume(inner)
  lines(debug.traceback(inner, nil, 0)) lines(debug.traceback(co, "x", 1))
  show(debug.getinfo(inner, 0, "n").name, debug.getinfo(inner, 1, "l").currentline)
  local held = create(function(p) local q = p + 1 yield(q) return q end)
  resume(held, 1)
  show(debug.getlocal(held, 1, 1)) show(debug.getlocal(held, 1, 2))
  debug.setlocal(held, 1, 2, "changed") show(resume(held))
  show(xpcall(wrap(function() error("handled", 0) end), function(m)
    lines(debug.traceback(m, 1)) return "done" end))
end

-- Limits
do
  local depth = 0
  local function dive() depth = depth + 1 return select(2, resume(create(dive))) end
  local message = dive()
  show(depth > 150, message)
  depth = 0
  local function dive_wrap() depth = depth + 1 return wrap(dive_wrap)() end
  local ok, e = pcall(dive_wrap)
  show(ok, depth > 150, e:match("C stack overflow"))
  depth = 0
  local function dive_pcall() depth = depth + 1 return pcall(wrap(dive_pcall)) end
  show(pcall(dive_pcall)) show(depth > 50)
  local function recurse(n) return 1 + recurse(n + 1) end
  ok, e = resume(create(recurse), 1)
  show(ok, e:match("stack overflow"))
  show(wrap(function() return (pcall(recurse, 1)) end)())
  local function level(n) if n == 0 then return yield("down") end return 1 + level(n - 1) end
  local co = create(level)
  show(resume(co, 5000)) show(resume(co, 1))
  show(select("#", resume(create(function() return unpack({}, 1, 5000) end))))
  show(select("#", resume(create(function() yield(unpack({}, 1, 5000)) end))))
  local w = wrap(function() return select("#", yield()) end)
  w() show(w(unpack({}, 1, 5000)))
end

-- Hooks
do
  local events = {}
  local function hook(event)
    local info = debug.getinfo(2, "nSl")
    events[#events + 1] = event .. ":" .. tostring(info.name) .. ":" .. info.what
  end
  local co = create(function(a) local b = yield(a) return b end)
  debug.sethook(hook, "cr")
  resume(co, 1)
  resume(co, 2)
  debug.sethook()
  print(table.concat(events, " "))
  events = {}
  co = create(function(a) local b = yield(a) return (tostring(b)) end)
  debug.sethook(co, hook, "crl")
  resume(co, 1) resume(co, 2)
  print(table.concat(events, " "))
  events = {}
  co = create(function()
    debug.sethook((coroutine.running()), hook, "c")
    yield(1)
    debug.sethook((coroutine.running()))
    yield(2)
  end)
  show(resume(co)) show(resume(co)) show(resume(co))
  print(table.concat(events, " "))
  local main, count = coroutine.running(), 0
  co = create(function() debug.sethook(main, function() count = count + 1 end, "l") yield(7) return 8 end)
  show(resume(co))
  show(resume(co))
  debug.sethook()
  show(count > 0)
  co = create(function() for i = 1, 10 do yield(i) end end)
  debug.sethook(co, function() error("from hook", 0) end, "", 20)
  local t
  repeat t = pack(resume(co)) until not t[1]
  show(unpack(t, 1, t.n))
end

-- The collector
do
  for _, mode in ipairs {"incremental", "generational"} do
    collectgarbage(mode)
    local kept = {}
    for i = 1, 60 do
      local co = wrap(function(...)
        local captured = {i}
        local function get() return captured[1] end
        yield(get)
        collectgarbage("step")
        captured = {captured[1] + 1, yield(get)}
        return get
      end)
      kept[i] = co(i)
      if i % 3 == 0 then collectgarbage() end
      if i % 2 == 0 then co() end
      if i % 4 == 0 then kept[i] = co({}) end
      if i % 5 == 0 then collectgarbage("step", 10) end
    end
    collectgarbage()
    local sum = 0
    for i = 1, 60 do sum = sum + kept[i]() end
    show(mode, sum)
    local order = {}
    do
      local c = create(function()
        local g <const> = setmetatable({}, {__gc = function() order[#order + 1] = wrap(function() yield("in gc") end)() end})
        yield()
      end)
      resume(c)
    end
    collectgarbage() collectgarbage()
    show(unpack(order))
  end
  collectgarbage("incremental")
end
