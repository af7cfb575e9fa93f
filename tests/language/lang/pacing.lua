-- SPDX-License-Identifier: MIT
--
-- Programs that allocate large pieces, with few objects: the collector has few
-- opportunities to step, but must keep up.

local window, peak = {}, 0

-- Makes something `rounds` times; the last twenty stay alive.
local function churn(rounds, make)
  collectgarbage()
  peak = 0
  for round = 1, rounds do
    window[round % 20 + 1] = make(round)
    peak = math.max(peak, collectgarbage("count"))
  end
  window = {}
end

-- The peak relative to twenty of them, of about `kilobytes` each.
local function within(kilobytes)
  return peak < 20 * kilobytes * 4 or peak
end

churn(400, function()
  local array = {}
  for i = 1, 4096 do array[i] = i + 0.5 end
  return array
end)
print(within(40))                                 --> true

churn(200, function()
  local map = {}
  for i = 1, 4096 do map[i * 3 + 5000] = i end
  return map
end)
print(within(200))                                --> true

-- Not as many as fill a hash to the last node: whether they all find one depends
-- on their addresses.
local names = {}
for i = 1, 3600 do names[i] = "name " .. i end
churn(200, function()
  local map = {}
  for i = 1, 3600 do map[names[i]] = i end
  return map
end)
print(within(200))                                --> true

churn(800, function() return table.pack(table.unpack(names)) end)
print(within(100))                                --> true

names = nil
churn(400, function(round) return ("x"):rep(40000 + round) end)
print(within(40))                                 --> true

-- Without a window: only one of them is alive.
local function peak_of(rounds, make)
  collectgarbage()
  local most = 0
  for round = 1, rounds do
    make(round)
    most = math.max(most, collectgarbage("count"))
  end
  return most
end

-- A string that is a bit longer every time, and strings of all sizes.
local text = ""
local most = peak_of(4000, function()
  text = text .. ("0123456789"):rep(20)
end)
print(most < 8 * 800 or most)                     --> true
text = nil

local seed = 1
most = peak_of(200, function()
  seed = seed * 16807 % 2147483647
  return ("x"):rep(300000 + seed % 3000000)
end)
print(most < 8 * 3300 or most)                    --> true

-- Tables that are filled one entry at a time and dropped.
most = peak_of(40, function()
  local array = {}
  for i = 1, 200000 do array[i] = i end
end)
print(most < 8 * 4700 or most)                    --> true

most = peak_of(20, function()
  local map = {}
  for i = 1, 50000 do map["name " .. i] = i end
end)
print(most < 8 * 4700 or most)                    --> true

most = peak_of(60, function()
  return table.pack(table.unpack({}, 1, 200000))
end)
print(most < 8 * 3600 or most)                    --> true
