-- Nested loops, goto, deep expressions, many registers, upvalues of upvalues.
local function primes(n)
  local sieve, out = {}, {}
  for i = 2, n do sieve[i] = true end
  for i = 2, n do
    if sieve[i] then
      out[#out + 1] = i
      for j = i * i, n, i do sieve[j] = false end
    end
  end
  return out
end
local function search(m, x)
  for i = 1, #m do
    for j = 1, #m[i] do
      if m[i][j] == x then goto found end
      if j > 5 then goto continue end
    end
    ::continue::
  end
  do return nil end
  ::found::
  return true
end
local function outer(a)
  local b = a + 1
  return function(c)
    local d = b + c
    return function(e)
      a = a + d
      b = e
      return function() return a + b + c + d + e end
    end
  end
end
local function many(a1, a2, a3, a4, a5)
  local b1, b2, b3, b4, b5, b6, b7, b8 = a1, a2, a3, a4, a5, a1, a2, a3
  local c = {b1, b2, b3, b4, b5, b6, b7, b8, a1, a2, a3, a4, a5}
  local d = (b1 or b2) and (b3 or b4) and not (b5 == b6 or b7 ~= b8)
  local e = ((a1 or 1) + (a2 or 2)) * ((a3 or 3) - (a4 or 4)) .. (a5 or 5)
  while #c > 0 do
    local x = table.remove(c)
    if x == nil then break
    elseif x == 1 then e = e .. 1
    elseif x == 2 then e = e .. 2
    else e = x .. e end
    local f = function() return x, e, d end
    if not f() then goto skip end
    d = f
    ::skip::
  end
  return d, e
end
local p = primes(60)
local r = search({{1, 2}, {3, 4, 5, 6, 7, 8, 9}, p}, 7)
local s = outer(1)(2)(3)()
local d, e = many(1, 2, 3, 4, 5)
local n = 0
repeat
  local m = n
  n = n + 1
  local f = function() return m end
until f() >= 4
return #p, r, s, e, n
