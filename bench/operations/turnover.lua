-- SPDX-License-Identifier: MIT
-- Keys that come and go: queues, stacks, windows, emptied tables.

local op = ...

local families = {
  { "integers by 10", "%s * 10" }, { "integers by 64", "%s << 6" },
  { "floats", "%s + 0.5" }, { "strings", "'k' .. %s" },
}
for _, family in ipairs(families) do
  local name, key = family[1], family[2]
  for _, window in ipairs { 10, 1000, 20000 } do
    local enter, leave = key:format("n"), key:format("(n - " .. window .. ")")
    op(("a window of %d, %s"):format(window, name), "local t, n = {}, 0 for j = 1, " ..
       window .. " do n = n + 1 t[" .. enter .. "] = j end",
       "n = n + 1; t[" .. enter .. "] = i; t[" .. leave .. "] = nil")
  end
end
op("a window of 1000 over 100000", "", "local t = {} for j = 1, 100000 do t[j * 10] = j " ..
   "t[(j - 1000) * 10] = nil end")
op("a queue of 1", "local q, h, n = {}, 1, 0", "n = n + 1; q[n] = i; q[h] = nil; h = h + 1")
for _, size in ipairs { 10, 1000, 100000 } do
  op("a queue of " .. size, "local q, h, n = {}, 1, " .. size .. " for j = 1, n do q[j] = j end",
     "n = n + 1; q[n] = i; q[h] = nil; h = h + 1")
end
op("a queue of 100000 steps", "", "local q, h, n = {}, 1, 0 for j = 1, 100000 do n = n + 1 " ..
   "q[n] = j if j > 10 then q[h] = nil h = h + 1 end end")
op("a stack, push and pop", "local s, n = {}, 0", "n = n + 1; s[n] = i; s[n] = nil; n = n - 1")
op("a stack by #", "local s = { 1, 2, 3 }", "s[#s + 1] = i; s[#s] = nil")
op("a stack of 100, filled and emptied", "local s = {}",
   "for j = 1, 100 do s[#s + 1] = j end for j = 1, 100 do s[#s] = nil end")
op("a ring of 64", "local r = {} for j = 0, 63 do r[j] = j end", "r[i & 63] = i")
op("a set of objects, in and out", "local s, o = {}, {} for j = 1, 64 do o[j] = {} end",
   "local k = o[(i & 63) + 1]; if s[k] then s[k] = nil else s[k] = true end")
op("one name comes and goes", "local t = { a = 1 }", "t.x = i; t.x = nil")
op("one integer comes and goes", "local t = {}", "t[1000] = i; t[1000] = nil")
op("ten names come and go", "local t, k = {}, {} for j = 1, 10 do k[j] = 'n' .. j end",
   "for j = 1, 10 do t[k[j]] = i end for j = 1, 10 do t[k[j]] = nil end")
op("new objects as keys", "local t = {}", "local k = {}; t[k] = i; t[k] = nil")
op("new strings as keys", "local t = {}", "local k = 'k' .. i; t[k] = i; t[k] = nil")
op("filled and emptied, 1000 integers by 7", "local t = {}",
   "for j = 1, 1000 do t[j * 7] = i end for j = 1, 1000 do t[j * 7] = nil end")
op("filled and emptied, 1000 names", "local t, k = {}, {} for j = 1, 1000 do k[j] = 'n' .. j end",
   "for j = 1, 1000 do t[k[j]] = i end for j = 1, 1000 do t[k[j]] = nil end")
op("emptied by pairs", "local n = {} for j = 1, 100 do n[j] = 'n' .. j end local t = {}",
   "for j = 1, 100 do t[n[j]] = j end for k in pairs(t) do t[k] = nil end")
op("next of an emptied array", "local t = {} for j = 1, 100000 do t[j] = j end " ..
   "for j = 1, 100000 do t[j] = nil end", "next(t)")
op("next of an emptied hash", "local t = {} for j = 1, 100000 do t[j * 7] = j end " ..
   "for j = 1, 100000 do t[j * 7] = nil end", "next(t)")
op("next of an emptied map of names", "local t = {} for j = 1, 10000 do t['k' .. j] = j end " ..
   "for j = 1, 10000 do t['k' .. j] = nil end", "next(t)")
op("next of a table that was never filled", "local t = {}", "next(t)")
op("next of one name", "local t = { a = 1 }", "next(t)")
op("next of 1000 names", "local t = {} for j = 1, 1000 do t['k' .. j] = j end", "next(t)")
op("pairs over 300000 sparse integers", "local t = {} for j = 1, 300000 do t[j * 7] = j end",
   "local n = 0 for k, v in pairs(t) do n = n + v end")
op("pairs over 100000 names", "local t = {} for j = 1, 100000 do t['k' .. j] = j end",
   "local n = 0 for k, v in pairs(t) do n = n + v end")
op("pairs over 100000 elements", "local t = {} for j = 1, 100000 do t[j] = j end",
   "local n = 0 for k, v in pairs(t) do n = n + v end")
op("pairs over 10000 floats", "local t = {} for j = 1, 10000 do t[j + 0.5] = j end",
   "local n = 0 for k, v in pairs(t) do n = n + v end")
op("pairs over a thinned table", "local t = {} for j = 1, 10000 do t['k' .. j] = j end " ..
   "for j = 1, 10000 do if j % 10 ~= 0 then t['k' .. j] = nil end end",
   "local n = 0 for k, v in pairs(t) do n = n + v end")
op("a weak table, new keys", "local t = setmetatable({}, { __mode = 'k' })", "t[{}] = i")
op("a weak table, new values", "local t = setmetatable({}, { __mode = 'v' })", "t[i & 1023] = {}")
op("a weak table, read", "local k = {} local t, x = setmetatable({ [k] = 1 }, { __mode = 'k' })", "x = t[k]")
op("an LRU cache of 100", "local map, head, tail, n = {}, nil, nil, 0", [[
  local key = i * 7 % 300
  local e = map[key]
  if e then
    if e ~= head then
      e.prev.next = e.next
      if e.next then e.next.prev = e.prev else tail = e.prev end
      e.prev, e.next = nil, head; head.prev = e; head = e
    end
  else
    e = { key = key, next = head }
    if head then head.prev = e else tail = e end
    head = e; map[key] = e; n = n + 1
    if n > 100 then map[tail.key] = nil; tail = tail.prev; tail.next = nil; n = n - 1 end
  end]])
