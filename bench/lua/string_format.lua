-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 16000
--
-- Formatting and reading numbers and strings: string.format with many kinds of
-- items, tostring, tonumber, upper and lower case, byte and char.
-- Argument: number of rounds.

local rounds = tonumber(arg and arg[1]) or 160000
local format, tostring, tonumber = string.format, tostring, tonumber

local sum = 0
local function add(text)
  sum = (sum * 31 + #text + text:byte(-1)) % 1000000007
end

for i = 1, rounds do
  local x = math.sqrt(i) * 0.37
  add(format("%d %5d %-8d|%08x", i, i % 1000, i % 77, i * 3))
  add(format("%.3f %10.2e %g", x, x, x * 1000))
  add(format("%s and %q, %5.2s.", "name" .. i % 10, "a \"text\"", "xyz"))
  add(tostring(i) .. tostring(i * 0.5 + 0.25))
  add(tostring(tonumber("0x" .. format("%x", i)) + tonumber(i .. ".125")))
  local small = format("%c%c", 65 + i % 26, 97 + i % 26)
  add(small:upper() .. small:lower() .. string.char(small:byte(1, 2)))
end
print(format("checksum %d", sum))
