-- SPDX-License-Identifier: MIT
-- Metatables and metamethods (manual, 2.4)

local function fails(f, ...) return select(2, pcall(f, ...)) end
local function log(name) return function(a, b)
  local function s(x) return type(x) == "table" and "T" or tostring(x) end
  return name .. "(" .. s(a) .. "," .. s(b) .. ")"
end end

-- arithmetic, bitwise, concatenation
local mt = {}
for name in ("add sub mul div mod pow unm idiv band bor bxor shl shr bnot concat"):gmatch("%a+") do
  mt["__" .. name] = log(name)
end
local T = setmetatable({}, mt)
print(T + 1, 1 - T, T * T, T / 2, 2 % T, T ^ 2, 7 // T)
--> add(T,1) sub(1,T) mul(T,T) div(T,2) mod(2,T) pow(T,2) idiv(7,T)
print(-T, ~T, T & 1, 1 | T, T ~ 1, T << 1, 1 >> T)
--> unm(T,T) bnot(T,T) band(T,1) bor(1,T) bxor(T,1) shl(T,1) shr(1,T)
print(T .. "x", "x" .. T, 1 .. T, T .. T, "a" .. "b" .. T)
--> concat(T,x) concat(x,T) concat(1,T) concat(T,T) aconcat(b,T)
print(T + 1.5, "5" + T)                           --> add(T,1.5) add(5,T)
print(fails(function() return {} + 1 end))
-->~ attempt to perform arithmetic on a table value$
print(fails(function() return {} .. "x" end))
-->~ attempt to concatenate a table value$
print(fails(function() local a; return -a end))
-->~ attempt to perform arithmetic on a nil value %(local 'a'%)$

-- comparison
local ordered = {__eq = function() return true end, __lt = function(a, b) return a.v < b.v end,
                 __le = function(a, b) return a.v <= b.v end}
local A, B = setmetatable({v = 1}, ordered), setmetatable({v = 2}, ordered)
print(A == B, A ~= B, A < B, A > B, A <= B, A >= B)
--> true false true false true false
print(A == 1, rawequal(A, B))                     --> false false
print(fails(function() return {} < {} end))
-->~ attempt to compare two table values$
print(fails(function() return {} < 1 end))
-->~ attempt to compare table with number$
print(fails(function() return 1 <= "1" end))
-->~ attempt to compare number with string$
print(setmetatable({}, {__lt = function() return 1 end}) < 5)     --> true

-- without __le, a <= b is not (b < a)
local less = {__lt = function(a, b) return a.v < b.v end}
local C, D = setmetatable({v = 1}, less), setmetatable({v = 2}, less)
print(C <= D, D <= C, C <= C, C >= D, D >= C)     --> true false true false true
less.__lt = function(a, b) coroutine.yield(a.v, b.v); return a.v < b.v end
local ask = coroutine.wrap(function() return C <= D, D <= C end)
print(ask())                                      --> 2 1
print(ask())                                      --> 1 2
print(ask())                                      --> true false
print(fails(function() return D <= {} end))
-->~ attempt to yield from outside a coroutine$
less.__lt = nil
print(fails(function() return C <= D end))
-->~ attempt to compare two table values$

-- index and newindex
local base = {shared = "base"}
local derived = setmetatable({own = 1}, {__index = base})
local third = setmetatable({}, {__index = derived})
print(third.own, third.shared, third.none)        --> 1 base nil
local dynamic = setmetatable({}, {__index = function(t, k) return k .. "!" end})
print(dynamic.x, dynamic[1], rawget(dynamic, "x"))--> x! 1! nil
local target = {}
local writer = setmetatable({}, {__newindex = target})
writer.a = 1
print(rawget(writer, "a"), target.a)              --> nil 1
local guard = setmetatable({old = 0}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end})
guard.new, guard.old = 5, 5
print(guard.new, guard.old)                       --> 10 5
print(fails(function() local x; x.y = 1 end))
-->~ attempt to index a nil value %(local 'x'%)$
print(fails(function() return (1).x end))
-->~ attempt to index a number value
print(fails(function() return undefinedtable.x end))
-->~ attempt to index a nil value %(global 'undefinedtable'%)$
print(fails(function() local t = {}; t[nil] = 1 end)) -->~ index is nil$
print(fails(function() local t = {}; t[0/0] = 1 end)) -->~ index is NaN$

-- call
local callable = setmetatable({}, {__call = function(self, ...) return select("#", ...), ... end})
print(callable(), callable(1, nil))               --> 0 2 1 nil
print(pcall(callable, "x"))                       --> true 1 x
local twice = setmetatable({}, {__call = callable})
print((twice(1)))                                 --> 2
print(table.concat({("abc"):gsub("%w", function(c) return c:upper() end)}, " "))
--> ABC 3
print(fails(function() setmetatable({}, {__call = 1})() end))
-->~ attempt to call a number value

-- len, tostring, name, metatable, pairs
print(#setmetatable({}, {__len = function() return 42 end}))      --> 42
print(#setmetatable({1, 2}, {__len = function() return "long" end})) --> long
print(fails(function() return #5 end))
-->~ attempt to get length of a number value
print(tostring(setmetatable({}, {__tostring = function() return "S" end})))
--> S
print((tostring(setmetatable({}, {__name = "N"})):gsub("0x%x+", "P")))
--> N: P
print(getmetatable(setmetatable({}, {__metatable = false})))      --> false
print(fails(io.lines, setmetatable({}, {__name = "Kind"})))
--> bad argument #1 to 'io.lines' (string expected, got Kind)
for k, v in pairs(setmetatable({}, {__pairs = function() return next, {x = 1}, nil end})) do print(k, v) end
--> x 1

-- the lookup of metamethods is raw
local meta = setmetatable({}, {__index = {__add = function() return "inherited" end}})
print(fails(function() return setmetatable({}, meta) + 1 end))
-->~ attempt to perform arithmetic

-- classes
local Account = {}
Account.__index = Account
function Account.new(n) return setmetatable({balance = n}, Account) end
function Account:deposit(v) self.balance = self.balance + v end
local Special = setmetatable({}, {__index = Account})
Special.__index = Special
function Special.new(n) return setmetatable(Account.new(n), Special) end
function Special:limit() return self.balance * 2 end
local s = Special.new(10)
s:deposit(5)
print(s.balance, s:limit(), getmetatable(s) == Special)           --> 15 30 true

-- methods of arithmetic: in other places of other metatables, replaced, removed
local function kind(name, extra)
  local mt = {}
  for i = 1, extra do mt["f" .. i] = i end
  mt.__add = function(a, b, c) return name, c end
  return mt, setmetatable({}, mt)
end
local kinds, objects = {}, {}
for i = 1, 6 do kinds[i], objects[i] = kind("k" .. i, i * 3) end
local seen = {}
for round = 1, 2 do
  for i = 1, 6 do seen[#seen + 1] = objects[i] + objects[7 - i] end
end
print(table.concat(seen, " "))
--> k1 k2 k3 k4 k5 k6 k1 k2 k3 k4 k5 k6
kinds[1].__add = function() return "new" end
print(objects[1] + 1, objects[1] + 1.5, objects[1] + "1")         --> new new new
kinds[1].__add = nil
print(objects[1] + objects[2], pcall(function() return objects[1] + 1 end))
-->~ ^k2%sfalse%s.*attempt to perform arithmetic on a table value
kinds[1].__add = setmetatable({}, {__call = function(_, a, b) return b end})
print(objects[1] + 5)                             --> 5

-- the results of metamethods
local given = setmetatable({}, {
  __add = function() end, __sub = function() return 1, 2 end,
  __mul = function(...) return ... end, __div = function(a, b) return tostring(b) end,
  __mod = function(...) return select("#", ...) end, __unm = function(a, b, c) return c end,
  __idiv = function(a, b) return a.x(b) end, __pow = function(a, b) return rawequal(a, b) end,
})
given.x = function(b, c) return b, c end
local sum, difference = given + 1, given - 1
print(sum, difference, (given * 7 == given), given / 2, given % 3, -given, given // 8, given ^ given)
--> nil 1 true 2 2 nil 8 true

-- deep in them
local depth = setmetatable({}, {__add = function(a, n) if n == 0 then return 0 end return (a + (n - 1)) + 1 end})
print(depth + 150)                                --> 150
local endless = setmetatable({}, {__add = function(a, n) return (a + n) + 1 end})
print(select(2, pcall(function() return endless + 1 end)))        -->~ stack overflow

-- and out of them
local yielder = setmetatable({}, {__mul = function(a, b) return coroutine.yield(b) end})
local co = coroutine.wrap(function() return yielder * 2 + yielder * 3 end)
print(co(), co(10), co(20))                       --> 2 3 30
local thrower = setmetatable({}, {__sub = function(a, b) error(b, 0) end})
print(pcall(function() return thrower - "thrown" end))            --> false thrown
local events = {}
local hooked = setmetatable({}, {__add = function(a, b) return tostring(b) end})
debug.sethook(function(event) events[#events + 1] = event end, "cr")
local _ = hooked + 1
debug.sethook()
print(table.concat(events, " "))
--> return call call return return call

-- Fields and methods of a userdata, again and again at one place, by every
-- __index.
do
  local file = io.tmpfile()
  local meta = debug.getmetatable(file)
  local function try(f)
    local ok, x
    for _ = 1, 3 do ok, x = pcall(f, file) end
    return ok and tostring(x) or x:match("attempt to .*")
  end
  local function field(u) return u.x and u.x(u) end
  local function method(u) return u:x() end
  local function one() return 1 end
  local indices = {
    {}, {__index = {x = one}}, {__index = {}},
    {__index = function(u, k) return u == file and function() return k end end},
    {__index = setmetatable({}, {__index = {x = one}})}, {__index = 5},
  }
  for i = 1, #indices + 1 do
    debug.setmetatable(file, indices[i])
    print(try(field), try(method))
  end
  --> attempt to index a userdata value (local 'u') attempt to index a userdata value (local 'u')
  --> 1 1
  --> nil attempt to call a nil value (method 'x')
  --> x x
  --> 1 1
  --> attempt to index a number value attempt to index a number value
  --> attempt to index a userdata value (local 'u') attempt to index a userdata value (local 'u')
  debug.setmetatable(file, meta)
end

-- Stores into values that are not tables: by name, by index, by variable.
do
  local log
  local function set(_, k, v) log[#log + 1] = tostring(k) .. "=" .. tostring(v) end
  local function store(object)
    local key = 7.5
    global = object
    for _ = 1, 3 do
      object.name = 1; object.name = "text"; object[1] = 2; object[key] = key
      object[key] = "text"; global.field = 3
    end
  end
  local function try(index)
    log = {}
    debug.setmetatable(0, {__newindex = index})
    local ok, e = pcall(store, 5)
    debug.setmetatable(0, nil)
    print(ok, ok and #log or e:match("attempt to .*"), table.concat(log, " ", 1, #log // 3))
  end
  local hidden = {}
  try(set)                      --> true 18 name=1 name=text 1=2 7.5=7.5 7.5=text field=3
  try(setmetatable({}, {__newindex = set}))
  --> true 18 name=1 name=text 1=2 7.5=7.5 7.5=text field=3
  try(hidden)                                     --> true 0
  print(hidden.name, hidden[1], hidden[7.5], hidden.field)  --> text 2 text 3
  try(nil)                      --> false attempt to index a number value (local 'object')
  try(true)                                       --> false attempt to index a boolean value

  -- A table whose stores end in a value that is not a table.
  local outer = setmetatable({}, {__newindex = 5})
  local function into_outer() outer.x = 1 end
  log = {}
  debug.setmetatable(0, {__newindex = set})
  into_outer()
  debug.setmetatable(0, nil)
  print(log[1])                                   --> x=1
  print(select(2, pcall(into_outer)):match("attempt to .*"))
  --> attempt to index a number value
end

-- A metamethod can be removed and added again at any time, by any kind of store.
do
  local uses = {
    __index = function(o) return o.field end, __len = function(o) return #o end,
    __newindex = function(o) o.field = 1 return rawget(o, "field") == nil or nil end,
    __eq = function(o, p) return o == p or nil end, __call = function(o) return o() end,
    __add = function(o) return o + 1 end, __concat = function(o) return o .. "" end,
    __unm = function(o) return -o end, __lt = function(o) return o < o end,
    __le = function(o) return o <= o end, __idiv = function(o) return o // 1 end,
    __band = function(o) return o & 1 end, __shl = function(o) return o << 1 end,
    __bnot = function(o) return ~o end, __mod = function(o) return o % 2 end,
    __tostring = function(o) return tostring(o) == "yes" or nil end,
    __pairs = function(o) return pairs(o) == "yes" or nil end,
    __close = function(o) do local c <close> = o end return "yes" end,
  }
  local function name_of(event)
    return function(code) return assert(load(code:gsub("EVENT", event))) end
  end
  local stores = {
    function(event) return name_of(event)("local m, f = ... m.EVENT = f") end,
    function(event) return function(m, f) m[event] = f end end,
    function(event) return function(m, f) rawset(m, event, f) end end,
    function(event) return name_of(event)("M = ... M.EVENT = select(2, ...)") end,
    function(event) return name_of(event)("local m, f = ... local k = 'EVENT' m[k] = f") end,
    function(event) return function(m, f) for k, v in pairs {[event] = f} do m[k] = v end
                                          if not f then m[event] = nil end end end,
  }
  local yes = function() return "yes" end
  local wrong, m, o, p = {}
  for event, use in pairs(uses) do
    for i, make in ipairs(stores) do
      for round = 1, 18 do
        local store = make(event)   -- an instruction that knows no places
        if round % 6 == 1 then   -- the metatable may have one, too
          m = round > 1 and setmetatable({}, {__index = round > 7 and {} or nil}) or {}
          o, p = setmetatable({}, m), setmetatable({}, m)
        end
        local there = round % 2 == 1
        if there then store(m, yes) else store(m, nil) end
        for _ = 1, 3 do
          local ok, result = pcall(use, o, p)
          if (ok and result ~= nil and result ~= 0) ~= there then
            wrong[#wrong + 1] = event .. i .. (there and "+" or "-")
          end
          if event == "__newindex" then rawset(o, "field", nil) end
        end
      end
    end
  end
  table.sort(wrong)
  print(#wrong, table.concat(wrong, " "))           --> 0
end
