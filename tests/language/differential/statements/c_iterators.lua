-- SPDX-License-Identifier: MIT
-- c_iterators.lua -- C functions as iterators of a generic for
local function try(f, ...) print(pcall(f, ...)) end
for a, b, c in pcall, print, 1 do print(a, b, c) break end
for a in coroutine.wrap(function() for x in coroutine.yield do print("x", x) end end) do print(a) break end
local co = coroutine.wrap(function() for a, b in coroutine.yield, 1, 2 do print("in", a, b) end return "end" end)
print(co()) print(co(5, 6)) print(co(7)) print(co(nil))
for a, b, c in next, {x = 1} do print(a, b, c) end
for a, b in rawget, {5, [0] = 1}, 0 do print(a, b) break end
try(function() for a in math.floor, {} do end end)
try(function() for a in string.rep, "x", -1 do end end)
for a, b, c in math.type, 1, 2 do print(a, b, c) break end
for a, b, c in select, '#', 2 do print(a, b, c) break end
for p, c in utf8.codes("aä") do io.write(p, ":", c, " ") end print()
try(function() for p, c in utf8.codes("a\xff") do io.write(p, " ") end end)
print(pcall(utf8.codes("abc"), "abc", "1"), pcall(utf8.codes("abc"), "abc", {}), pcall(utf8.codes("x"), 12, 0))
for a, b in pcall, error do print(a, b) break end
for a in xpcall, error, function(m) return m end do print(a) break end
for a in collectgarbage, "count" do print(type(a)) break end
