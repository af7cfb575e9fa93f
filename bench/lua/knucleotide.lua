-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 20000
--
-- Counting the k-letter words of a long text over four letters: substrings as
-- keys of a hash that is updated at every position.
-- Argument: length of the text.

local length = tonumber(arg and arg[1]) or 120000

local function make_text()
  local letters = { [0] = "A", "C", "G", "T" }
  local seed, pieces = 42, {}
  for i = 1, length do
    seed = (seed * 3877 + 29573) % 139968
    -- Uneven shares: otherwise all words would be equally frequent.
    local r = seed / 139968
    pieces[i] = letters[r < 0.30 and 0 or r < 0.50 and 1 or r < 0.70 and 2 or 3]
  end
  return table.concat(pieces)
end

local function count_words(text, k)
  local counts = {}
  for i = 1, #text - k + 1 do
    local word = text:sub(i, i + k - 1)
    counts[word] = (counts[word] or 0) + 1
  end
  return counts
end

-- Distinct words, and a sum over them in order of frequency.
local function summarize(counts)
  local words = {}
  for word in pairs(counts) do words[#words + 1] = word end
  table.sort(words, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  local sum = 0
  for i = 1, #words do
    sum = (sum * 31 + counts[words[i]] + words[i]:byte()) % 1000000007
  end
  return #words, sum
end

local text = make_text()
local report = {}
for _, k in ipairs({ 1, 2, 3, 4, 6, 12, 18 }) do
  local distinct, sum = summarize(count_words(text, k))
  report[#report + 1] = distinct .. ":" .. sum
end
print("checksum " .. table.concat(report, " "))
