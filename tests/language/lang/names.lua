-- SPDX-License-Identifier: MIT
-- Names that do not fit into an instruction: those with more than 40 bytes, and
-- those of functions with more than 65536 constants. The code for them is
-- longer. At every place where a name can stand it must do the same as for a
-- short one.

local VALUES = {"a and b", "a or b", "a == b", "not a", "a and b or 7",
  "(a or b) and a ~= b", "not (a and b)", "f()", "(f())", "...", "(...)", "nil",
  "true", "5", "2.5", "'text'", "{}", "{a, b}", "#s", "s .. 1", "a == 1 and s",
  "f() and a", "a and f()", "s:len()", "a == 1", "1 < #s", "s < 'b' or a"}

local PLACES = {
  "return {NAME = VALUE}",
  "return {NAME = VALUE, other = 1, 2, ...}",
  "return {1, NAME = VALUE, 3}",
  "return {['NAME'] = VALUE, a}",
  "return {NAME = {NAME = VALUE}}",
  "return {NAME = VALUE, NAME2 = VALUE}",
  "return {['NAME' .. ''] = VALUE, NAME2 = a and b}",
  "local function g(...) return {NAME = VALUE} end return g(...)",
  "local t = {} t.NAME = VALUE return t",
  "local t = {} t.NAME, t.x = VALUE return t",
  "local t = {} t.x, t.NAME = 1, VALUE return t",
  "local t = {NAME = {}} t.NAME.x = VALUE t.NAME.NAME = VALUE return t",
  "local t = {NAME = 3} return {t.NAME, t.NAME == 3 and VALUE}",
  "local t = {NAME = 3} return {[t.NAME] = VALUE}",
  "NAME = VALUE local r = {NAME} NAME = nil return r",
  "local _ENV = {f = f} NAME = VALUE return _ENV",
  "local t = {} function t.NAME(...) return VALUE end return {t.NAME(...)}",
  "local t = {n = a} function t:NAME(...) return self.n, VALUE end "
    .. "return {t:NAME(...)}",
  "local t = {NAME = f} return {t.NAME() and VALUE}",
  "local NAME <const> = 'k' return {[NAME] = VALUE}",
  "local NAME = a return {NAME, NAME and VALUE}",
  "goto NAME ::NAME:: return {VALUE}",
}

-- Code that fails; messages and tracebacks have the name.
local FAILURES = {"local t = {} t:NAME()", "local t = {} t.NAME()", "NAME()",
  "('x'):NAME()", "local t = {} t.NAME.x = 1", "local t = {} t.x.NAME = 1",
  "local t = {} return {} + t.NAME", "return #NAME", "return NAME .. 'x'",
  "local NAME NAME()", "local NAME return NAME.x", "return NAME.NAME",
  "local NAME return (function() return NAME.x end)()", "return math.NAME.x",
  "local t = {NAME = {}} t.NAME:NAME()", "local t = {NAME = 1} t:NAME()",
  "local t = {NAME = {}} return t.NAME.NAME.NAME", "math.NAME(1)",
  "local t = {NAME = string.rep} t:NAME()",
  "local t = {NAME = string.rep} t.NAME()", "('x'):rep('NAME')",
  "local t = {NAME = error} t:NAME()", "local _ENV = {} NAME()",
  "local t = {NAME = function() error('x', 2) end} t:NAME()",
  "local t = {} function t:NAME() local x = self.q.r end t:NAME()",
  "local k, t = 'NAME', {} k = t[k] k()", "local NAME <close> = 5",
  "local t = setmetatable({}, {__index = error}) return t.NAME"}

local function show(v)
  if type(v) ~= "table" then return type(v) == "function" and "f" or v end
  local parts = {}
  for k, e in pairs(v) do
    parts[#parts + 1] = tostring(k) .. "=" .. tostring(show(e))
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

local function failure(code, name, before)
  local text = (before .. code):gsub("NAME", name)
  local _, message = xpcall(load(text, "=code"), function(e)
    return debug.traceback("error: " .. type(e) .. tostring(e):gsub("0x%x+", ""))
  end)
  return (message:gsub("\n%s+%[C%]: in function 'xpcall'.*", "")
    :gsub(name, "name"))
end

-- Constants that come before the name, so that it does not fit.
local constants = {}
for i = 1, 66000 do constants[i] = i .. ".5" end
local MANY = "if FAR then local t = {" .. table.concat(constants, ",") .. "} end "

local function results(place, name, before, value)
  local text = (before .. "local f, s, a, b = ... " .. place)
    :gsub("NAME", name):gsub("VALUE", value)
  local f, message = load(text)
  if not f then return message end
  local list = {}
  for _, a in ipairs {1, false, 3} do
    for _, b in ipairs {1, 2, false} do
      local r = show(f(function() return a, b end, "text", a, b))
      list[#list + 1] = tostring(r)
    end
  end
  return (table.concat(list, "\n"):gsub(name, "name"))
end

local compared, different = 0, 0
local function compare(of, code, value, name, before)
  local short = of(code, "name", "", value)
  local long = of(code, name, before, value)
  compared = compared + 1
  if short == long then return end
  different = different + 1
  print(code, value, #name, short, long)
end

local long = "n" .. ("_"):rep(60)
for i, place in ipairs(PLACES) do
  for _, value in ipairs(VALUES) do compare(results, place, value, long, "") end
  for j = i % 3 + 1, #VALUES, 9 do
    compare(results, place, VALUES[j], "far", MANY)
  end
end
for _, code in ipairs(FAILURES) do
  compare(failure, code, nil, long, "")
  compare(failure, code, nil, "far", MANY)
end
print(compared > 700, different)                  --> true 0
