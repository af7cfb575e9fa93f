-- SPDX-License-Identifier: MIT
-- The table library (manual, 6.6)

local function fails(f, ...) return select(2, pcall(f, ...)) end
local function show(t) return table.concat(t, " ") end

-- insert and remove
local t = {}
table.insert(t, "b"); table.insert(t, 1, "a"); table.insert(t, 3, "d"); table.insert(t, 3, "c")
print(show(t))                                    --> a b c d
print(table.remove(t), table.remove(t, 1), show(t))              --> d a b c
print(table.remove({}), table.remove({}, 0), table.remove({1, 2}, 3))
--> nil nil nil
print(#t, table.remove(t, 1), table.remove(t), table.remove(t), #t)
--> 2 b c nil 0
print(select("#", table.insert(t, 1)))            --> 0
print(fails(table.insert, {}, 5, 1))
--> bad argument #2 to 'table.insert' (position out of bounds)
print(fails(table.insert, {}, 0, 1))
--> bad argument #2 to 'table.insert' (position out of bounds)
print(fails(table.insert, {}))       --> wrong number of arguments to 'insert'
print(fails(table.insert, {}, 1, 2, 3))
--> wrong number of arguments to 'insert'
print(fails(table.insert, nil, 1))
--> bad argument #1 to 'table.insert' (table expected, got nil)
print(fails(table.remove, {1, 2}, 5))
--> bad argument #2 to 'table.remove' (position out of bounds)
-->5.4.4 bad argument #1 to 'table.remove' (position out of bounds)
local big = {}
for i = 1, 1000 do table.insert(big, 1, i) end
for i = 1, 998 do table.remove(big, 1) end
print(#big, show(big))                            --> 2 2 1

-- concat
print(table.concat({1, 2.5, "x"}), table.concat({1, 2, 3}, ", "))
--> 12.5x 1, 2, 3
print(table.concat({1, 2, 3}, "-", 2), table.concat({1, 2, 3}, "-", 2, 2))
--> 2-3 2
print("[" .. table.concat({}) .. table.concat({1, 2}, "x", 2, 1) .. "]")
--> []
print(fails(table.concat, {1, {}}))
--> invalid value (table) at index 2 in table for 'concat'
print(fails(table.concat, {1}, "", 1, 2))
--> invalid value (nil) at index 2 in table for 'concat'
local long = {}
for i = 1, 5000 do long[i] = ("%04d"):format(i) end
print(#table.concat(long, ","), table.concat(long, ","):sub(-9))
--> 24999 4999,5000

-- pack and unpack
local p = table.pack(1, nil, 3, nil)
print(p.n, p[1], p[2], p[3], table.pack().n)      --> 4 1 nil 3 0
print(table.unpack({1, 2, 3}))                    --> 1 2 3
print(table.unpack({1, 2, 3}, 2), table.unpack({1, 2, 3}, 2, 3)) --> 2 2 3
print(table.unpack({}, 1, 3))                     --> nil nil nil
print(select("#", table.unpack({}, math.maxinteger - 1, math.maxinteger)))
--> 2
print(select("#", table.unpack({}, 2, 1)), #{table.unpack(long)})--> 0 5000
print(fails(table.unpack, {}, 1, 1e8))            --> too many results to unpack
print(fails(table.unpack, {}, math.mininteger, math.maxinteger))
--> too many results to unpack

-- move
print(show(table.move({1, 2, 3}, 1, 3, 2)), show(table.move({1, 2, 3}, 2, 3, 1)))
--> 1 1 2 3 2 3 3
print(show(table.move({1, 2, 3}, 1, 3, 3, {9, 9})), #table.move({1, 2}, 1, 0, 5))
--> 9 9 1 2 3 2
print(fails(table.move, {}, 1, math.maxinteger, 2))
--> bad argument #4 to 'table.move' (destination wrap around)
print(fails(table.move, {}, -1, math.maxinteger, 2))
--> bad argument #3 to 'table.move' (too many elements to move)
print(fails(table.move, {}, 1, 2))
--> bad argument #4 to 'table.move' (number expected, got no value)

-- sort
local function sorted(list, f) table.sort(list, f); return show(list) end
print(sorted({3, 1, 2}), sorted({"b", "a", "C"}), sorted({1.5, 1, -1}))
--> 1 2 3 C a b -1 1 1.5
print(sorted({3, 1, 2}, function(a, b) return a > b end))        --> 3 2 1
print(sorted({}), sorted({1}), sorted({2, 2, 2}))                -->  1 2 2 2
for _, n in ipairs{10, 100, 199, 200, 201, 202, 1000, 20000} do
  local list, sum = {}, 0
  math.randomseed(n)
  for i = 1, n do list[i] = math.random(n // 2); sum = sum + list[i] end
  table.sort(list)
  local ok = true
  for i = 2, n do ok = ok and list[i - 1] <= list[i] end
  for i = 1, n do sum = sum - list[i] end
  io.write(tostring(ok and sum == 0), " ")
  table.sort(list, function(a, b) return b < a end)   -- from ascending to descending
  for i = 2, n do ok = ok and list[i - 1] >= list[i] end
  io.write(tostring(ok), " ")
end
print()
--> true true true true true true true true true true true true true true true true
local saw = {}
for i = 1, 3000 do saw[i] = i % 7 end
table.sort(saw)
print(saw[1], saw[428], saw[429], saw[3000])      --> 0 0 1 6
print(fails(table.sort, {1, "x"}))
-->~ attempt to compare .* with 
print(fails(table.sort, {1, 2, 3, 4}, function() return true end))
--> invalid order function for sorting
print(fails(table.sort, {1, 2, 3}, 1))
--> bad argument #2 to 'table.sort' (function expected, got number)
print(fails(table.sort, {3, 2, 1}, function() error("in order", 0) end))
--> in order

-- through metamethods
local log = {}
local proxy = setmetatable({}, {
  __len = function() return 3 end,
  __index = function(_, i) return i * 10 end,
  __newindex = function(_, k, v) log[#log + 1] = k .. "=" .. tostring(v) end})
print(table.concat(proxy, ","), table.unpack(proxy))
--> 10,20,30 10 20 30
table.insert(proxy, "x"); table.insert(proxy, 2, "y"); print(show(log))
--> 4=x 4=30 3=20 2=y
log = {}; print(table.remove(proxy, 2), show(log))
--> 20 2=30 3=nil
log = {}; table.move(proxy, 1, 2, 5); print(show(log))           --> 5=10 6=20
local doubled = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end})
table.move({1, 2}, 1, 2, 1, doubled); print(show(doubled))       --> 2 4
local hidden, store = {}, {3, 1, 2}
setmetatable(hidden, {__len = function() return #store end, __index = store,
                      __newindex = function(_, k, v) store[k] = v end})
table.sort(hidden); print(show(store), rawlen(hidden))           --> 1 2 3 0
print(fails(table.concat, setmetatable({}, {__len = function() return "x" end})))
--> object length is not an integer

-- integer keys that leave the array when it is no longer dense
local sparse = {}
sparse[1] = 1; sparse[3] = 3; sparse[7] = 4; sparse[13] = 4
print(sparse[1], sparse[2], sparse[3], sparse[7], sparse[13])
--> 1 nil 3 4 4
local count = 0
for _ in pairs(sparse) do count = count + 1 end
print(count)                                      --> 4

-- appending, by one call or one by one
local function append(t, v) t[#t + 1] = v end
local list = {}
for i = 1, 300 do append(list, i) end
append(list, "end")
append(list, nil)
print(#list, list[1], list[150], list[300], list[301])
--> 301 1 150 300 end
while #list > 3 do list[#list] = nil end
append(list, list)
print(#list, list[3], list[4] == list, list[5])   --> 4 3 true nil
local key, keyed = 0, {"a", "b", nil, nil}
key = #keyed + 1; keyed[key] = "c"
print(key, #keyed, keyed[3])                      --> 3 3 c
local counted = setmetatable({1, 2, 3}, {__len = function() return 10 end})
append(counted, "x"); print(rawget(counted, 11), rawget(counted, 4))
--> x nil
local kept = {}
local guarded = setmetatable({1, 2, nil, nil}, {__newindex = function(_, k, v) kept[k] = v end})
append(guarded, "y"); print(rawget(guarded, 3), kept[3])         --> nil y
print(fails(append, 5, 1))
-->~ attempt to get length of a number value %(local 't'%)$
print(fails(append, "str", 1))
-->~ attempt to index a string value %(local 't'%)$
print(fails(append, setmetatable({}, {__len = function() return {} end}), 1))
-->~ attempt to perform arithmetic on a table value$
local weak = setmetatable({1, 2, 3, nil}, {__mode = "v"})
collectgarbage(); append(weak, 4); append(weak, 5); print(#weak, weak[5])
--> 5 5
local yielding = coroutine.wrap(function()
  local t = setmetatable({}, {__len = function() return coroutine.yield("len") end})
  append(t, "z")
  return rawget(t, 8)
end)
print(yielding(), yielding(7))                    --> len z
local lines = {}
local function spread(t, v)
  t[#t
    + 1] =
    v
end
debug.sethook(function(_, line) lines[#lines + 1] = line end, "l")
spread(list, 1)
debug.sethook()
local first = debug.getinfo(spread, "S").linedefined
local passed = {}
for _, line in ipairs(lines) do
  if line > first and line < first + 5 then append(passed, line - first) end
end
print(show(passed), list[5])                      --> 1 2 3 4 1

-- Tables with holes: any border is correct, but programs depend on that of 5.4
do
  local t = {}
  t[1] = 1; t[3] = 3
  print(#t)                                       --> 1
  local function record() return {a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7} end
  for _ = 1, 300 do
    t = record()
    t[4] = "x"
    table.insert(t, "y")
  end
  print(#t, t[1])                                 --> 1 y
  -- the same where a constructor has been seen to get more names
  local function foreseen(extra)
    local r = {a = 1}
    r.b = 2; r.c = 3; r.d = 4; r.e = 5
    if extra then r[1] = 1; r[2] = 2; r[4] = 4 end
    return r
  end
  for _ = 1, 20000 do foreseen() end
  print(#foreseen(true))                          --> 4
  local keys = {}
  for k in pairs{[0] = 0, [1] = 1, [2] = 2} do append(keys, k) end
  print(show(keys))                               --> 0 1 2
  keys = {}
  for k in pairs{[3] = 0, 1, [true] = 2, [0.5] = 2} do append(keys, tostring(k)) end
  print(show(keys))                               --> 1 3 true 0.5
end

-- The length of a table whose keys are powers of two, up to the last integer.
do
  local t = {}
  for i = 0, 62 do t[1 << i] = true end
  t[3] = true
  print(#t >= 4 and t[#t] and t[#t + 1] == nil)   --> true
  t = {}
  for i = 62, 0, -1 do t[1 << i] = true end
  print(#t >= 2 and t[#t] and t[#t + 1] == nil)   --> true
  t[math.maxinteger] = true
  print(#t >= 2 and t[#t] and (#t == math.maxinteger or t[#t + 1] == nil))  --> true
end

-- Empty tables that always get the same names, in another function.
do
  local function fill(r, n) r.x = n; r.y = n + 1; r.z = n + 2 return r end
  local function empty(n) return fill({}, n) end
  local kept, wrong = {}, 0
  for n = 1, 60000 do kept[n % 100] = empty(n) end
  for _, r in pairs(kept) do
    local count = 0
    for _ in pairs(r) do count = count + 1 end
    if count ~= 3 or r.y ~= r.x + 1 or r.z ~= r.x + 2 or r.w then wrong = wrong + 1 end
  end
  print(wrong, empty(7).y)                        --> 0 8
end

-- The fields of a large constructor are kept, also by collections.
do
  local function constructor(count)
    local fields = {}
    for i = 1, count do fields[i] = "f" .. i .. " = e" end
    local text = "return function(e) return {%s} end"
    return load(text:format(table.concat(fields, ", ")))()
  end
  local counts = {}
  for count = 1, 60 do counts[count] = count end
  counts[61] = 5000
  local wrong = 0
  for _, count in ipairs(counts) do
    local make = constructor(count)
    local made = {make({7}), make({7}), make({7})}
    collectgarbage()
    local garbage = {}
    for i = 1, 200 do garbage[i] = {} end
    for _, t in ipairs(made) do
      for i = 1, count do
        if t["f" .. i][1] ~= 7 then wrong = wrong + 1 end
      end
    end
  end
  print(wrong)                                    --> 0
end

-- next continues after any key there is, also where an integer key is just below
-- or beyond the array, and refuses all others.
do
  local wrong = 0
  local function walk(t)
    local seen, k = 0, nil
    repeat
      k = next(t, k)
      seen = seen + 1
    until k == nil or seen > 20
    return seen - 1
  end
  for size = 0, 5 do
    for mask = 0, 127 do
      local t, count = {}, size
      for i = 1, size do t[i] = i end
      for i = 0, 6 do
        local key = i < 4 and i - 3 or size + i - 3   -- -3 to 0, size + 1 to + 3
        if mask >> i & 1 == 1 then t[key], count = key, count + 1 end
      end
      if walk(t) ~= count then wrong = wrong + 1 end
      for key = -4, size + 5 do
        local there = t[key] ~= nil
        if (there or key < 1) and pcall(next, t, key) ~= there then
          wrong = wrong + 1
        end
      end
    end
  end
  print(wrong)                                    --> 0
end

-- table.move: all small ranges, within one table and to another one, in plain
-- tables and in those with metamethods
do
  local function range(n, first)
    local t = {}
    for i = first, n do t[i] = i end
    return t
  end
  local wrong, meta = 0, {__index = function() end}
  local function try(f, e, t, other, with_meta)
    local a, b = range(6, 0), range(9, -2)
    if with_meta then setmetatable(a, meta) setmetatable(b, meta) end
    local to = other and b or a
    local expected = {}
    for k, v in pairs(to) do expected[k] = v end
    for i = f, e do expected[t + i - f] = i >= 0 and i <= 6 and i or nil end
    table.move(a, f, e, t, to)
    for i = -9, 20 do
      if to[i] ~= expected[i] then wrong = wrong + 1 end
    end
  end
  for f = -1, 5 do
    for e = f - 1, 7 do
      for t = -2, 8 do
        for mask = 0, 3 do try(f, e, t, mask & 1 == 1, mask & 2 == 2) end
      end
    end
  end
  print(wrong)                                    --> 0
end

-- An order that says, once, that a value comes before itself is refused: the
-- largest values but one are in the middle, so that nothing else ends the search.
do
  local list, lied = {}, false
  for i = 1, 300 do list[i] = i end
  list[150], list[300] = 1000, 1001
  print(select(2, pcall(table.sort, list, function(a, b)
    if a ~= b or lied then return a < b end
    lied = true
    return true
  end)), lied)
  --> invalid order function for sorting true
end
