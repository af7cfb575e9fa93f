-- SPDX-License-Identifier: MIT
-- Every operator with every pair of some numbers and strings: both constant,
-- one of them, none; as a value and as a condition

local values = {
  "0", "1", "-1", "3", "0.0", "-0.0", "1.0", "-0.5", "3.7", "2^53", "2^63",
  "1/0", "-1/0", "0/0", "math.maxinteger", "math.mininteger", "63", "64",
  "-128", "128", "-129", "'10'", "'-0.0'", "'abc'"}
local binary = {"+", "-", "*", "/", "%", "//", "^", "&", "|", "~", "<<", ">>",
                "==", "~=", "<", ">", "<=", ">=", ".."}
local unary = {"-", "~", "not ", "#"}

local function show(v)
  if math.type(v) == "float" then return string.format("%.17g", v) end
  return tostring(v)
end

local function run(form, op, a, b)
  local source = form:gsub("%u", {A = "(" .. a .. ")", B = "(" .. b .. ")",
                                  O = op})
  local f, message = load(source, "=x")
  if not f then return message end
  local ok, result = pcall(f)
  return show(result)
end

local binary_forms = {
  "return A O B", "local x = A return x O B", "local y = B return A O y",
  "local x, y = A, B return x O y", "local x <const>, y <const> = A, B return x O y",
  "local x = A if x O B then return 'T' end", "local y = B return not (A O y)",
  "local x, y = A, B while x O y do return 'T' end"}
local unary_forms = {"return O A", "local x = A return O x", "return O O A",
                     "local x <const> = A return O x", "return O A ^ 2"}

for _, a in ipairs(values) do
  for _, op in ipairs(unary) do
    local line = {}
    for i, form in ipairs(unary_forms) do line[i] = run(form, op, a, "0") end
    print(op, a, table.concat(line, " "))
  end
  for _, b in ipairs(values) do
    for _, op in ipairs(binary) do
      local line = {}
      for i, form in ipairs(binary_forms) do line[i] = run(form, op, a, b) end
      print(a, op, b, table.concat(line, " "))
    end
  end
end
