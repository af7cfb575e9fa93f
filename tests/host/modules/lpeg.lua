-- SPDX-License-Identifier: MIT
-- package: lua-lpeg
-- module: lpeg
-- LPeg: patterns are userdata that hold Lua values, and matching calls back.
local lpeg = require "lpeg"
local P, R, S, V = lpeg.P, lpeg.R, lpeg.S, lpeg.V
local C, Ct, Cc, Cg, Cf = lpeg.C, lpeg.Ct, lpeg.Cc, lpeg.Cg, lpeg.Cf
local Cs, Cmt, Cb, Cp = lpeg.Cs, lpeg.Cmt, lpeg.Cb, lpeg.Cp

-- A calculator: grammar, folding captures, functions inside patterns.
local space = S(" \n\t") ^ 0
local number = C(P "-" ^ -1 * R "09" ^ 1) / tonumber * space
local function binary(a, op, b)
  if op == "+" then return a + b elseif op == "-" then return a - b
  elseif op == "*" then return a * b else return a // b end
end
local function calculator()
  return P {
    "sum",
    sum = Cf(V "product" * Cg(C(S "+-") * space * V "product") ^ 0, binary),
    product = Cf(V "factor" * Cg(C(S "*/") * space * V "factor") ^ 0, binary),
    factor = number + P "(" * space * V "sum" * P ")" * space,
  } * -1
end
local calc = calculator()
print(calc:match("1 + 2*3 - (4 - 10) / 2"), calc:match("1 +"))

-- JSON, repeatedly, with garbage between: every value passes through captures.
local json
do
  local ws = S " \t\r\n" ^ 0
  local esc = {n = "\n", t = "\t", ['"'] = '"', ["\\"] = "\\"}
  local str = P '"' * Cs((P "\\" * C(1) / esc + (1 - S '"\\')) ^ 0) * P '"' * ws
  local num = C(P "-" ^ -1 * R "09" ^ 1 * (P "." * R "09" ^ 1) ^ -1)
              / tonumber * ws
  local function set(t, k, v) t[k] = v; return t end
  json = P {
    ws * V "value" * -1,
    value = str + num + P "true" * ws * Cc(true) + P "false" * ws * Cc(false)
      + V "array" + V "object",
    array = P "[" * ws * Ct((V "value" * (P "," * ws * V "value") ^ 0) ^ -1)
      * P "]" * ws,
    pair = Cg(str * P ":" * ws * V "value"),
    pairs = V "pair" * (P "," * ws * V "pair") ^ 0,
    object = P "{" * ws * Cf(Ct "" * V "pairs" ^ -1, set) * P "}" * ws,
  }
end
local parts = {}
for i = 1, 200 do
  parts[i] = ('{"id": %d, "name": "n\\t%d", "list": [1, 2.5, %d, true, []]}')
    :format(i, i, i)
end
local text = "[" .. table.concat(parts, ",") .. "]"
local sum = 0
for round = 1, 10 do
  local t = json:match(text)
  for _, v in ipairs(t) do sum = sum + v.id + v.list[3] + #v.name end
end
print("json", sum)

-- Temporary patterns: code and tables inside userdata.
local total = 0
for i = 1, 2000 do
  local word = "w" .. i
  local p = Ct((C(P(word)) + 1) ^ 0)
  total = total + #p:match("x" .. word .. "y" .. word)
end
print("made", total)

-- Captures with state at match time, and errors that leave a match.
local eq = Cmt(Cb "init", function(_, i, s) return s == "[==[" and i end)
local long = Cg(C(P "[" * P "=" ^ 0 * P "["), "init") * eq
             * C((1 - P "]==]") ^ 0)
print(long:match("[==[text]==]"))
local bad = P "a" * (P "b" / function() error({code = 7}) end)
local ok, e = pcall(bad.match, bad, "ab")
print(ok, type(e), e.code)
print(select(2, pcall(lpeg.P, {})))
print(pcall(lpeg.match, P(1) ^ 0 * 1, ("x"):rep(10)))
print(Cs((P "é" / "e" + 1) ^ 0):match("été"))
print(lpeg.type(calc), Cp():match("x"), (C(1) * Cc(nil, 2)):match("q"))

-- re, the Lua module on top of LPeg.
local re = require "re"
print(re.gsub("hello World", "[aeiou]", "."),
      re.find("the number 423", "[0-9]+"))
local names = re.compile [[
  names <- {| name (' ' name)* |}
  name <- {[a-z]+}
]]
print(table.concat(names:match("ab cd ef"), "/"))

-- Userdata keep their patterns alive through user values.
local keep = setmetatable({}, {__mode = "v"})
do
  local f = function(s) return s:upper() end
  keep[1] = f
  parts = (C(R "az" ^ 1) / f) * Cp()
end
collectgarbage() collectgarbage()
print(keep[1] ~= nil, parts:match("abc"))
parts = nil
collectgarbage() collectgarbage()
print(keep[1] == nil)
