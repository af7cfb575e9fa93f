-- SPDX-License-Identifier: MIT
--
-- cases.lua -- every way to store a reference; host.c says how the cases run
--
-- A case is a name and a function.  It may also have the only sort of object
-- that it takes and, if it is slow, a stride: the distance between the numbers
-- of units that are tried.  step() is just before the store, finish() after the
-- last other reference is gone.  `hold` makes the usual case from a function
-- that makes a holder and returns how to store into it and how to read it.  The
-- store is in a separate call, so that no register keeps the object.
--
-- The global `keep` holds the holders as well.  So the collector finds them
-- early, and not through the stack, which it visits last.

local TABLE, LONG, SHORT, CLOSURE = 0, 1, 2, 3
local cases = {}

local function case(name, body, sort, stride)
  cases[#cases + 1] = {name = name, body = body, sort = sort, stride = stride}
end

-- In a separate call, so that no continuing frame has the object.
local function store(set) set(new()) end

local function hold(name, make, sort)
  case(name, function()
    local set, get = make()
    keep = {set, get}       -- reached early, not through the stack
    step()
    store(set)
    finish()
    keep = nil
    return get()
  end, sort)
  -- The same with an older object, which the cycle would find late.
  case(name .. ", from elsewhere", function()
    local set, get = make()
    keep = {set, get}
    late(new())
    step()
    set(late())
    finish()
    keep = nil
    return get()
  end, sort, 2)
end

-- A resting coroutine for each of: its body gets what is passed to it.
local yield, wrap, create = coroutine.yield, coroutine.wrap, coroutine.create
local resume = coroutine.resume

---------------------------------------------------------------- tables

-- Tables of several shapes, and the key that is stored into.
local shapes = {
  {"empty", function() return {}, "x" end},
  {"with the key", function() return {x = 1}, "x" end},
  {"array", function() return {1, 2, 3, 4}, 2 end},
  {"array that grows", function() return {1, 2, 3, 4}, 5 end},
  {"array to be made", function() return {}, 1 end},
  {"hash that grows", function() return {a = 1, b = 2, c = 3, d = 4}, "x" end},
  {"integer in the hash", function() return {[1000] = 1}, 1000 end},
  {"float key", function() return {[0.5] = 1}, 0.5 end},
  {"large array", function()
    local t = {}
    for i = 1, 3000 do t[i] = i end
    return t, 2999
  end},
  {"large array that grows", function()
    local t = {}
    for i = 1, 4096 do t[i] = i end
    return t, 4097
  end},
  {"large hash", function()
    local t = {}
    for i = 1, 1000 do t["k" .. i] = i end
    return t, "k500"
  end},
  {"large hash that grows", function()
    local t = {}
    for i = 1, 1024 do t["k" .. i] = i end
    return t, "x"
  end},
}
local by = {
  {"t[k] = v", function(t, k, v) t[k] = v end},
  {"rawset", rawset},
  {"__newindex", function(t, k, v)
    setmetatable({}, {__newindex = t})[k] = v
  end},
}
for _, shape in ipairs(shapes) do
  for _, way in ipairs(by) do
    local sort
    if shape[1]:find("large") then sort = TABLE end
    hold(way[1] .. ", " .. shape[1], function()
      local t, k = shape[2]()
      return function(v) way[2](t, k, v) end, function() return t[k] end
    end, sort)
  end
end

local function in_table(name, set, get)
  hold(name, function()
    local t = {}
    return function(v) set(t, v) end, function() return get(t) end
  end)
end
local function x_of(t) return t.x end
local function first(t) return t[1] end
in_table("t.x = v", function(t, v) t.x = v end, x_of)
in_table("t[1] = v", function(t, v) t[1] = v end, first)
in_table("t[255] = v", function(t, v) t[255] = v end,
         function(t) return t[255] end)
in_table("t[v] = true", function(t, v) t[v] = true end, next)
in_table("rawset of a key", function(t, v) rawset(t, v, true) end, next)
in_table("lua_rawsetp", rawsetp, rawgetp)
in_table("lua_rawseti", rawseti, first)
in_table("lua_setfield", setfield, x_of)
in_table("lua_seti", seti, first)
-- The same with an existing key, in the array and in the hash.
local function in_made(name, make, set, get)
  hold(name, function()
    local t = make()
    return function(v) set(t, v) end, function() return get(t) end
  end)
end
for name, set in pairs {lua_seti = seti, lua_rawseti = rawseti} do
  in_made(name .. ", in the array", function() return {1, 2, 3} end, set, first)
  in_made(name .. ", in the hash", function()
    local t = {x = 1, y = 2}
    t[1] = 1
    return t
  end, set, first)
end
in_made("lua_setfield, known", function() return {x = 1} end, setfield, x_of)
in_made("lua_rawsetp, known", function()
  local t = {}
  rawsetp(t, 1)
  return t
end, rawsetp, rawgetp)
in_made("table.insert at the end", function() return {} end, table.insert, first)
in_made("t[i] = v by a metamethod", function()
  return setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v) end})
end, function(t, v) t[1] = v end, first)
in_table("table.insert", table.insert, first)
in_table("table.insert in front", function(t, v)
  t[1], t[2] = 1, 2
  table.insert(t, 1, v)
end, first)
in_table("table.move", function(t, v) table.move({v}, 1, 1, 1, t) end, first)
in_table("table.pack", function(t, v) t.x = table.pack(v) end,
         function(t) return t.x[1] end)
in_table("table.sort", function(t, v)
  t[1], t[2], t[3] = 1, v, 2
  table.sort(t, function(a, b) return a == v and b ~= v end)
end, first)
in_table("constructor", function(t, v) t.x = {v, v, y = v} end,
         function(t) return t.x[2] end)
in_table("constructor of many", function(t, v)
  t.x = {v, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
         21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
         39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
         v}
end, function(t) return t.x[#t.x] end)
in_table("constructor with a call", function(t, v)
  t.x = {1, (function() return 1, v end)()}
end, function(t) return t.x[3] end)
hold("global", function()
  return function(v) x = v end, function() return x end
end)
in_table("_ENV", function(t, v) local _ENV = t; x = v end, x_of)
hold("luaL_ref", function()
  local r
  return function(v) r = ref(v) end, function() return deref(r) end
end)

-- Parts that move while the table is visited.  The object was there before.
case("the array moves", function()
  local t = {new()}
  keep = {t}
  step()
  for i = 2, 40 do t[i] = i end
  finish()
  return t[1]
end)
case("the hash moves", function()
  local t = {x = new()}
  keep = {t}
  step()
  for i = 1, 40 do t["k" .. i] = i end
  finish()
  return t.x
end)
-- Large parts move in steps.  Numbers need no barrier, so only the move itself
-- can tell the collector of the new part.
for _, size in ipairs {64, 1024} do
  case("a large array grows by numbers, " .. size, function()
    local t = {new()}
    for i = 2, size do t[i] = i end
    keep = {t}
    step()
    for i = size + 1, size + 3 do t[i] = i end
    finish()
    return t[1]
  end, TABLE)
  case("a large array grows by numbers for long, " .. size, function()
    local t = {}
    for i = 1, size - 1 do t[i] = i end
    t[size] = new()
    keep = {t}
    step()
    for i = size + 1, 2 * size + 1 do t[i] = i end
    finish()
    return t[size]
  end, TABLE)
  case("a large hash grows by numbers, " .. size, function()
    local t = {x = new()}
    for i = 2, size do t[i + 0.5] = i end
    keep = {t}
    step()
    for i = size + 1, size + 3 do t[i + 0.5] = i end
    finish()
    return t.x
  end, TABLE)
  case("a large hash grows by numbers for long, " .. size, function()
    local t = {x = new()}
    for i = 2, size do t[i + 0.5] = i end
    keep = {t}
    step()
    for i = size + 1, 2 * size + 1 do t[i + 0.5] = i end
    finish()
    return t.x
  end, TABLE)
  case("a large weak table grows by numbers, " .. size, function()
    local t, held = setmetatable({}, {__mode = "kv"}), {new()}
    t.x = held[1]
    for i = 2, size do t[i + 0.5] = i end
    keep = {t, held}
    step()
    for i = size + 1, 2 * size + 1 do t[i + 0.5] = i end
    finish()
    return t.x
  end, TABLE)
end
-- Sizes at which parts move in steps in an ordinary build.
case("a huge array grows by numbers", function()
  local t = {new()}
  for i = 2, 16384 do t[i] = i end
  keep = {t}
  step()
  for i = 16385, 16400 do t[i] = i end
  finish()
  return t[1]
end, TABLE, 11)
case("a huge hash grows by numbers", function()
  local t = {x = new()}
  for i = 2, 8192 do t[i + 0.5] = i end
  keep = {t}
  step()
  for i = 1, 10 do t[-i] = 1 end
  finish()
  return t.x
end, TABLE, 11)
-- No later store makes the collector visit the table again.
local items = {}
for i = 1, 300 do items[i] = tostring(i) end
local constants = load("return {" .. table.concat(items, ", ") .. "}")
case("a large constructor of constants alone", function()
  local t = {}
  keep = {t}
  step()
  for i = 1, 3 do t[i] = constants() end
  local x = new()
  finish()
  for i = 1, 3 do
    for k = 1, 300 do assert(t[i][k] == k) end
  end
  return x
end, TABLE)
-- A constructor is the last allocation, so no later emergency hides a mistake
-- after one that comes between the table and its parts.
local last_constructors = {
  array = function()
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
            21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38}
  end,
  both = function()
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, a = 1, b = 2, c = 3, d = 4,
            e = 5, f = 6, g = 7, h = 8}
  end,
  hash = function()
    return {a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10,
            k = 11, l = 12, m = 13, n = 14, o = 15, p = 16, q = 17, r = 18}
  end,
  ["large array"] = constants,
}
for name, make in pairs(last_constructors) do
  case("a constructor is the last allocation, " .. name, function()
    local expected, x, t = make(), new(), {1}
    keep = {t}
    step()
    t[1] = make()
    finish()
    local count = 0
    for k, v in pairs(t[1]) do
      assert(expected[k] == v)
      count = count + 1
    end
    for k in pairs(expected) do count = count - 1 end
    assert(count == 0)
    return x
  end, TABLE)
end
case("constructors of constants alone", function()
  local t, many = {}, {}
  keep = {t, many}
  step()
  for i = 1, 3 do
    t[i] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
            21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38}
    many[i] = {a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10,
               k = 11, l = 12, m = 13, n = 14, o = 15, p = 16, q = 17, r = 18}
  end
  local x = new()
  finish()
  for i = 1, 3 do
    for k = 1, 38 do assert(t[i][k] == k) end
    assert(#t[i] == 38 and many[i].a == 1 and many[i].r == 18)
  end
  return x
end, TABLE)
case("constructors with constants", function()
  local t = {}
  keep = {t}
  step()
  for i = 1, 3 do
    t[i] = {i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
            a = 1, b = 2, c = 3, d = 4, e = 5, x = new()}
  end
  finish()
  assert(t[1][20] == 20 and t[1].e == 5 and t[2][1] == 2)
  return t[3].x
end)
case("from hash to array", function()
  local t = {[3] = new()}
  keep = {t}
  step()
  t[1], t[2], t[4], t[5] = 1, 2, 4, 5
  for i = 6, 20 do t[i] = i end
  finish()
  return t[3]
end)
case("from one table to another", function()
  local a, b = {}, {x = new()}
  keep = {a, b}
  step()
  a.x, b.x = b.x, nil
  finish()
  return a.x
end)
case("from a large table to a visited one", function()
  local a, b = {}, {}
  for i = 1, 3000 do b[i] = i end
  b[3000] = new()
  keep = {a, b}
  step()
  a.x, b[3000] = b[3000], nil
  finish()
  return a.x
end, TABLE)
case("within a large table", function()
  local t = {}
  for i = 1, 3000 do t[i] = i end
  t[2990] = new()
  keep = {t}
  step()
  t[5], t[2990] = t[2990], nil
  finish()
  return t[5]
end, TABLE)
case("table.remove", function()
  local t = {1, 2, 3, new()}
  keep = {t}
  step()
  table.remove(t, 1)
  finish()
  return t[3]
end)

-- Weak tables keep objects that are reachable elsewhere, also as keys.
case("weak value", function()
  local weak = setmetatable({}, {__mode = "v"})
  local held = {}
  keep = {weak, held}
  step()
  store(function(v) weak.x, held.x = v, v end)
  finish()
  return weak.x
end)
case("ephemeron", function()
  local weak, key = setmetatable({}, {__mode = "k"}), {}
  keep = {weak, key}
  step()
  store(function(v) weak[key] = v end)
  finish()
  return weak[key]
end)
-- Nothing is kept without need: an entry whose key is gone has no value.
case("ephemeron, the key is gone", function()
  local weak, probe = setmetatable({}, {__mode = "k"}),
                      setmetatable({}, {__mode = "v"})
  store(function(v)
    local value = {}
    weak[{}], probe[1] = value, value
    for i = 1, 10 do weak[{}] = value end
  end)
  forget()
  keep = {weak, probe}
  step()
  weak[1] = {}          -- it is visited again
  finish()
  assert(not probe[1], "the value is still there")
  return new()
end, TABLE)
case("ephemeron, the key comes later", function()
  local weak, held = setmetatable({}, {__mode = "k"}), {}
  keep = {weak, held}
  step()
  store(function(v)
    local key = {}
    weak[key] = v
    held.x = key
  end)
  finish()
  return weak[held.x]
end)
case("chain of ephemerons", function()
  local a = setmetatable({}, {__mode = "k"})
  local b = setmetatable({}, {__mode = "k"})
  local key = {}
  keep = {a, b, key}
  step()
  store(function(v)
    local middle = {}
    b[middle] = v
    a[key] = middle
  end)
  finish()
  return b[a[key]]
end)
-- Strings are values, not objects: weak tables do not lose them.
case("string in a table with weak keys and values", function()
  local weak, held = setmetatable({}, {__mode = "kv"}), {}
  held[1] = new()
  weak[held[1]] = true
  keep = {weak, held}
  step()
  held[1] = nil
  finish()
  return (next(weak))
end, LONG)
case("short string in a table with weak keys and values", function()
  local weak = setmetatable({}, {__mode = "kv"})
  keep = {weak}
  step()
  store(function(v) weak[v] = 1 end)
  finish()
  return (next(weak))
end, SHORT)
case("string value in a weak table", function()
  local weak = setmetatable({}, {__mode = "kv"})
  keep = {weak}
  step()
  store(function(v) weak[1] = v end)
  finish()
  return weak[1]
end, LONG)
case("string value, weak keys", function()
  local weak = setmetatable({}, {__mode = "v"})
  keep = {weak}
  step()
  store(function(v) weak[v] = v end)
  finish()
  return (next(weak))
end, LONG)

for _, sort in ipairs {LONG, SHORT} do
  for _, mode in ipairs {"k", "v", "kv"} do
    case("string key of a living value, weak " .. mode, function()
      local weak, held = setmetatable({}, {__mode = mode}), {}
      step()
      store(function(v)
        held[1] = {}
        weak[v] = held[1]
      end)
      finish()
      return (next(weak))
    end, sort)
    case("string key of a living value since before, weak " .. mode, function()
      local weak, held = setmetatable({}, {__mode = mode}), {{}}
      store(function(v) weak[v] = held[1] end)
      step()
      finish()
      return (next(weak))
    end, sort)
    case("string key taken out, weak " .. mode, function()
      local weak, held = setmetatable({}, {__mode = mode}), {{}}
      store(function(v) weak[v] = held[1] end)
      step()
      held.x = next(weak)
      weak[held.x] = nil
      finish()
      return held.x
    end, sort)
    case("string value taken out, weak " .. mode, function()
      local weak, held = setmetatable({}, {__mode = mode}), {{}}
      store(function(v) weak[held[1]], weak[1] = v, v end)
      step()
      held.x, held.y = weak[1], weak[held[1]]
      weak[1], weak[held[1]] = nil, nil
      finish()
      return held.x == held.y and held.x
    end, sort)
    case("string key while the table grows, weak " .. mode, function()
      local weak, held = setmetatable({}, {__mode = mode}), {{}}
      store(function(v) weak[v] = held[1] end)
      step()
      for i = 1, 20 do weak[i + 0.5] = i end
      finish()
      for k in pairs(weak) do if type(k) == "string" then return k end end
    end, sort)
  end
end

-- Objects that are reachable elsewhere, read from the table during its
-- clearing.
for _, mode in ipairs {"k", "v", "kv"} do
  case("object taken out, weak " .. mode, function()
    local weak, held, list = setmetatable({}, {__mode = mode}), {}, {}
    store(function(v) weak[1], weak[v], list[1] = v, v, v end)
    keep = {weak, held, list}
    step()
    held.x, list[1] = weak[1], nil
    for k in pairs(weak) do if k ~= 1 then held.y = k end end
    weak[1] = nil
    if held.y ~= nil then weak[held.y] = nil end
    finish()
    return held.x == held.y and held.x
  end)
end

-- Dying strings that are found again.
local turn = 0
local finders = {
  ["string.char"] = function(n) return string.char(128 + n % 64) end,
  sub = function(n) return ("\x80\x81\x82\x83\x84\x85\x86\x87"):sub(n % 8 + 1, n % 8 + 1) end,
  concat = function(n) return "short" .. n end,
  format = function(n) return ("short %d"):format(n) end,
  tostring = function(n) return tostring(n + 0.5) end,
  ["utf8.char"] = function(n) return utf8.char(200 + n % 100) end,
  gsub = function(n) return (("a" .. n):gsub("a", "b")) end,
}
for name, make in pairs(finders) do
  case("a string found again by " .. name, function()
    turn = turn + 1
    keep = {}
    make(turn)
    forget(make(turn))
    step()
    keep[1] = make(turn)
    forget()
    finish()
    assert(keep[1] == make(turn) and #keep[1] == #make(turn))
    keep[make(turn)] = true
    assert(keep[keep[1]])
    return new()
  end, SHORT)
end

---------------------------------------------------------------- objects

hold("setmetatable", function()
  local t = {}
  return function(v) setmetatable(t, v) end,
         function() return getmetatable(t) end
end, TABLE)
hold("metatable of a userdata", function()
  local u = userdata()
  return function(v) debug.setmetatable(u, v) end,
         function() return debug.getmetatable(u) end
end, TABLE)
hold("metatable of a type", function()
  return function(v) debug.setmetatable(nothing, v) end,
         function()
           local m = debug.getmetatable(nothing)
           debug.setmetatable(nothing, nil)
           return m
         end
end, TABLE)
for slot = 1, 2 do
  hold("user value " .. slot, function()
    local u = userdata()
    return function(v) debug.setuservalue(u, v, slot) end,
           function() return (debug.getuservalue(u, slot)) end
  end)
end
for _, how in ipairs {"copy", "replace"} do
  hold("upvalue of a C function, " .. how, function()
    local f = cell()
    return function(v) f(how, v) end, f
  end)
end
hold("debug.setupvalue, C function", function()
  local f = cell()
  return function(v) debug.setupvalue(f, 2, v) end, f
end)

---------------------------------------------------------------- upvalues

hold("closed upvalue", function()
  local x
  return function(v) x = v end, function() return x end
end)
hold("debug.setupvalue", function()
  local x
  local function get() return x end
  return function(v) debug.setupvalue(get, 1, v) end, get
end)
hold("debug.upvaluejoin", function()
  local x
  local function get() return x end
  return function(v)
    local y = v
    debug.upvaluejoin(get, 1, function() return y end, 1)
  end, get
end)
case("debug.upvaluejoin with an older closure", function()
  local x
  local function get() return x end
  local function make()
    local y = new()
    late(function() return y end)
  end
  make()
  keep = {get}
  step()
  debug.upvaluejoin(get, 1, late(), 1)
  finish()
  return get()
end)
hold("upvalue of a new closure", function()
  local t = {}
  return function(v) t.x = function() return v end end,
         function() return t.x() end
end)
hold("upvalue of an upvalue", function()
  local t = {}
  return function(v)
    t.x = function() return function() return v end end
  end, function() return t.x()() end
end)
-- Open upvalues, in a suspended coroutine and in one that has ended since.
local function open_upvalue()
  local set, get
  local co = create(function()
    local x
    set, get = function(v) x = v end, function() return x end
    yield()
  end)
  resume(co)
  return set, get, co
end
hold("open upvalue of a coroutine", open_upvalue)
-- The list of open upvalues, from the last slot to the first.  The collector
-- has visited the one that leads to the new one.
case("an open upvalue behind a visited one", function()
  local a, b = new(), 1
  local function g() return b end
  keep = {g}
  step()
  local function f() return a end
  f = nil
  forget()
  finish()
  return (function() return a end)()
end)
case("an open upvalue between visited ones", function()
  local a, b, c = 1, new(), 2
  local function f() return a end
  local function g() return c end
  keep = {f, g}
  step()
  local function h() return b end
  h = nil
  forget()
  finish()
  assert((function() return a end)() == 1)
  return (function() return b end)()
end)
case("open upvalue, the coroutine ends", function()
  local set, get, co = open_upvalue()
  keep = {co}
  step()
  store(set)
  resume(co)
  finish()
  return get()
end)
case("open upvalue, the coroutine is closed", function()
  local set, get, co = open_upvalue()
  keep = {co}
  step()
  store(set)
  coroutine.close(co)
  finish()
  return get()
end)
case("open upvalue, the coroutine is forgotten", function()
  local set, get, co = open_upvalue()
  step()
  store(set)
  co = nil
  finish()
  return get()
end)
case("open upvalue, set after the coroutine is forgotten", function()
  local set, get, co = open_upvalue()
  co = nil
  step()
  store(set)
  finish()
  return get()
end)
case("open upvalue of this function", function()
  local x
  local function set(v) x = v end
  step()
  store(set)
  finish()
  return x
end)
-- The upvalue was visited with an earlier value of the slot.  The slot is
-- written without a barrier, and then the upvalue is closed.
local leave = {
  block = function(begin)
    do
      local x = 1
      begin(function() return x end)
      x = new()
    end
  end,
  loop = function(begin)
    for i = 1, 1 do
      local x = i
      begin(function() return x end)
      x = new()
    end
  end,
  ["goto"] = function(begin)
    do
      local x = 1
      begin(function() return x end)
      x = new()
      goto out
    end
    ::out::
  end,
  ["return"] = function(begin)
    local x = 1
    begin(function() return x end)
    x = new()
    return 1
  end,
  ["tail call"] = function(begin)
    local x = 1
    begin(function() return x end)
    x = new()
    return nothing(1)
  end,
  error = function(begin)
    pcall(function()
      local x = 1
      begin(function() return x end)
      x = new()
      error("here")
    end)
  end,
  coroutine = function(begin)
    local co = wrap(function()
      local x = 1
      begin(function() return x end)
      yield()
      x = new()
    end)
    co()
    co()
  end,
  ["closed coroutine"] = function(begin)
    local co = create(function()
      local x = 1
      begin(function() return x end)
      x = new()
      yield()
    end)
    resume(co)
    coroutine.close(co)
  end,
}
for name, body in pairs(leave) do
  case("visited upvalue closed by " .. name, function()
    body(function(get)
      keep = {get}
      step()
    end)
    finish()
    return keep[1]()
  end)
end
-- The coroutine was suspended when it was visited.
case("visited upvalue closed in a coroutine that rested", function()
  local co = wrap(function()
    local x = 1
    keep[2] = function() return x end
    yield()
    x = new()
  end)
  keep = {co}
  co()
  step()
  co()
  keep[1] = nil
  finish()
  return keep[2]()
end)
case("an open upvalue behind one that is closed", function()
  local co = wrap(function()
    local a = new()
    do local function f() a = a end end
    do
      local b = 1
      local function g() b = 1 end
      yield()
    end
    yield()
    local function h() return a end
    return h()
  end)
  co()
  keep = {co}
  step()
  co()
  finish()
  return co()
end)
-- The closure is dropped, and another one finds the same upvalue.
case("open upvalue whose closure is gone", function()
  local x, y, z = 1, new(), 3
  step()
  for i = 1, 3 do
    local function f() x, y, z = x, y, z end
  end
  finish()
  local function g() return x, y, z end
  return (select(2, g()))
end)
case("open upvalues whose closures are gone, in a coroutine", function()
  local co = wrap(function()
    local x, y, z = 1, new(), 3
    yield()
    for i = 1, 3 do
      local function f() z = 3 end
      local function g() x = 1 end
      local function h() y = y end
    end
    yield()
    local function g() return x, y, z end
    return (select(2, g()))
  end)
  co()
  keep = {co}
  step()
  co()
  finish()
  return co()
end)
case("upvalue closed by a block", function()
  local get
  step()
  do
    local x = new()
    get = function() return x end
  end
  finish()
  return get()
end)
case("upvalue closed by goto", function()
  local list = {}
  keep = {list}
  step()
  do
    local i = 0
    ::again::
    local x = i == 0 and new() or i
    list[#list + 1] = function() return x end
    i = i + 1
    if i < 3 then goto again end
  end
  finish()
  return list[1]()
end)
case("upvalue closed by break", function()
  local get
  step()
  for i = 1, 2 do
    local x = new()
    get = function() return x end
    break
  end
  finish()
  return get()
end)
case("upvalue closed by an error", function()
  local get
  step()
  pcall(function()
    local x = new()
    get = function() return x end
    error("here")
  end)
  finish()
  return get()
end)
case("upvalue closed by a tail call", function()
  local get
  local function id(...) return ... end
  step();
  (function()
    local x = new()
    get = function() return x end
    return id(1)
  end)()
  finish()
  return get()
end)
case("upvalue of an old closure, closed late", function()
  local get
  local co = wrap(function()
    local x = new()
    get = function() return x end
    yield()
  end)
  co()
  step()
  co()
  co = nil
  finish()
  return get()
end)

---------------------------------------------------------------- stacks

case("local of this function", function()
  local x
  step()
  x = new()
  finish()
  return x
end)
case("vararg of this function", function()
  local function f(...)
    step()
    finish()
    return ...
  end
  return f(new())
end)
case("vararg, with missing arguments, tail called", function()
  local function g(a, b, c, ...)
    finish()
    return a
  end
  local function f(...)
    step()
    return g(...)
  end
  return f(new())
end)
case("tail call of a vararg function by a vararg function", function()
  local function g(...)
    local a, b, c = ...
    finish()
    return (select(select("#", ...), ...))
  end
  local function f(a, ...)
    step()
    return g(1, 2, 3, 4, 5, 6, 7, 8, ...)
  end
  return f(1, new())
end)
-- Frames that were visited: the program returns into them and writes them.
local function deep(n, f)
  if n == 0 then return f() end
  local x = deep(n - 1, f)
  return x
end
-- The frame of a vararg function lies above its arguments; the callee's takes
-- their place, below where the visit has been.
local targets = {
  fixed = function(a, b)
    finish()
    return a
  end,
  vararg = function(...)
    finish()
    return (...)
  end,
  missing = function(a, b, c, d, e, f, g, h)
    local x, y, z
    finish()
    return a
  end,
}
for name, g in pairs(targets) do
  case("tail call from a vararg function, " .. name, function()
    local function f(...)
      step_at_line()
      local x
      x = new()
      return g(x)
    end
    local x = f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18)
    return x
  end)
end
case("returned through many frames", function()
  local x = deep(20, function()
    step()
    return new()
  end)
  finish()
  return x
end)
case("returned into a frame further down", function()
  local function f(n)
    local x
    if n == 0 then step() else f(n - 1) end
    if n ~= 3 then return end
    x = new()
    finish()
    return x
  end
  return f(3)
end)
case("an error caught by a frame", function()
  local ok, x = pcall(deep, 20, function()
    step()
    error(new(), 0)
  end)
  finish()
  return x
end)
case("an error caught by a frame, which goes on", function()
  local x
  pcall(deep, 20, function()
    step()
    error("here")
  end)
  x = new()
  finish()
  return x
end)
case("an error caught with a handler", function()
  local ok, x = xpcall(deep, function() return new() end, 20, function()
    step()
    error("here")
  end)
  finish()
  return x
end)
case("a slot of a C function", function()
  return below(function()
    step()
    return new()
  end, finish)
end)
case("a slot of a C function, deep", function()
  return below(function()
    return deep(20, function()
      step()
      return new()
    end)
  end, finish)
end)
for i = 0, math.huge do
  local name = wide(i, true)
  if not name then break end
  case("many slots of a C function, " .. name, function()
    return wide(i)
  end)
end
case("a local set by debug.setlocal", function()
  local x = 1
  step()
  store(function(v) debug.setlocal(3, 1, v) end)
  finish()
  return x
end)
case("a local set by debug.setlocal below the call", function()
  local x = 1
  local function inner()
    step()
    store(function(v) debug.setlocal(4, 1, v) end)
    finish()
  end
  inner()
  return x
end)
case("for loop variable", function()
  local x
  local function iterate(_, i)
    if i == 1 then return 2, new() end
    if i == 2 then return nil end
    step()
    return 1
  end
  for i, v in iterate do x = v if i == 2 then finish() break end end
  return x
end)
case("to-be-closed variable", function()
  local x
  do
    local c <close> = setmetatable({}, {__close = function()
      step()
      x = new()
    end})
  end
  finish()
  return x
end)
case("results past a to-be-closed variable", function()
  local function f()
    local c <close> = setmetatable({}, {__close = function()
      step()
      finish()
    end})
    return new()
  end
  return f()
end)
case("concat", function()
  local x
  step()
  x = {new() .. ""}
  finish()
  return x[1]
end, LONG)

---------------------------------------------------------------- coroutines

case("passed to resume", function()
  local co = wrap(function()
    local v = yield()
    while true do yield(v) end
  end)
  co()
  keep = {co}
  step()
  store(co)
  finish()
  return co()
end)
case("passed to the first resume", function()
  local co = wrap(function(v)
    while true do yield(v) end
  end)
  keep = {co}
  step()
  store(co)
  finish()
  return co()
end)
case("passed to resume as vararg", function()
  local co = wrap(function(...)
    yield()
    return ...
  end)
  keep = {co}
  step()
  store(co)
  finish()
  return co()
end)
case("passed to resume, returned through frames", function()
  local co = wrap(function()
    local v = deep(15, yield)
    yield()
    return v
  end)
  co()
  keep = {co}
  step()
  store(co)
  finish()
  return co()
end)
case("made in a coroutine that runs on", function()
  local co = wrap(function()
    local x
    yield()
    x = new()
    yield()
    return x
  end)
  co()
  keep = {co}
  step()
  co()
  finish()
  return co()
end)
case("error caught in a coroutine", function()
  local co = wrap(function()
    local ok, x = pcall(deep, 15, function()
      yield()
      error(new(), 0)
    end)
    yield()
    return x
  end)
  co()
  keep = {co}
  step()
  co()
  finish()
  return co()
end)
case("error caught in a coroutine by lua_pcallk", function()
  local co = wrap(function()
    local x = pcallk(function()
      yield()
      error(new(), 0)
    end)
    yield()
    return x
  end)
  co()
  keep = {co}
  step()
  co()
  finish()
  return co()
end)
case("error that ends a coroutine", function()
  local co = create(function()
    yield()
    error(new(), 0)
  end)
  resume(co)
  keep = {co}
  step()
  local x = select(2, resume(co))
  finish()
  return x
end)
case("debug.setlocal in a coroutine", function()
  local co = create(function()
    local x = 1
    yield()
    return x
  end)
  resume(co)
  keep = {co}
  step()
  store(function(v) debug.setlocal(co, 1, 1, v) end)
  finish()
  return select(2, resume(co))
end)
case("a coroutine's stack grows", function()
  local co = wrap(function()
    local x = new()
    yield()
    deep(200, nothing)
    yield()
    return x
  end)
  co()
  keep = {co}
  step()
  co()
  finish()
  return co()
end)
case("switched while steps are made", function()
  local co = wrap(function()
    local x
    step()
    x = new()
    finish()
    return x
  end)
  return co()
end)
case("the resumer is visited meanwhile", function()
  local x
  local co = wrap(function()
    step()
    yield()
  end)
  co()
  x = new()
  finish()
  return x
end)
case("a coroutine in a coroutine", function()
  local inner = wrap(function()
    local v = yield()
    while true do yield(v) end
  end)
  inner()
  local outer = wrap(function()
    step()
    store(inner)
    yield()
  end)
  outer()
  finish()
  return inner()
end)

---------------------------------------------------------------- finalizers

case("moved by a finalizer", function()
  local t = {}
  do
    local child = new()
    setmetatable({}, {__gc = function() t.x = child end})
  end
  keep = {t}
  step()
  finish()
  collectgarbage()
  return t.x
end)
case("a finalizer's object comes back", function()
  local t = {}
  local function make()
    local o = setmetatable({new()}, {__gc = function(o) t.x = o end})
  end
  make()
  keep = {t}
  step()
  finish()
  collectgarbage()
  finish()
  return t.x[1]
end)

---------------------------------------------------------------- the API

-- The object is in a holder.  It is pushed onto the stack of a suspended
-- thread, and the holder drops it.
local function to_thread(name, make, sort)
  case("lua_" .. name .. " on a resting thread", function()
    local holder, set, drop = make()
    local thread = rest(holder)
    keep = {thread}
    step()
    store(set)
    on(thread, name)
    drop()
    finish()
    return take(thread)
  end, sort)
end
local function with_key(k)
  return function()
    local t = {}
    return t, function(v) t[k] = v end, function() t[k] = nil end
  end
end
to_thread("gettable", with_key("x"))
to_thread("getfield", with_key("x"))
to_thread("rawget", with_key("x"))
to_thread("next", with_key("x"))
to_thread("geti", with_key(1))
to_thread("rawgeti", with_key(1))
to_thread("rawgetp", function()
  local t = {}
  return t, function(v) rawsetp(t, v) end, function() rawsetp(t, nil) end
end)
to_thread("getmetatable", function()
  local t = {}
  return t, function(v) setmetatable(t, v) end,
         function() setmetatable(t, nil) end
end, TABLE)
to_thread("getiuservalue", function()
  local u = userdata()
  return u, function(v) debug.setuservalue(u, v, 1) end,
         function() debug.setuservalue(u, nil, 1) end
end)
to_thread("getupvalue", function()
  local x
  local function f() return x end
  return f, function(v) x = v end, function() x = nil end
end)
to_thread("getglobal", function()
  return 1, function(v) _G.x = v end, function() _G.x = nil end
end)
to_thread("len", function()
  local t = {}
  return setmetatable({}, {__len = function() return t.x end}),
         function(v) t.x = v end, function() t.x = nil end
end)
to_thread("call", function()
  local t = {}
  return function() return t.x end, function(v) t.x = v end,
         function() t.x = nil end
end)
to_thread("arith", function()
  local t = {}
  return setmetatable({}, {__add = function() return t.x end}),
         function(v) t.x = v end, function() t.x = nil end
end)
case("lua_next of a key on a resting thread", function()
  local t = {}
  local thread = rest(t)
  keep = {t, thread}
  step()
  store(function(v) t[v] = 1 end)
  on(thread, "next")
  on(thread, "pop")
  t[next(t)] = nil
  -- A dead key may be reused by the table; it is not a reference.
  finish()
  return take(thread)
end)
case("lua_xmove to a resting thread", function()
  local thread = rest()
  keep = {thread}
  step()
  store(function(v) on(thread, "xmove", v) end)
  finish()
  return take(thread)
end)
-- The object moves within the thread's stack.
for _, how in ipairs {"copy", "replace", "insert", "pushvalue"} do
  case("lua_" .. how .. " on a resting thread", function()
    local thread = rest(1, 2, 3)
    store(function(v) on(thread, "xmove", v) end)
    keep = {thread}
    step()
    on(thread, how)
    finish()
    return take(thread, how == "pushvalue" and -1 or 1)
  end)
end
-- A large stack is visited in pieces.  A value that goes from its top to its
-- bottom may move from the part not yet visited to the part already visited.
local pad = {}
for i = 1, 4000 do pad[i] = i end
for _, how in ipairs {"copy", "replace", "insert"} do
  case("lua_" .. how .. " on a large resting stack", function()
    local thread = rest(table.unpack(pad))
    store(function(v) on(thread, "xmove", v) end)
    keep = {thread}
    step()
    on(thread, how)
    finish()
    return take(thread, 1)
  end, TABLE)
end
case("lua_rotate on a resting thread", function()
  local thread = rest(new(), 2, 3)
  keep = {thread}
  step()
  on(thread, "rotate")
  finish()
  return take(thread)
end)
case("lua_pushcclosure on a resting thread", function()
  local thread = rest()
  keep = {thread}
  step()
  store(function(v) on(thread, "xmove", debug.getupvalue(v, 1) and v()) end)
  on(thread, "pushcclosure")
  finish()
  return take(thread)
end, CLOSURE)
case("lua_getinfo on a resting thread", function()
  local thread = rest()
  store(function(v) on(thread, "xmove", v) end)
  keep = {thread}
  step()
  on(thread, "getinfo")
  finish()
  return take(thread)
end, CLOSURE)
case("the lines of lua_getinfo on a resting thread", function()
  local thread = rest(1, 2, load("local a\n\nreturn 1", "=lines"))
  keep = {thread}
  step()
  on(thread, "lines")
  finish()
  local lines = take(thread)
  assert(lines[1] and not lines[2] and lines[3])
  return new()
end, TABLE)
for _, how in ipairs {"pushstring", "pushlstring", "pushfstring"} do
  for _, sort in ipairs {LONG, SHORT} do
    case("lua_" .. how .. " on a resting thread", function()
      local thread = rest()
      new()
      step()
      on(thread, how)
      finish()
      return take(thread)
    end, sort)
  end
end
case("lua_concat on a resting thread", function()
  local thread = rest("1")
  new()
  keep = {thread}
  step()
  on(thread, "concat")
  finish()
  assert(take(thread) == "1a")
  return new()
end, SHORT)
case("lua_load on a resting thread", function()
  local thread = rest(1)
  keep = {thread}
  step()
  on(thread, "load")
  finish()
  assert(take(thread)() == "loaded")
  return new()
end, TABLE)
-- A closure and its upvalues, one after the other.
local a, b, c = 1, 2, 3
local three = string.dump(function() a, b, c = a, b, c return c end)
for name, text in pairs {text = "return _ENV", binary = three} do
  case("upvalues of a loaded function, " .. name, function()
    step()
    local f = load(text)
    forget()
    finish()
    for i = 1, math.huge do
      if not debug.setupvalue(f, i, i) then break end
    end
    local x = new()
    debug.setupvalue(f, text == three and 3 or 1, x)
    return f()
  end)
end
-- The error is caught here, while another thread runs.
for name, catch in pairs {pcall = pcall, pcallk = pcallk} do
  case("an error in a thread that the host runs, " .. name, function()
    local x
    local thread = rest(error)
    keep = {thread}
    step()
    catch(function() on(thread, "call") end)
    x = new()
    finish()
    return x
  end)
end
local number = 123456789
case("lua_tolstring on a resting thread", function()
  number = number + 1
  local thread = rest(number, 2, 3)
  keep = {thread}
  step()
  on(thread, "tolstring")
  finish()
  assert(#take(thread, 1) == 9 and tonumber(take(thread, 1)) == number)
  return new()
end, SHORT)
case("lua_tolstring of an upvalue", function()
  local f = cell()
  keep = {f}
  step()
  f("text")
  finish()
  assert(f():find("^1%d+$"))
  return new()
end, SHORT)

return cases
