-- SPDX-License-Identifier: MIT
-- Precedence and associativity of operators (manual 3.4.8).
local log
local mt = {}
local function name(x) return type(x) == "table" and x[1] or tostring(x) end
local function op(symbol)
  return function(a, b)
  return setmetatable({"(" .. name(a) .. symbol .. name(b) .. ")"}, mt) end
end
for event, symbol in pairs {add = "+", sub = "-", mul = "*", div = "/", mod =
  "%",
    pow = "^", idiv = "//", band = "&", bor = "|", bxor = "~", shl = "<<",
    shr = ">>", concat = ".."} do mt["__" .. event] = op(symbol) end
mt.__unm = function(a) return setmetatable({"(-" .. name(a) .. ")"}, mt) end
mt.__bnot = function(a) return setmetatable({"(~" .. name(a) .. ")"}, mt) end
mt.__len = function(a) return setmetatable({"(#" .. name(a) .. ")"}, mt) end
local function v(n) return setmetatable({n}, mt) end
local a, b, c, d, e = v "a", v "b", v "c", v "d", v "e"
for _, text in ipairs {
  "a + b - c", "a - b * c", "a * b / c % d // e", "a ^ b ^ c", "-a ^ b",
    "a ^ -b",
  "a .. b .. c", "a .. b + c", "a << b + c", "a << b >> c", "a & b | c ~ d",
  "a | b & c", "a ~ b & c", "~a & b", "~ -a", "-~a", "#a + b", "-a .. b",
    "a .. -b",
  "a + b << c & d ~ e | a", "a * (b + c)", "(a .. b) .. c", "a ^ b * c",
    "-a * b",
  "- - a", "not a", "not a == b", "not (a == b)", "a // b ^ c", "#a ^ b",
    "2 ^ #a",
  "a .. 1 .. 2", "1 .. 2 .. a", "a + 1 * 2", "1 + 2 + a", "a << 1 << 2",
    "a - b - c - d",
} do
  local f = assert(load("local a, b, c, d, e = ... return " .. text))
  print(text, name(f(a, b, c, d, e)))
end
print(1 < 2 == true, "a" .. "b" == "ab", 1 + 1 == 2 and "yes" or "no", not nil
  == true)
print(nil and 1, false or nil, nil or false, 1 and 2, 1 or error "no", nil and
  error "no")
print(1 and nil or 3, false == nil, not not nil, 1 or 2 and 3, (1 or 2) and 3)
print(2 .. 3, 2 ..3 .. 4, 1 << 2 + 1, 6 & 3 | 8, 5 ~ 3 & 1, 3 - -3, 2^-2, -3^2)
