-- SPDX-License-Identifier: MIT
-- The length operator (manual 3.4.7).
print(#"", #"abc", #"\0\0", #"\u{20AC}", #[[
x]])
print(#{}, #{1}, #{1, 2, 3}, #{n = 3}, #{[1] = 1, [2] = 2}, #{nil})
local t = {}
for i = 1, 20 do t[i] = i io.write(#t, " ") end
for i = 20, 1, -1 do t[i] = nil io.write(#t, " ") end print()
for i = 1, 10 do t[#t + 1] = i end print(#t, t[10])
while #t > 0 do t[#t] = nil end print(#t, next(t))
print(#setmetatable({}, {__len = function() return 42 end}))
print(#setmetatable({}, {__len = function() return "x" end}))
print(pcall(function() return #nil end)) print(pcall(function() return #5 end))
print(pcall(function() return #print end))
print(pcall(function() local a = {} return #a.b end))
print(pcall(function() return #true end)) print(rawlen({1, 2}), rawlen("abc"))
print(pcall(rawlen, 5)) print(pcall(rawlen)) print(#setmetatable({1}, {}))
local u = {} for i = 1, 100 do u[i] = true end for i = 51, 100 do u[i] = nil end
print(#u)
local h = {} for i = 10, 1, -1 do h[i] = i end print(#h)
print(#table.pack(), #table.pack(1, 2), table.pack(nil, nil).n)
