-- SPDX-License-Identifier: MIT
--
-- large.lua -- functions with large instructions, and more code than there is
-- memory for
--
-- run.lua compares what the interpreter and machine code print.

-- `count` names, from a prefix.
local function names(prefix, count)
  local list = {}
  for i = 1, count do list[i] = prefix .. i end
  return table.concat(list, ", ")
end

-- Each `local` is an instruction that stores into 190 registers. A function
-- that is nested captures them, so their types are never known. The labels
-- keep the compiler from joining these instructions.
local list = names("a", 190)
local text = {"return function(n) local s = 0 for i = 1, n do do local ", list,
              " if n < 0 then return function() return ", list:gsub(", ", " or "),
              " end end end "}
for k = 1, 60 do text[#text + 1] = "do local " .. list .. " end ::l" .. k .. ":: " end
text[#text + 1] = "do local " .. list .. " s = s + i if a1 or a100 or a190 then s = s + 1000 end end end return s end"
text = table.concat(text)
local sum = 0
local functions = {}
for k = 1, 60 do functions[k] = assert(load(text))() end
for k = 1, 60 do sum = sum + functions[k](300) end
for k = 1, 60 do sum = sum + functions[k](300) end
print("many registers", sum)

-- Calls with as many arguments as there can be, and with few for as many
-- parameters.
local f = assert(load("local function f(" .. names("p", 200) .. ") return p1, p100, p200 end return f"))()
local call = assert(load("local f, x = ... return function() local a, b, c = f(x" .. (", x"):rep(199) ..
                         ") return a, b, c end"))(f, 2.5)
local tail = assert(load("local f, x = ... return function(y) return f(y" .. (", x"):rep(199) .. ") end"))(f, 3)
local few = assert(load("local f = ... return function(y) return f(y) end"))(f)
for i = 1, 300 do
  local a, b, c = call()
  local d, e, g = tail(i)
  local h, j, k = few(i)
  sum = sum + a + b + c + d + e + g + h
  assert(j == nil and k == nil)
end
print("many arguments", sum)

-- More functions than there is memory for, which call each other.
local makers = {}
for k = 1, 400 do
  makers[k] = assert(load(([[
    return function(next, n)
      local s = 0
      for i = 1, 40 do
        if i %% 7 == %d then s = s + i * 0.5 elseif i %% 5 == 0 then s = s - i else s = s + (i ~ %d) end
      end
      local t = {s, n, x = s}
      if n == 0 then return t.x end
      local r = next[n](next, n - 1)
      return r + t[1] %% 1000
    end]]):format(k % 7, k)))()
end
for round = 1, 8 do sum = sum + makers[400](makers, 399) end
print("many functions", sum)
