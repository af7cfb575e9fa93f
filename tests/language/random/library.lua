-- SPDX-License-Identifier: MIT
--
-- library.lua -- calls of library functions with arguments of all types
--
-- Most arguments have the type that the function requires.  The others are
-- random values, and the error message is compared.  Counts and positions stay
-- small where a large one would only cost time or memory.

local Library = {}

local WILD = {"nil", "true", "false", "0", "1", "-1", "2", "3.0", "0.5", "-0.0",
  "1e308", "math.huge", "-math.huge", "0/0", "math.maxinteger",
  "math.mininteger", "2^53", "2^63", "-2^63", "''", "'a'", "'abc'", "'10'",
  "'0x10'", "'1e1'", "' 5 '", "'5x'", "'%d'", "'%'", "'[a'", "'(a'", "{}",
  "{1, 2, 3}", "{a = 1}", "V(3)", "V(-1)", "P", "function(...) return ... "
  .. "end", "coroutine.create(P)", "io.stdout", "setmetatable({}, {__name = "
  .. "'My.Type'})", "setmetatable({}, {__tostring = function() return 1 end})"}

local SMALL = {"0", "1", "2", "3", "4", "5", "-1", "-2", "-3", "1.0", "2.0",
  "'2'", "nil"}
local BORDER = {"0", "1", "-1", "2", "7", "math.maxinteger", "math.mininteger",
  "math.maxinteger - 1", "math.mininteger + 1", "2^53", "2^53 + 1", "1 << 53",
  "(1 << 53) + 1", "2^63", "-2^63", "2^62", "1e15", "0.5", "-0.5", "-0.0",
  "1e308", "5e-324", "math.huge", "-math.huge", "3.0", "-7", "-7.5", "'10'",
  "'0x7fffffffffffffff'", "'9223372036854775808'", "' -3 '", "'1e2'", "255",
  "256", "0x10FFFF", "0xD800", "127", "128"}
local TEXT = {"''", "'a'", "'abc'", "'hello world'", "'a,b,,c'", "'x=1, y=2'",
  "'\\0\\1\\xff'", "'\\u{48}\\u{7FF}\\u{FFFF}\\u{10FFFF}'", "'  trim  '",
  "'aaa'", "'[[x]]'", "'f(a(b)c)d'", "'THE (quick) fox'", "'%d %s'",
  "('ab'):rep(30)", "'1234567890'", "12", "1.5", "'\\xe4\\xb8'", "'\\n\\t'"}
local PATTERN = {"''", "'a'", "'.'", "'%w+'", "'%a*'", "'(%w)(%w)'", "'()'",
  "'^a'", "'c$'", "'.-'", "'(.-),'", "'[^,]*'", "'%b()'", "'%f[%w]%w+'",
  "'[%a-z]'", "'[]]'", "'[^]]'", "'[a-]'", "'%1'", "'(.)%1'", "'%'", "'['",
  "'[%'", "'('", "')'", "'%b'", "'%f'", "'(()'", "'a-b'", "'x*'", "'a?b?'",
  "'[%s%p]+'", "'(((a)))'", "'\\0'", "'%z'", "'%.'", "'$'", "'^'", "'^^'",
  "'(%a+)=(%w+)'", "'[\\x80-\\xff]+'", "'%g+'", "'%2'", "'(a)%2'"}
local REPLACEMENT = {"''", "'%0'", "'<%1>'", "'%2'", "'%%'", "'%'", "'%a'",
  "{a = 1, b = true, c = false}", "{}", "string.upper", "function() end",
  "function(a, b) return b end", "function() return {} end", "V(1)", "7",
  "function(x) return x .. x end", "{hello = {}}", "'%9'"}
local LIST = {"{}", "{1, 2, 3}", "{3, 1, 2, 5, 4}", "{'a', 'b', 'c'}",
  "{1.5, 2, '3'}", "{true, {}, 'x'}", "setmetatable({}, {__index = function(_, "
  .. "k) return k * 2 end, __len = function() return 4 end})",
  "setmetatable({1, 2}, {__newindex = function(_, k, v) P('set', k, v) end})",
  "setmetatable({}, {__len = function() return 'x' end})",
  "setmetatable({}, {__len = function() return 2.5 end})", "{{}, {}}",
  "{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}"}
local PACKED = {"'i4'", "'<i2>i2=i8'", "'!4 i1 i4'", "'s1'", "'z'", "'d'",
  "'f'",
  "'n'", "'j'", "'i16'", "'I3'", "'c5'", "'bBhH'", "'lLjJT'", "'!8 b Xi8'",
  "'x'", "'i17'", "'c'", "'Xz'", "'!3'", "'s'", "' < i1 > '", "'i0'", "'q'",
  "'!16 i16'", "'X'", "'<!4 Xi4 i4'"}
local CHUNK = {"'return 1'", "'return ...'", "'x ='", "'return return'",
  "'local x <const> = 1; x = 2'", "'goto a'", "'break'", "'::a:: ::a::'",
  "'return 1e'", "'return 0x'", "'return \"a'", "'return [[a'", "'--[[a'",
  "'return \"\\\\x1\"'", "'return \"\\\\400\"'",
  "'return \"\\\\u{110000000}\"'",
  "'for i = 1 do end'", "'local x <bad> = 1'", "'f() = 1'", "'a.b:c = 1'",
  "'return 3 .. 4, 2 ^ -3'", "'return ...; return'", "'if x then else elseif'",
  "'local function f(a, ..., b) end'", "'return function() return ... end'",
  "'local a <close>, b <close> = 1'", "'\\27Lua'", "'# x'", "'return 08, 1.e1'",
  "function() return nil end", "'x = }'", "'~'",
  "'return 1 // 0'", "'return \"\\\\z   a\"'", "'return @'", "'local t = {1,2'"}
local FLAGS = {"", "", "", "-", "+", " ", "#", "0", "-+", "0-"}
local WIDTHS = {"", "", "", "5", "12", "1", "99", "100", "03"}
local PRECISIONS = {"", "", "", ".", ".0", ".3", ".20", ".99", ".100"}

local function format_text(rng)
  local parts = {}
  for i = 1, rng:int(1, 3) do
    parts[i] = rng:pick {"", "", "x", "%%", " "} .. "%" .. rng:pick(FLAGS)
      .. rng:pick(WIDTHS) .. rng:pick(PRECISIONS)
      .. rng:pick {"d", "i", "u", "o", "x", "X", "e", "E", "f", "g", "G", "a",
        "A", "c", "s", "q", "d", "s", "x", "y", ""}
  end
  return "'" .. table.concat(parts, "|") .. "'"
end

-- One argument of a kind; the letters are those of FUNCTIONS.
local KINDS = {
  n = function(rng) return rng:pick(SMALL) end,
  i = function(rng) return rng:pick(BORDER) end,
  s = function(rng) return rng:pick(TEXT) end,
  p = function(rng) return rng:pick(PATTERN) end,
  r = function(rng) return rng:pick(REPLACEMENT) end,
  t = function(rng) return rng:pick(LIST) end,
  k = function(rng) return rng:pick(PACKED) end,
  c = function(rng) return rng:pick(CHUNK) end,
  f = format_text,
  w = function(rng) return rng:pick(WILD) end,
  b = function(rng) return rng:pick {"true", "false", "nil"} end,
  o = function(rng) return rng:pick {"function(a, b) return a < b end",
    "function(a, b) return a > b end", "nil", "function() return false end",
    "function() error('in order') end", "math.ult"} end,
  d = function(rng) return rng:pick {"2", "10", "16", "36", "8", "1", "37",
    "3.0", "nil"} end,
  m = function(rng) return rng:pick {"'n'", "'S'", "'l'", "'u'", "'t'", "'>S'",
    "'x'", "'r'", "'nSltu'"} end,
  y = function(rng) return rng:pick {"'!%Y-%m-%d'", "'!%H:%M:%S'", "'!*t'",
    "'!%c'", "'!%x %X %p'", "'!%E'", "'!%Ey'", "'!%5'", "'!%'", "'!%j %U'"} end,
  z = function(rng) return rng:pick {"{year = 2020, month = 1, day = 1}",
    "{year = 2001, month = 14, day = -3, hour = 30}", "{}", "{year = 'x'}",
    "{year = 2020, month = 1.5, day = 1}",
    "{year = 1 << 40, month = 1, day = 1}",
    "{year = 2020, month = '2', day = 1, min = -1, sec = 70, isdst = false}"}
  end,
}

-- Random values only where they cannot cost much time or memory.
-- Omitted: functions that affect later calls, or have undefined results.
local FUNCTIONS = {
  "string.byte snn", "string.char nni", "string.find spnb", "string.find spi",
  "string.format fww", "string.format fii", "string.format fs",
  "string.format '%s%s'ww", "string.gsub sprn", "string.gsub sprn",
  "string.len w", "string.lower s", "string.upper w", "string.reverse s",
  "string.sub snn", "string.sub sii", "string.match spn", "string.match spi",
  "string.pack kiii", "string.pack ksi", "string.pack kwww",
  "string.packsize k", "string.unpack ksn", "string.unpack ksi",
  "table.insert tw", "table.insert tnw", "table.insert tnww",
  "table.remove tn", "table.unpack tnn", "table.pack www",
  "math.abs i", "math.ceil i", "math.floor w", "math.fmod ii", "math.max iii",
  "math.min iww", "math.modf i", "math.sqrt i", "math.tointeger w",
  "math.tointeger i", "math.type w", "math.ult ii", "math.exp n",
  "math.log ii", "math.deg n", "math.cos n", "utf8.char iii",
  "utf8.codepoint snn", "utf8.codepoint snnb", "utf8.len snn", "utf8.len siib",
  "utf8.offset snn", "utf8.offset sii", "tostring w", "tostring i",
  "tonumber w", "tonumber sd", "tonumber id", "tonumber i", "rawequal ww",
  "rawlen w", "rawget tw", "rawset tww", "select nwww", "select iww", "type w",
  "type ", "ipairs w", "getmetatable w", "setmetatable ww",
  "setmetatable tw", "assert ww", "assert b", "error ww", "pcall ww",
  "xpcall www", "load c", "load cs", "load cws", "load w",
  "coroutine.create w", "coroutine.status w",
  "coroutine.resume ww", "coroutine.wrap w", "coroutine.close w",
  "coroutine.isyieldable w", "os.getenv w",
  "os.difftime ii", "debug.getinfo wm", "debug.getinfo nm",
  "debug.getmetatable w", "debug.traceback wn", "debug.getupvalue wn",
  "debug.getuservalue wn", "io.type w",
}

-- A call as text: the function, a comma, the arguments.
function Library.call(rng)
  local name, rest = rng:pick(FUNCTIONS):match "^(%S+) (.*)$"
  local literal, kinds = rest:match "^('.-')(.*)$"
  local list = {literal}
  for kind in (kinds or rest):gmatch "%a" do
    if rng:once_in(12) then kind = "w" end
    list[#list + 1] = KINDS[kind](rng)
  end
  if rng:once_in(8) and #list > 0 then list[#list] = nil end
  return name, table.concat(list, ", ")
end

local function statement(rng)
  local name, list = Library.call(rng)
  if name == "string.gsub" and rng:once_in(3) then
    return ("T(function() local n = 0 for a, b in string.gmatch(%s) do P(a, b) "
      .. "n = n + 1 if n > 5 then break end end end)"):format(
      KINDS.s(rng) .. ", " .. KINDS.p(rng))
  end
  if rng:once_in(3) then
    return ("T(function() return %s(%s) end)"):format(name, list)
  end
  return ("T(%s%s)"):format(name, list == "" and "" or ", " .. list)
end

-- A scenario (scenario.lua).
function Library.calls(scope)
  local lines = {}
  for i = 1, scope.rng:int(5, 15) do lines[i] = statement(scope.rng) end
  scope:spend(15)
  return lines
end

-- Functions that must not get a random number, or no argument.
function Library.ranges(scope)
  local rng, lines = scope.rng, {}
  for i = 1, 4 do
    local t = KINDS.t(rng)
    local a, b, c = rng:int(-2, 5), rng:int(-2, 6), rng:int(-2, 6)
    lines[i] = rng:pick {("T(table.concat, %s, %s, %d, %d)"):format(t,
        rng:pick {"''", "','", "1", "nil", "{}"}, a, b),
      ("T(table.move, %s, %d, %d, %d)"):format(t, a, b, c),
      ("T(table.move, %s, %d, %d, %d, %s)"):format(t, a, b, c, KINDS.t(rng)),
      ("T(string.rep, %s, %d, %s)"):format(KINDS.s(rng), b, KINDS.s(rng)),
      ("T(table.unpack, %s, %d, %d)"):format(t, a, b),
      ("T(os.date, %s, %d)"):format(KINDS.y(rng), a * 123456789 + c),
      ("T(table.sort, %s, %s)"):format(t, KINDS.o(rng)),
      ("T(os.time, %s)"):format(KINDS.z(rng))}
  end
  return lines
end

return Library
