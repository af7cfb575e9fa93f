-- Every comparison with every sort of operands, as a jump forward and back, as
-- a value, with constants, and with a hook that is set just before the jump.

local nan = 0 / 0
local meta = {
  __eq = function() return true end,
  __lt = function(a, b) return (a.n or 0) < (b.n or 0) end,
  __le = function(a, b) return (a.n or 0) <= (b.n or 0) end,
}
local one, two = setmetatable({n = 1}, meta), setmetatable({n = 2}, meta)
local long = ("x"):rep(100)
local big = (1 << 53) + 1
local pairs_of = {
  {1, 2}, {2, 1}, {2, 2}, {1.5, 2.5}, {2.5, 1.5}, {2.5, 2.5}, {1, 2.0}, {2.0, 1},
  {1, 1.0}, {1.0, 1}, {nan, 1}, {1, nan}, {nan, nan}, {big, 2.0^53}, {2.0^53, big},
  {math.maxinteger, 2.0^63}, {-2.0^63, math.mininteger}, {"a", "b"}, {"b", "a"},
  {"a", "a"}, {long .. "a", long .. "b"}, {long .. "a", long .. "a"}, {"a", long},
  {one, two}, {two, one}, {one, one}, {one, {}}, {nil, nil}, {nil, false},
  {false, false}, {true, true}, {true, 1}, {"1", 1}, {print, print}, {1, nil},
  {{}, {}}, {one, 1}, {"a", 1}, {1, "a"},
}
local constants = {"0", "7", "-7", "16383", "16384", "-16384", "-16385", "1e300",
                   "0.5", "7.0", "'x'", "'" .. long .. "'", "nil", "true", "false"}
local values = {0, 7, -7, 7.0, 7.5, -7.5, 0.5, nan, 16383, 16384, -16384, -16385,
                1e300, "x", long, "7", true, false, one, {}}

local forms = {
  "if C then return 1 end return 2",
  "if not (C) then return 1 end return 2",
  "return C",
  "local x = not (C) return x",
  "return (C) and 1 or 2",
  "return not (C) and 1 or 2",
  "local x = 5 x = (C) and x return x",
  "local n = 0 repeat n = n + 1 if n > 3 then return n end until C return -n",
  "local n = 0 repeat n = n + 1 if n > 3 then return n end until not (C) return -n",
  "local n = 0 while C do n = n + 1 if n > 3 then break end end return n",
  "local n = 0 while not (C) do n = n + 1 if n > 3 then break end end return n",
  -- A hook from the middle of the loop on; the jump back comes first.
  "local n = 0 repeat n = n + 1 if n > 3 then return n end set(n) until C return -n",
  "local n = 0 repeat n = n + 1 if n > 3 then return n end set(n) until not (C) return -n",
}
local events = 0
local function set(n)
  if n == 2 then debug.sethook(function() events = events + 1 end, "", 1) end
end

local function run(condition, a, b)
  local out = {}
  for i, form in ipairs(forms) do
    local f = assert(load("local a, b, set = ... " .. form:gsub("C", function()
      return condition
    end), "=f"))
    local ok, result = pcall(f, a, b, set)
    debug.sethook()
    out[i] = ok and tostring(result) or result:match("attempt.*")
  end
  return table.concat(out, " ")
end

for _, operator in ipairs {"==", "~=", "<", "<=", ">", ">="} do
  for i, p in ipairs(pairs_of) do
    print(i, operator, run("a " .. operator .. " b", p[1], p[2]))
  end
  for _, constant in ipairs(constants) do
    for i, value in ipairs(values) do
      print(i, operator, constant:sub(1, 9),
            run("a " .. operator .. " " .. constant, value),
            run(constant .. " " .. operator .. " a", value))
    end
    print("nil", operator, constant:sub(1, 9),
          run("a " .. operator .. " " .. constant, nil))
  end
end
print("truth", run("a", true), run("a", nil), run("a", 0), run("a or b", nil, 1))
print(events > 0)
