-- SPDX-License-Identifier: MIT
-- Concatenation: numbers, order, metamethods, long strings (manual 3.4.6).
print(1 .. 2, 1.5 .. "x", -1 .. "", 2^63 .. "", 1e100 .. "|" .. -0.0)
local t = {}
for i = 1, 60 do t[i] = "a" .. i .. "b" end
print(table.concat(t))
local s = "" for i = 1, 300 do s = s .. i end print(#s, s:sub(-10))
print(("x"):rep(40) .. ("y"):rep(41), #(("x"):rep(1000) .. 1 ..
  ("z"):rep(1000)))
print("" .. "", "" .. 1, "a" .. "" .. "b", #("\0" .. "\0\0"))
local mt = {__concat = function(a, b)
  return (type(a) == "table" and a.n or a) .. "~" ..
    (type(b) == "table" and b.n or b) end}
local function v(n) return setmetatable({n = n}, mt) end
print(v "a" .. "b", "a" .. v "b", v "a" .. v "b", 1 .. v "x", v "x" .. 1 .. 2)
print("1" .. "2" .. v "3" .. "4" .. "5", v "a" .. v "b" .. v "c", ("q" .. v "r")
  .. "s")
for _, f in ipairs {
  function() return "a" .. nil end, function() return nil .. "a" end,
  function() return "a" .. {} end, function() return {} .. "a" end,
  function() return 1 .. true end, function() local x; return "a" .. x end,
  function() local x = {} return "a" .. x.y end, function()
  return "a" .. "b" .. {} .. "c" end,
  function() return undefinedname .. "x" end, function() return ("x") .. print
  end,
  function() return 1 .. 2 .. nil end, function() return nil .. 1 .. 2 end,
} do print(pcall(f)) end
local a, b, c, d = "a", "b", "c", "d"
print(a .. b .. c .. d, a .. (b .. c) .. d, (a .. b) .. (c .. d), a .. b .. a ..
  b)
