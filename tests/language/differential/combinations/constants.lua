-- Lists of local variables, some of them constant, with more or fewer values: a
-- constant whose value is known takes no register, the others around it do.
local values = {"1", "'s'", "two()", "...", "nil", "true", "-2.5", "1 + 2", "{}"}
local shown = "local function show(v) return type(v) == 'table' and 'T' or tostring(v) end "
              .. "local function two() return 'a', 'b' end "

local function run(code)
  local f, message = load(code, "=c")
  if not f then return message end
  local r = table.pack(pcall(f, "d1", "d2"))
  for i = 1, r.n do r[i] = tostring(r[i]) end
  return table.concat(r, " ")
end

local function lists(n)
  if n == 0 then return {{}} end
  local all = {}
  for _, shorter in ipairs(lists(n - 1)) do
    for _, attribute in ipairs {"", " <const>"} do
      local longer = table.move(shorter, 1, #shorter, 1, {})
      longer[n] = attribute
      all[#all + 1] = longer
    end
  end
  return all
end

for count = 1, 3 do
  for _, attributes in ipairs(lists(count)) do
    local names = {}
    for i, a in ipairs(attributes) do names[i] = "v" .. i .. a end
    for given = 0, count + 1 do
      for _, last in ipairs(values) do
        local list = {}
        for i = 1, given do list[i] = i == given and last or "'g" .. i .. "'" end
        local declare = "local " .. table.concat(names, ", ")
                        .. (given > 0 and " = " .. table.concat(list, ", ") or "")
        local uses = {}
        for i = 1, count do uses[i] = "show(v" .. i .. ")" end
        -- Used here, in a closure, and beside other registers.
        print(declare, run(shown .. declare .. " local after = 'after' "
          .. "local function f() return " .. table.concat(uses, ", ") .. " end "
          .. "return after, " .. table.concat(uses, ", ") .. ", f()"))
        if given == 0 then break end
      end
    end
    -- None of them may be assigned to.
    print(run("local " .. table.concat(names, ", ") .. " v1 = 1"))
    print(run("local " .. table.concat(names, ", ") .. " = 5 return function() v"
              .. count .. " = 1 end"))
  end
end
