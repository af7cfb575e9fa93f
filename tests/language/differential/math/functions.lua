-- SPDX-License-Identifier: MIT
-- The mathematical functions (manual 6.7, and those of 5.3 that Debian keeps).
local values = {0, 1, -1, 2, 0.5, -0.5, 3, 10, 100, 1.5, -2.5, 1e10, 1e-10,
  math.pi, 1/0, -1/0, math.maxinteger, math.mininteger, 2^53, "3", "0x10",
    "1e1"}
local function text(v)
  if v ~= v then return "nan" end
  if math.type(v) == "float" then return ("%.13g"):format(v) .. "f" end
  return tostring(v)
end
local function row(name, ...)
  local f, t = math[name], {}
  for i, v in ipairs(values) do
    local r = table.pack(pcall(f, v, ...))
    for j = 2, r.n do r[j] = text(r[j]) end
    t[i] = table.concat(r, ",", 2, r.n)
  end
  print(name, table.concat(t, " "))
end
for _, name in ipairs {"abs", "ceil", "floor", "sqrt", "sin", "cos", "tan",
  "asin", "acos", "atan", "exp", "log", "deg", "rad", "tointeger", "type",
  "modf", "frexp", "cosh", "sinh", "tanh", "log10"} do row(name) end
row("atan", 2) row("atan", -1) row("atan", 0) row("atan", -0.0) row("log", 2)
  row("log", 10) row("log", 3) row("log", 0.5) row("fmod", 3) row("fmod", -3)
  row("fmod", 2.5) row("max", 5) row("min", 5) row("max", 0.5, -1, 7)
  row("ult", 5) row("pow", 2) row("pow", 0.5) row("pow", -1) row("ldexp", 3)
  row("ldexp", -3)
print(math.max(1, 2.5, -1), math.max(2, 2.0), math.min(2.0, 2), math.max(1),
  math.min(0/0 ~= 0/0 and 1), math.type(math.max(1, 2.0)),
  math.type(math.min(1, 2.0)))
print(math.pi, math.huge, -math.huge, math.maxinteger, math.mininteger)
print(math.floor(-3.5), math.ceil(-3.5), math.floor(2^70), math.ceil(-2^70),
  math.floor(-0.0), math.ceil(-0.5), math.type(math.floor(3.7)),
  math.type(math.floor(1e100))) print(math.modf(3.7)) print(math.modf(-3.7))
print(math.modf(5)) print(math.modf(1/0)) print(math.modf(-1/0))
print(math.modf(2^60))
print(math.tointeger(3.0), math.tointeger(3.5), math.tointeger("8"),
  math.tointeger({}), math.tointeger(2^63))
print(math.ult(1, 2), math.ult(-1, 2), math.ult(2, -1), math.ult(-2, -1))
print(math.abs(math.mininteger), math.abs(-0.0), math.abs(-5), math.abs("-5"))
print(math.log(8, 2), math.log(1024, 2), math.log(1000, 10), math.log(0),
  math.log(2, 0)) print(math.exp(0), math.exp(1) == math.exp(1.0), math.sqrt(2))
print(math.fmod(7, 3), math.fmod(-7, 3), math.fmod(7, -3), math.fmod(7.5, 2),
  pcall(math.fmod, 7, 0))
print(math.type(1), math.type(1.0), math.type("1"), math.type(nil),
  pcall(math.type)) local names = {} for k in pairs(math)
do names[#names + 1] = k end table.sort(names) print(table.concat(names, " "))
for _, n in ipairs {"floor", "abs", "max", "sqrt", "tointeger", "log"} do
print(n, pcall(math[n])) print(n, pcall(math[n], {}))
print(n, pcall(math[n], "x")) end
