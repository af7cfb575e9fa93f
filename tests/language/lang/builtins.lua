-- SPDX-License-Identifier: MIT
-- Library functions give the same results in every kind of call: by an
-- instruction of a Lua function, with hooks or without, or from C

local functions = {
  "assert", "getmetatable", "rawequal", "rawget", "rawlen", "rawset",
  "select", "setmetatable", "tonumber", "tostring", "type", "math.abs",
  "math.ceil", "math.floor", "math.max", "math.min", "math.sqrt",
  "string.byte", "string.char", "string.find", "string.len", "string.lower",
  "string.rep", "string.reverse", "string.sub", "string.upper",
  "table.concat", "table.insert", "table.remove",
  "next", "table.move", "table.unpack", "math.atan", "math.fmod", "math.log",
  "math.modf", "math.tointeger", "math.type", "math.ult", "math.ldexp",
  "coroutine.status", "coroutine.isyieldable",
}

-- New values for each call, because some functions change them.
local function values()
  return {
    false, 0, 1, 2, 3, -1, -2, 65, 255, 256, 1.5, -1.5, 2.0, 1e300, -0.0,
    math.huge, 0/0, math.mininteger, math.maxinteger, "", "a", "#", "10",
    "0x10", " 1.5 ", "abc", ("long"):rep(20), true, {}, {1, 2, 3},
    setmetatable({}, {}), setmetatable({}, {__metatable = "kept"}),
    setmetatable({1}, {__index = {2, 3}, __len = function() return 2 end}),
    print, coroutine.create(print), io.stdout,
    n = 36,
  }
end

local function function_of(name)
  local library, field = name:match("(%w+)%.(%w+)")
  if not library then return _G[name] end
  return _G[library][field]
end

-- Results as text; arguments are named by their positions.
local function describe(given, ok, ...)
  local out = { tostring(ok) }
  for i = 1, select("#", ...) do
    local v = (select(i, ...))
    local text = math.type(v) or type(v)
    if type(v) == "number" or type(v) == "string" then
      text = text .. " " .. tostring(v):gsub("^%S.-:%d+: ", "")
      text = text:gsub(": 0x%x+$", "")
    end
    for place = 1, given.n do
      if ok and rawequal(given[place], v) then text = "value " .. place end
    end
    if type(v) == "table" then
      local items = {}
      for j = 1, 4 do items[j] = type(rawget(v, j)) end
      text = text .. " " .. table.concat(items, ",")
    end
    out[#out + 1] = text
  end
  return table.concat(out, "; ")
end

-- Each form of a call has its own instruction.
local forms = {}
for count, list in pairs { [0] = "", "a", "a, b", "a, b, c" } do
  forms[count] = {
    one = load("local f, a, b, c = ... return (f(" .. list .. "))"),
    three = load("local f, a, b, c = ... local x, y, z = f(" .. list ..
                 ") return x, y, z"),
    open = load("local function all(...) return ... end " ..
                "local f, a, b, c = ... return all(f(" .. list .. "))"),
    tail = load("local f, a, b, c = ... return f(" .. list .. ")"),
    vararg = load("local f, a, b, c = ... local function g(...) " ..
                  "local x = f(...) return x end return (g(" .. list .. "))"),
  }
end

-- The same from C; `one` and the others request fewer or more results.
local function from_c(f, count, ...)
  if count == 0 then return pcall(f) end
  return pcall(f, ...)
end
local function fit(form, ok, ...)
  if not ok or form == "open" or form == "tail" then return ok, ... end
  if form == "three" then
    local x, y, z = ...
    return ok, x, y, z
  end
  return ok, (...)
end

-- Messages name the function as the call does.
local function plain(text)
  return (text:gsub("to '[%w.?]+'", "to it"))
end

local checked, wrong = 0, 0
local function check(name, f, count, picks)
  for form, call in pairs(forms[count]) do
    local given = values()
    local a, b, c = given[picks[1]], given[picks[2]], given[picks[3]]
    local direct = plain(describe(given, pcall(call, f, a, b, c)))
    given = values()
    a, b, c = given[picks[1]], given[picks[2]], given[picks[3]]
    local args = table.pack(a, b, c)
    local through = plain(describe(given, fit(form,
      from_c(f, count, table.unpack(args, 1, count)))))
    checked = checked + 1
    if direct ~= through then
      wrong = wrong + 1
      if wrong < 10 then
        print(name, form, table.concat(picks, " ", 1, count))
        print("  " .. direct)
        print("  " .. through)
      end
    end
  end
end

local seed = 7
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

local function check_all(rounds)
  local n = values().n
  for _, name in ipairs(functions) do
    local f = function_of(name)
    check(name, f, 0, { 1, 1, 1 })
    for i = 1, n do check(name, f, 1, { i, 1, 1 }) end
    for _ = 1, rounds do
      check(name, f, 2, { random(n), random(n), 1 })
      check(name, f, 3, { random(n), random(n), random(n) })
    end
  end
end

check_all(40)
print(wrong, checked > 5000)                      --> 0 true

-- Arguments that a random choice seldom finds.
local deep = setmetatable({ "x" }, { __index = function(_, i) return i end })
local chosen = {
  find = {
    { "abcabc", "c" }, { "abcabc", "c", 4 }, { "abcabc", "ca", -3 },
    { "abcabc", "c", -99 }, { "abc", "c", 4 }, { "abc", "c", 5 },
    { "abc", "", 4 }, { "abc", "", 5 }, { "", "" }, { "", "a" },
    { "abc", "abcd" }, { "aaab", "aab" }, { "a.c", ".", 2 },
    { "a.c", ".", 1, true }, { "a.c", "%.", 1, true }, { "a.c", "%.", 1, false },
    { "a\0b\0c", "\0", 3 }, { "a\0bc", "\0b" }, { "a)b", ")" },
    { "abc", "b", math.mininteger }, { "abc", "b", math.maxinteger },
    { 12321, "3" }, { "12321", 3 }, { "abc", "b", "2" }, { "abc", "b", 2.0 },
    { ("x"):rep(100) .. "yz" .. ("x"):rep(99), "yzx", 50 },
  },
  concat = {
    { { "a", "b", "c" } }, { { "a", 1, 2.5, -3, 1e100 }, ", " },
    { { "a", "b", "c" }, "-", 2 }, { { "a", "b", "c" }, "-", 2, 2 },
    { { "a", "b", "c" }, "-", 3, 2 }, { { "a", "b", "c" }, "-", 1, 4 },
    { { "a", "b", "c" }, "-", 0, 2 }, { { "a", {}, "c" } }, { {} }, { {}, "x" },
    { { "", "", "" } }, { { "", "", "" }, ("sep"):rep(20) }, { { true } },
    { { ("long"):rep(30), 1, ("longer"):rep(50) }, "," }, { { "a", nil, "c" } },
    { { [1] = "a", [2] = "b", [3] = "c" }, "," }, { { "a", "b" }, 7 },
    { { "a", "b" }, nil, 1, 2 }, { { "a", "b" }, "", 1.0, 2 }, { deep },
    { deep, ",", 1, 3 }, { { "a" }, ",", math.maxinteger, math.maxinteger },
    { { "a" }, ",", math.maxinteger - 1, math.maxinteger }, { { "a" }, "", 1, 0 },
  },
  rep = {
    { "ab", 0 }, { "ab", -1 }, { "ab", 1 }, { "ab", 20 }, { "ab", 21 },
    { "x", 40 }, { "x", 41 }, { "abc", 1000 }, { "", 10 }, { "ab", 3, "," },
    { "ab", 1 << 40 }, { ("x"):rep(1 << 20), 1 << 12 }, { 12, 3 }, { "a", "3" },
  },
  lower = { { "" }, { "A" }, { ("AbC1"):rep(10) }, { ("AbC1"):rep(11) }, { 1e5 } },
  upper = { { "" }, { "a" }, { ("aBc1"):rep(10) }, { ("aBc1"):rep(11) } },
  reverse = { { "" }, { "a" }, { "a\0b" }, { ("abc"):rep(13) .. "x" },
              { ("abc"):rep(14) } },
}
local apply = {
  function(f, a) return f(a) end,
  function(f, a, b) return f(a, b) end,
  function(f, a, b, c) return f(a, b, c) end,
  function(f, a, b, c, d) return f(a, b, c, d) end,
}
local differing = 0
for name, list in pairs(chosen) do
  local f = string[name] or table[name]
  for _, args in ipairs(list) do
    local n = #args
    if args[4] then n = 4 end
    local none = { n = 0 }
    local direct = plain(describe(none, pcall(apply[n], f,
                                              table.unpack(args, 1, 4))))
    local through = plain(describe(none, pcall(f, table.unpack(args, 1, n))))
    if direct ~= through then
      differing = differing + 1
      print(name, direct, through)
    end
  end
end
print(differing)                                  --> 0

-- A hook sees every call.
local seen = {}
debug.sethook(function()
  local info = debug.getinfo(2, "nS")
  if info.what == "C" then seen[#seen + 1] = tostring(info.name) end
end, "c")
local s = ("abc"):sub(2, 2)
local m = math.floor(2.5)
local k = type(s)
debug.sethook()
print(table.concat(seen, " "))                    --> sub floor type sethook

-- A replaced function is called instead of the built-in one.
local old = string.byte
string.byte = function() return "mine" end
print(("x"):byte(), old("x"))                     --> mine 120
string.byte = old
print(("x"):byte())                               --> 120

-- Errors in a direct call name the function.
print(pcall(function() return ("x"):sub({}) end))
-->~ builtins.lua:%d+: bad argument #1 to 'sub' %(number expected, got table%)$

-- Arguments beyond the last parameter change nothing.  Each row is a function,
-- the number of its parameters, and arguments.
do
  local list = {3, 1, 2}
  local date = {year = 2024, month = 2, day = 29, hour = 12}
  local rows = {
    {assert, 0, true}, {getmetatable, 1, "x"}, {ipairs, 1, list}, {next, 2, list},
    {pairs, 1, list}, {rawequal, 2, list, list}, {rawget, 2, list, 1},
    {rawlen, 1, list}, {tonumber, 2, "10", 16}, {tonumber, 2, "0x1p4"},
    {tostring, 1, 2.5}, {type, 1, 5}, {load, 4, "return 1", "c", "t"},
    {math.abs, 1, -3}, {math.ceil, 1, 2.5}, {math.floor, 1, 2.5},
    {math.fmod, 2, 7, -3}, {math.log, 2, 8, 2}, {math.modf, 1, 2.5},
    {math.tointeger, 1, "8"}, {math.type, 1, 1}, {math.ult, 2, 1, -1},
    {os.date, 2, "!%F %T", 0}, {os.difftime, 2, 5, 3}, {os.getenv, 1, "no such"},
    {os.time, 1, date}, {string.byte, 3, "abc", 2}, {string.find, 4, "abc", "b"},
    {string.format, 0, "%d"}, {string.gsub, 4, "abc", "b", "x"},
    {string.len, 1, "abc"}, {string.lower, 1, "ABC"}, {string.match, 3, "abc", "b(.)"},
    {string.packsize, 1, "i4"}, {string.rep, 3, "ab", 2}, {string.reverse, 1, "abc"},
    {string.sub, 3, "abc", 2}, {string.unpack, 3, "b", "\5"}, {string.upper, 1, "abc"},
    {table.concat, 4, list, ","}, {table.move, 5, list, 1, 2, 1},
    {table.remove, 2, {}}, {table.unpack, 3, list, 1, 2}, {utf8.codepoint, 4, "abc", 2},
    {utf8.len, 4, "abc"}, {utf8.offset, 3, "abc", 2}, {select, 0, "#"},
    {coroutine.status, 1, coroutine.create(print)},
    {debug.getinfo, 3, print, "S"}, {debug.getmetatable, 1, ""},
  }
  local function text(ok, ...)
    local parts = {tostring(ok)}
    for i = 1, select("#", ...) do
      local v = select(i, ...)
      local kind = type(v)
      local plain = kind ~= "table" and kind ~= "function" and kind ~= "thread"
      parts[#parts + 1] = plain and tostring(v) or kind
    end
    return table.concat(parts, " ")
  end
  local same, different = 0, {}
  for i, row in ipairs(rows) do
    local f, parameters = row[1], row[2]
    local all = table.pack(table.unpack(row, 3, 2 + math.max(parameters, #row - 2)))
    local expected = text(pcall(f, table.unpack(all, 1, #row - 2)))
    if parameters > 0 then
      for _, extra in ipairs {1, "x", {}, print, false} do
        all[parameters + 1], all[parameters + 2] = extra, extra
        if text(pcall(f, table.unpack(all, 1, parameters + 2))) == expected then
          same = same + 1
        else
          different[#different + 1] = i
        end
      end
    end
  end
  print(same, #different, table.concat(different, " "))         --> 235 0
end
