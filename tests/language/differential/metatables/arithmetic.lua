-- SPDX-License-Identifier: MIT
-- Arithmetic and bitwise metamethods: which operand's is used (manual 2.4).
local events = {add = "+", sub = "-", mul = "*", div = "/", mod = "%", pow =
  "^",
  idiv = "//", band = "&", bor = "|", bxor = "~", shl = "<<", shr = ">>", concat
    = ".."}
local names = {} for e in pairs(events) do names[#names + 1] = e
end table.sort(names)
local function make(tag)
  local mt = {}
  for _, e in ipairs(names) do
    mt["__" .. e] = function(a, b)
      local function n(x) return type(x) == "table" and x.tag or tostring(x) end
      return tag .. ":" .. e .. "(" .. n(a) .. "," .. n(b) .. ")", "dropped"
    end
  end
  mt.__unm = function(a, b) return tag .. ":unm " .. tostring(rawequal(a, b))
  end
  mt.__bnot = function(a, b) return tag .. ":bnot " .. tostring(rawequal(a, b))
  end
  return setmetatable({tag = tag}, mt)
end
local p, q, plain = make "p", make "q", {tag = "plain"}
for _, e in ipairs(names) do
  local f = load("local a, b = ... return a " .. events[e] .. " b")
  for _, pair in ipairs {{p, q}, {q, p}, {p, 1}, {1, p}, {p, 1.5}, {"s", p},
    {p, "10"}, {p, plain},
      {plain, p}, {p, true}, {false, p}, {p, print}} do
    print(e, f(pair[1], pair[2]))
  end
  print(e, pcall(f, p, nil)) print(e, pcall(f, nil, p))
  print(e, select(2, pcall(f, plain, 1)))
  print(e, select(2, pcall(f, 1, plain)))
  print(e, select(2, pcall(f, plain, plain)))
  local k = load("local a = ... return a " .. events[e] .. " 2, 2 " .. events[e]
    .. " a, a " .. events[e] .. " 2.5")
  print(e, k(p))
end
print(-p, ~q) print(pcall(function() return -plain end))
print(pcall(function() return ~plain end))
local bad = setmetatable({}, {__add = 5})
print(pcall(function() return bad + 1 end))
local chain = setmetatable({}, {__add = setmetatable({},
  {__call = function(self, a, b) return "called", b end})})
print(chain + 7) print((setmetatable({}, {__sub = function() end}) - 1))
print(select("#", (function() return setmetatable({},
  {__mul = function() return 1, 2, 3 end}) * 1 end)()))
debug.setmetatable(1, {__index = {double = function(n) return n * 2 end}, __call
  = function(n, m) return n + m end})
print((5):double(), (5)(6)) debug.setmetatable(1, nil)
debug.setmetatable(nil, {__add = function(a, b) return "niladd" end, __index =
  function(_, k) return k end})
print(nil + 1, 1 + nil, (nil).foo) debug.setmetatable(nil, nil)
print(pcall(function() return nil + 1 end))
