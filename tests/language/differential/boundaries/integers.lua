-- Operators on integers and floats at their limits, with operands in registers
-- and written in the expression.
local texts = {"0", "1", "-1", "2", "3", "-3", "63", "64", "65", "-63", "-64",
               "-65", "127", "128", "-128", "-129", "255", "256", "65535", "65536",
               "2147483647", "2147483648", "-2147483649",
               "math.maxinteger", "math.mininteger", "math.maxinteger - 1",
               "math.mininteger + 1", "0.0", "-0.0", "0.5", "-0.5", "2^53",
               "2^53 + 1", "2^63", "-2^63", "2^64", "1/0", "-1/0", "0/0", "1e308",
               "5e-324", "9007199254740993", "-9007199254740993"}
local operators = {"+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>",
                   "<", "<=", ">", ">=", "==", "~="}

local function show(ok, v)
  if not ok then return (tostring(v):gsub("^.-:%d+: ", "")) end
  if math.type(v) == "float" then
    if v ~= v then return "nan" end
    return ("%.17g"):format(v)
  end
  return tostring(v)
end

local function plain(s) return (s:gsub(" %(.-%)", "")) end

for _, op in ipairs(operators) do
  for _, a in ipairs(texts) do
    local line = {}
    for _, b in ipairs(texts) do
      local written = show(pcall(assert(load(("return (%s) %s (%s)"):format(a, op, b)))))
      local held = show(pcall(assert(load(
        ("local a, b = %s, %s; return a %s b"):format(a, b, op)))))
      local right = show(pcall(assert(load(
        ("local a = %s; return a %s (%s)"):format(a, op, b)))))
      local branch = show(pcall(assert(load(
        ("local a, b = %s, %s; if a %s b then return true end return false")
        :format(a, b, op)))))
      if plain(written) ~= plain(held) or plain(right) ~= plain(held) then
        print("not the same", a, op, b, written, held, right)
      end
      if held == "true" or held == "false" then assert(branch == held) end
      line[#line + 1] = held
    end
    print(op, a, table.concat(line, " "))
  end
end
for _, a in ipairs(texts) do
  local v = load("return " .. a)()
  print(a, show(pcall(function() return -v end)), show(pcall(function() return ~v end)),
        show(pcall(math.tointeger, v)), show(pcall(math.floor, v)),
        show(pcall(math.ceil, v)), show(pcall(math.abs, v)),
        show(pcall(string.format, "%d", v)), show(pcall(string.format, "%.3f", v)),
        show(pcall(string.rep, "x", v < 100 and v or 1)), show(pcall(select, v, 1, 2)))
  local t = {}
  print(pcall(function() t[v] = 1 end), next(t), t[v])
end
