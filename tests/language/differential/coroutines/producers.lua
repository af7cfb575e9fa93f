-- SPDX-License-Identifier: MIT
-- Larger programs with coroutines: permutations, scheduler, trees, primes.
local function permgen(a, n) n = n or #a if n <= 1 then coroutine.yield(a) else
for i = 1, n
do a[n], a[i] = a[i], a[n] permgen(a, n - 1) a[n], a[i] = a[i], a[n] end end end
local count = 0 for p in coroutine.wrap(function() permgen {1, 2, 3, 4} end)
do count = count + 1 if count % 5 == 0 then print(table.concat(p, " ")) end end
print(count)
local function tree(n) if n > 0 then return {tree(n - 1), n, tree(n - 1)} end
end
local function walk(t) if t then walk(t[1]) coroutine.yield(t[2]) walk(t[3]) end
end
local r = {} for v in coroutine.wrap(function() walk(tree(5)) end)
do r[#r + 1] = v end print(table.concat(r, ""))
local function gen(n)
return coroutine.wrap(function() for i = 2, n do coroutine.yield(i) end end) end
local function filter(p, g)
return coroutine.wrap(function() for n in g do if n % p ~= 0 then
  coroutine.yield(n) end end end) end
local x, primes = gen(200), {} while true do local n = x() if not n then break
end primes[#primes + 1] = n x = filter(n, x) end
print(table.concat(primes, " "))
local queue, log = {}, {} local
function spawn(name, n) queue[#queue + 1] =
  coroutine.create(function() for i = 1, n do log[#log + 1] = name .. i
  coroutine.yield() if i == 2 and name == "b" then spawn("child", 2) end end
  end) end
spawn("a", 3) spawn("b", 4) spawn("c", 2) while #queue > 0 do
local co = table.remove(queue, 1) coroutine.resume(co)
if coroutine.status(co) ~= "dead" then queue[#queue + 1] = co end end
print(table.concat(log, " "))
local function producer()
return coroutine.create(function() for _, l in ipairs {"x", "y", "z"} do
  coroutine.yield(l) end end) end
local function filt(p)
return coroutine.create(function() local i = 1 while true do local ok, v =
  coroutine.resume(p) if not v then return end coroutine.yield(i .. ":" .. v) i
  = i + 1 end end) end
local f = filt(producer()) while true do local ok, v = coroutine.resume(f)
if not v then break end io.write(v, " ") end print()
local depth = 0 local function nest(n) if n == 0 then return coroutine.running()
end local co = coroutine.wrap(nest) depth = depth + 1 return co(n - 1)
end nest(100) print(depth)
local function recursive(n)
return coroutine.wrap(function() if n > 0 then return recursive(n - 1)() end
  error("bottom", 0) end) end print(pcall(recursive(20)))
local a, b a = coroutine.create(function() for i = 1, 3 do
  print("a", i, coroutine.resume(b, i)) end end) b =
  coroutine.create(function(v) while true do v = coroutine.yield(v * 2) end end)
print(coroutine.resume(a))
local env = {} for i = 1, 5
do env[i] = coroutine.wrap(function() local up = i while true do up = up +
  coroutine.yield(up) end end) env[i]() end
print(env[1](1), env[5](5), env[1](1), env[3](10))
