-- SPDX-License-Identifier: MIT
--
-- control.lua -- loops at the limits, jumps, to-be-closed variables, and text
-- that may not compile

local Control = {}

local LIMITS = {"0", "1", "-1", "2", "3", "10", "math.maxinteger",
  "math.mininteger", "math.maxinteger - 1", "math.mininteger + 1",
  "math.maxinteger - 2", "math.mininteger + 2", "math.maxinteger // 2",
  "math.mininteger // 2", "1.0", "2.5", "-0.0", "2^53", "2^63", "-2^63",
  "-2^63 - 2^12", "1e308", "math.huge", "-math.huge", "0/0", "'1'", "'x'",
  "nil", "{}", "0.1", "1e-300"}

-- Bounds and steps at the limits of the number types.
function Control.limits(scope)
  local rng, lines = scope.rng, {}
  for i = 1, 6 do
    local step = rng:once_in(3) and "" or ", " .. rng:pick(LIMITS)
    lines[i] = ("T(function() local n, last = 0 for i = %s, %s%s do n = n + 1 "
      .. "last = i %s if n >= 5 then break end end return n, last end)")
      :format(rng:pick(LIMITS), rng:pick(LIMITS), step,
        rng:pick {"", "", "P(i)", "i = i * 2", "local f = function() i = 0 "
          .. "return i end f()"})
  end
  scope:spend(30)
  return lines
end

-- Leaves nested loops in every way, with to-be-closed variables.
local function leave(rng)
  return rng:pick {"break", "goto continue", "goto out", "return i",
    "return P('tail', i)", "error('left')", "error({i})", "do end",
    "coroutine.yield(i)", "return coroutine.yield(i, 'y')",
    "fs[#fs + 1] = function() n = n + i return n end"}
end

function Control.leaving(scope)
  local rng = scope.rng
  local loop = rng:pick {"for i = 1, 4 do", "for i, v in ipairs {7, 8, 9} do",
    "local i = 0 while i < 4 do i = i + 1", "local i = 0 repeat i = i + 1",
    "for i in range(4) do", "for i = 3.0, 1, -1 do"}
  local function close(name)
    return rng:weighted {3, "", 2, ("local %s <close> = closer('%s')"):format(
      name, name),
      1, ("local %s <close> = closer('%s', true)"):format(name, name),
      1, ("local %s <close> = nil"):format(name),
      1, ("local %s <const>, k <close> = 1, closer('%s')"):format(name, name)}
  end
  local until_part = loop:find "repeat" and "until i >= 4" or "end"
  local body = {"local fs, n = {}, 0", close "o",
    {loop, {close "p",
      {"do", {close "q", ("if i == %d then %s end"):format(rng:int(1, 3),
        leave(rng)), ("if i == %d then %s end"):format(rng:int(1, 4),
        leave(rng)), "fs[#fs + 1] = function() n = n + i return n, i end"},
        "end"}, "::continue::"}, until_part},
    "for j = 1, #fs do P(fs[j]()) end",
    "do return #fs, n end", "::out::", "P('out', #fs)"}
  if loop:find "repeat" then
    -- A label at the end of a repeat sees the block's variables.
    body[3][2][#body[3][2]] = "do end ::continue::"
    body[3][2] = {{"do", body[3][2], "end"}}
  end
  scope:spend(40)
  return {{"local co = coroutine.wrap(function(...)", body, "end)"},
    "for _ = 1, 4 do if not T(co) then break end end"}
end

local SNIPPETS = {
  "local x <const>, y <close> = 10, nil; local z = x + 1; return z",
  "for i = 1, 10 do if i % 2 == 0 then goto next end; print(i) ::next:: end",
  "local function f(a, b, ...) return select('#', ...), a .. b end return f",
  "local t = {1, 2; x = 3, ['y'] = 4, f = function(self) return self end,}",
  "while not done do local a = a or 1; repeat a = a << 1 until a > 9 break end",
  "a.b.c[d], e = f{x}, g'str':h(1)(2)[3]; return ...",
  "if a < b and c ~= d or not e then return -x ^ 2 elseif y then else end",
  "function m.n:p(...) local a, b = ... ; return self, a // b, ~a & b | c end",
  "return 0x1p4 + 1e-2 .. 'a\\65\\x41\\u{41}\\z  b' .. [==[ ]] ]==] --[[ c ]]",
  "goto done; do local x end ::done:: return 1, 2, (f())",
  "local s = \"q\\\"uote\"; local n = 3 .. 4; return #s > n, s:len() == 5",
}

local TOKENS = {"end", "do", "then", "=", "(", ")", "{", "}", ",", "local",
  "function", "return", "break", "goto", "::", "..", "...", "'", "\"", "[[",
  "]",
  "<const>", "<close>", "if", "x", "5", "0x", "1e", "\\", "@", "nil", "--", ";",
  "until", "repeat", ":", ".", "~", "==", "not", "and", "-", "#", "\n", "$"}

-- Removes, repeats, swaps and inserts tokens.
local function spoil(rng, text)
  local list, at = {}, 1
  while at <= #text do
    local from, to = text:find("^%s*[%w_]+", at)
    if not from then from, to = text:find("^%s*[^%w_%s]", at) end
    if not from then break end
    list[#list + 1] = text:sub(from, to)
    at = to + 1
  end
  for _ = 1, rng:int(1, 2) do
    local i = rng:int(1, #list)
    local how = rng:int(1, 4)
    if how == 1 then table.remove(list, i)
    elseif how == 2 then table.insert(list, i, " " .. rng:pick(TOKENS) .. " ")
    elseif how == 3 then list[i] = " " .. rng:pick(TOKENS) .. " "
    else
      local j = rng:int(1, #list)
      list[i], list[j] = list[j], list[i]
    end
    if #list == 0 then break end
  end
  return table.concat(list)
end

-- Only compiles: the message of a syntax error gives the line and the token.
function Control.syntax(scope)
  local lines, rng = {}, scope.rng
  for i = 1, 8 do
    lines[i] = ("T(load, %q, '=s')"):format(spoil(rng, rng:pick(SNIPPETS)))
      :gsub("\\\n", "\\n")
  end
  return lines
end

-- Assignments with several targets and calls with many values.
function Control.adjusting(scope)
  local rng = scope.rng
  local function values()
    local list = {}
    for i = 1, rng:int(0, 4) do
      list[i] = rng:pick {"1", "nil", "f()", "f(1)", "f(1, 2, 3)", "(f(4, 5))",
        "...", "(...)", "t.x", "t:m(1)", "'s'", "select(2, ...)", "g(f(7))",
        "t[f(1)]", "table.unpack(t)", "function() return f end"}
    end
    return table.concat(list, ", ")
  end
  local function one() local v = values() return v == "" and "nil" or v end
  return {{"local function adjust(...)", {
    "local function f(...) return ... end",
    "local g = function(a, b, ...) return b, a, ... end",
    "local t = {1, 2, 3, x = 'x', m = function(self, ...) return ..., 'm' end}",
    ("local a, b, c = %s"):format(one()),
    ("local d, e <const> = %s"):format(one()),
    ("a, b = b, a t[1], t.x, c = %s"):format(one()),
    ("P(a, b, c, d, e, t[1], t.x)"),
    ("P(f(%s))"):format(values()), ("P(#{%s} >= 0, (g(%s)))"):format(values(),
      values()),
    ("P(t:m(%s), select('#', %s))"):format(values(), one()),
    ("return %s"):format(values())}, "end"},
    "T(adjust)", "T(adjust, 1)", "T(adjust, 1, nil, 3, nil)"}
end

return Control
