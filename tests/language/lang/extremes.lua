-- SPDX-License-Identifier: MIT
-- Every library function with the smallest and largest numbers, and with values
-- around them, in each argument. Each call may fail; the sanitizers see
-- whether it computes something that C does not define.

local VALUES = {math.mininteger, math.mininteger + 1, math.maxinteger,
  math.maxinteger - 1, -2^63, 2^63, 2^53, 1e308, -1e308, 1/0, -1/0, 0/0, -0.0,
  0, 1, -1, 2, 5e-324, "text", "", "-9223372036854775808", "%d", "i16",
  -0x80000000, 0x7fffffff, 0x80000000, -0x80000001}

-- Functions that end the program, wait, start others, or use up memory.
local LEFT_OUT = {"os.exit", "os.execute", "os.remove", "os.rename", "os.tmpname",
  "io.popen", "io.read", "io.lines", "io.input", "io.output", "io.close",
  "io.open", "io.tmpfile", "debug.debug", "debug.sethook", "debug.setmetatable",
  "debug.setcstacklimit", "_G.print", "_G.dofile", "_G.loadfile", "_G.require",
  "_G.warn", "_G.collectgarbage", "io.write", "package.loadlib",
  "package.searchpath", "coroutine.yield", "string.rep", "table.move",
  "table.concat", "table.unpack", "os.setlocale", "_G.error", "_G.assert"}
local left_out = {}
for _, name in ipairs(LEFT_OUT) do left_out[name] = true end

-- First arguments with which a function gets to its numbers.
local FIRST = {string = {"text", "\u{20ac}uro"}, utf8 = {"\u{20ac}uro"},
  table = {{1, 2, 3}}, math = {3}, os = {"%c", 0}, coroutine = {},
  debug = {1, function(a, ...) local b = a return b, ... end,
           coroutine.create(print)},
  _G = {"10"}}

local calls = 0
local function try(f, ...)
  calls = calls + 1
  return pcall(f, ...)
end

local function extremes(f, firsts)
  for _, a in ipairs(VALUES) do
    try(f, a)
    for _, b in ipairs(VALUES) do try(f, a, b) end
  end
  for _, first in ipairs(firsts) do
    for _, a in ipairs(VALUES) do
      try(f, first, a)
      for _, b in ipairs(VALUES) do
        try(f, first, a, b)
        try(f, first, 1, a, b)
        try(f, first, "t", a, b)
      end
    end
  end
end

for library, firsts in pairs(FIRST) do
  for name, f in pairs(_G[library]) do
    local full = library .. "." .. name
    if type(f) == "function" and not left_out[full] then extremes(f, firsts) end
  end
end

-- Of those left out, what does not use up memory.
for _, a in ipairs(VALUES) do
  for _, b in ipairs(VALUES) do
    try(string.rep, "", a)
    try(string.rep, "x", math.min(tonumber(a) or 0, 3), tostring(b))
    if not (tonumber(a) and tonumber(b) and b - a > 1000) then
      try(table.concat, {1, 2}, ",", a, b)
      try(table.unpack, {1, 2}, a, b)
      try(table.move, {1, 2}, a, b, 1)
    end
    try(table.move, {1, 2}, 1, 2, a)
    try(string.format, "%" .. tostring(a):sub(1, 2) .. "d", b)
    for _, form in ipairs {"%d", "%i", "%u", "%c", "%x", "%o", "%e", "%g", "%a",
        "%q", "%s", "%5.3d", "%-20x", "%099d", "%.99f", "%+.0e"} do
      try(string.format, form, a)
    end
  end
end

-- Operators, loops and indices.
local OPERATORS = {"+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>",
  "..", "==", "<", "<=", ">", ">="}
for _, op in ipairs(OPERATORS) do
  local f = load("local a, b = ... return a " .. op .. " b")
  for _, a in ipairs(VALUES) do
    for _, b in ipairs(VALUES) do
      try(f, a, b)
      local literal = type(b) == "number" and b == b and ("%q"):format(b)
      if literal then try(load("return ... " .. op .. literal), a) end
    end
  end
end
local function loop(from, to, step)
  local n = 0
  for _ = from, to, step do
    n = n + 1
    if n > 3 then break end
  end
  return n
end
for _, a in ipairs(VALUES) do
  for _, b in ipairs(VALUES) do
    for _, c in ipairs(VALUES) do try(loop, a, b, c) end
    try(function() local t = {[a] = b} t[a], t[b] = b, a return t[a], #t, next(t) end)
  end
  try(function() return -a end)
  try(function() return ~a end)
end
print(calls > 100000)                             --> true
