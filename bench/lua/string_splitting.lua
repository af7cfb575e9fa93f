-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 3
--
-- Splitting text: lines and fields by find and sub, words by gmatch, records as
-- tables of substrings, and a count of the distinct ones.
-- Argument: number of rounds.

local rounds = tonumber(arg and arg[1]) or 30

local seed = 99
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

local words = { "amber", "basalt", "cedar", "delta", "ember", "fjord", "gale",
                "harbor", "islet", "juniper", "kelp", "lagoon", "marsh" }

local function make_text(lines)
  local out = {}
  for i = 1, lines do
    out[i] = table.concat({ i, words[random(#words)],
                            words[random(#words)] .. random(300),
                            random(100000), words[random(#words)] }, ";")
  end
  return table.concat(out, "\n")
end

local function split(text, separator)
  local fields, from = {}, 1
  while true do
    local first, last = text:find(separator, from, true)
    if not first then break end
    fields[#fields + 1] = text:sub(from, first - 1)
    from = last + 1
  end
  fields[#fields + 1] = text:sub(from)
  return fields
end

local text = make_text(6000)
local sum = 0
for _ = 1, rounds do
  local records, counts = {}, {}
  for _, line in ipairs(split(text, "\n")) do
    local fields = split(line, ";")
    records[#records + 1] = fields
    counts[fields[3]] = (counts[fields[3]] or 0) + 1
    sum = (sum + tonumber(fields[4])) % 1000000007
  end
  local distinct = 0
  for _ in pairs(counts) do distinct = distinct + 1 end
  for word in text:gmatch("%a+") do sum = sum + #word end
  for key, value in text:gmatch("(%a+%d+);(%d+)") do
    sum = (sum + #key * #value) % 1000000007
  end
  sum = (sum + #records + distinct) % 1000000007
end
print(string.format("checksum %d", sum))
