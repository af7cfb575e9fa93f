-- Numeric loops: all starts, limits and steps that are special in some way, in
-- both directions, with operands in registers and written in the loop.
local values = {"1", "3", "-2", "0", "1.0", "2.5", "-0.5", "0/0", "1/0", "-1/0",
                "math.maxinteger", "math.maxinteger - 1", "math.mininteger",
                "math.mininteger + 1", "2^53", "2^63", "-2^63", "0.3"}
local steps = {"1", "-1", "2", "-2", "0.1", "-0.1", "0.25", "-0.25", "1.0",
               "-1.0", "0/0", "1/0", "-1/0", "math.maxinteger",
               "math.mininteger", "0", "0.0"}

local body = "local out = {} for i = %s do out[#out + 1] = %s "
             .. "if #out > 5 then break end end return table.concat(out, ' ')"
local shown = "string.format(math.type(i) == 'float' and '%%.17g' or '%%d', i)"
body = body:format("%s", shown:gsub("%%%%", "%%%%"))

local function run(code)
  local f = assert(load(code, "=n"))
  return select(2, pcall(f))
end

for _, first in ipairs(values) do
  for _, limit in ipairs(values) do
    local line = {}
    for _, step in ipairs(steps) do
      local written = run(body:format(("%s, %s, %s"):format(first, limit, step)))
      local held = run(("local a, b, c = %s, %s, %s "):format(first, limit, step)
                       .. body:format("a, b, c"))
      local one = run(("local b = %s "):format(limit)
                      .. body:format(("%s, b, %s"):format(first, step)))
      written, held, one = tostring(written), tostring(held), tostring(one)
      -- Messages name no operand, so all three agree.
      line[#line + 1] = written:gsub("^.-:%d+: ", "")
      if written ~= held or one ~= held then
        print("not the same", first, limit, step, written, held, one)
      end
    end
    print(first, limit, table.concat(line, " | "))
  end
end

-- Loops that end exactly on the limit, and one step before or after it.
for _, step in ipairs {0.5, -0.5, 0.25, -0.25, 3, -3, 1.5, -1.5} do
  for k = 0, 4 do
    for _, more in ipairs {-1, -0.25, 0, 0.25, 1} do
      local n, last = 0, nil
      for i = 10, 10 + k * step + more do n = n + 1 last = i end
      local m = 0
      for i = 10, 10 + k * step + more, step do m = m + 1 last = i end
      print(step, k, more, n, m, last)
    end
  end
end
