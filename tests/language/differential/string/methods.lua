-- SPDX-License-Identifier: MIT
-- Strings as objects, and arithmetic on them by their metatable.
local s = "text"
print(s:len(), s:upper():lower():rep(2, "-"), ("%s"):format(s), s.len, s.nope ==
  nil) function string:shout() return self:upper() .. "!" end
print(s:shout(), ("x"):shout(), (5 .. ""):shout()) string.shout = nil
print(pcall(function() return s:shout() end))
print("10" + 1, "10" * "2", "3" - 1.0, "7" / 2, "7" // 2, "7" % 4, "2" ^ 3,
  -"5", "0x10" + 0, "1e1" + 0, " 5 " + 0, "5" + "5")
print(math.type("10" + 1), math.type("10" + 1.0), math.type("1e1" + 0),
  math.type("10" // "3"), math.type(-"3"))
for _, e in ipairs {"'a' + 1", "1 - 'b'", "'x' * 'y'", "-'z'", "'' + 1",
  "'1' + {}", "{} - '1'", "'1' + nil", "'5' & 1", "'a' .. nil", "'1' < 2",
  "'abc' // 2", "'1,0' + 1", "'1' % 0", "'1' // '0'", "'10' % '3.5'"} do
print(e, pcall(load("return " .. e))) end
local mt = getmetatable ""
print(mt.__index == string, type(mt.__add), type(mt.__unm), type(mt.__idiv),
  mt.__concat, mt.__lt, mt.__band) mt.__index = function(str, k)
if type(k) == "number" then return string.sub(str, k, k) end return string[k]
end print(("hello")[1], ("hello")[-1], ("x"):rep(2)) mt.__index = string
mt.__call = function(str, ...) return str:format(...) end
print(("%d-%s")(5, "x")) mt.__call = nil
print("a" + setmetatable({}, {__add = function(a, b) return "second operand's"
  end}))
print(pcall(function() return "a" + setmetatable({}, {__name = "Named"}) end))
  mt.__add, mt.saved = nil, mt.__add
print(pcall(function() return "1" + 1 end)) mt.__add, mt.saved = mt.saved, nil
print("1" + 1) print(#"\u{48}\u{49}", "\x41\65\u{41}", 'a\z   b', "tab\tq")
print(tostring("x") == "x", tostring(""), ("x"):byte(), string.byte "A",
  ("a"):rep(3, "b"):find("ba", 1, true))
