-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 4
--
-- Building strings: growing one by concatenation, joining pieces collected in
-- a table, repeating, reversing and changing case.  Short and long strings.
-- Argument: number of rounds.

local rounds = tonumber(arg and arg[1]) or 44

-- A page of lines made from pieces, by table.concat.
local function page(lines, tag)
  local pieces = {}
  for i = 1, lines do
    pieces[#pieces + 1] = "line " .. i .. " of " .. tag .. ": " .. i * 7
    pieces[#pieces + 1] = "\n"
  end
  return table.concat(pieces)
end

-- A string that grows at the end, with a copy each time.
local function grow(count)
  local text = ""
  for i = 1, count do text = text .. i .. "," end
  return text
end

-- Many different short strings, some of them kept as keys.
local function keys(count, tag)
  local set = {}
  for i = 1, count do set["k" .. tag .. ":" .. i % 500] = i end
  local seen = 0
  for name in pairs(set) do seen = seen + #name end
  return seen
end

local function hash(text)
  local sum = #text
  for i = 1, #text, 97 do sum = (sum * 31 + text:byte(i)) % 1000000007 end
  return sum
end

local sum = 0
for round = 1, rounds do
  sum = (sum + hash(page(8000, round))) % 1000000007
  sum = (sum + hash(grow(1500))) % 1000000007
  sum = (sum + keys(40000, round)) % 1000000007
  for i = 1, 4000 do
    local text = ("ab"):rep(i % 60) .. i
    sum = (sum + #text:upper() + text:reverse():byte()) % 1000000007
  end
end
print(string.format("checksum %d", sum))
