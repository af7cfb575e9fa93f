-- SPDX-License-Identifier: MIT
-- A compiler from expressions to closures.
local function lex(s) local tokens, i = {}, 1 while true
do i = s:match("^%s*()", i) if i > #s then break end
local n, j = s:match("^(%d+%.?%d*)()", i)
if n then tokens[#tokens + 1] = {"num", tonumber(n)} i = j else
local w, k = s:match("^(%a+)()", i)
if w then tokens[#tokens + 1] = {"name", w} i = k else
local o = s:match("^//", i) or s:sub(i, i) tokens[#tokens + 1] = {o, o} i = i +
  #o end end end tokens[#tokens + 1] = {"end"} return tokens end
local prec = {["+"] = 1, ["-"] = 1, ["*"] = 2, ["/"] = 2, ["//"] = 2, ["%"] = 2,
  ["^"] = 4}
local ops = {["+"] = function(a, b) return a + b end, ["-"] = function(a, b)
  return a - b end, ["*"] = function(a, b) return a * b end, ["/"] =
  function(a, b) return a / b end, ["//"] = function(a, b) return a // b end,
  ["%"] = function(a, b) return a % b end, ["^"] = function(a, b) return a ^ b
  end} local function compile(s) local t, p = lex(s), 1 local expr local
function primary() local k = t[p] p = p + 1 if k[1] == "num" then local v = k[2]
return function() return v end elseif k[1] == "name" then
if t[p][1] == "(" then p = p + 1 local args = {} while t[p][1] ~= ")"
do args[#args + 1] = expr(0) if t[p][1] == "," then p = p + 1 end end p = p + 1
return function(env) local v = {} for i, a in ipairs(args) do v[i] = a(env) end
return math[k[2]](table.unpack(v)) end end return function(env)
return env[k[2]] or error("unknown " .. k[2], 0) end elseif k[1] == "(" then
local e = expr(0) if t[p][1] ~= ")" then error("')' expected", 0) end p = p + 1
return e elseif k[1] == "-" then local e = expr(3) return function(env)
return -e(env) end end error("unexpected " .. k[1], 0) end function expr(min)
local left = primary() while prec[t[p][1]] and prec[t[p][1]] > min do
local op = t[p][1] p = p + 1
local right = expr(op == "^" and prec[op] - 1 or prec[op])
local l, f = left, ops[op] left = function(env) return f(l(env), right(env)) end
end return left end local e = expr(0) if t[p][1] ~= "end" then
error("unexpected " .. t[p][1], 0) end return e end
for _, s in ipairs {"1 + 2 * 3", "(1 + 2) * 3", "2 ^ 3 ^ 2", "-2 ^ 2",
  "10 // 3 + 10 % 3", "x * x + y", "max(1, x, 7) - min(3, y)", "1 / 0",
  "7 // 0", "1 +", "(1", "1 2", "z + 1", "sqrt(16) / 2", "floor(7.5) // 2",
  "2 * (3 + 4) * 5 - 6 / 2"} do
print(s, pcall(function() return compile(s)({x = 5, y = 2.5}) end)) end
