-- SPDX-License-Identifier: MIT
--
-- Tables larger than any step is allowed units of work for, filled in one go.
-- The collector keeps up only because it is given a share of the time; so not
-- in builds that do without the clock.

local function peak_of(entries, rounds)
  local values = {}
  for i = 1, entries do values[i] = "value " .. i % 4096 end
  local window, peak = {}, 0
  collectgarbage()
  for round = 1, rounds do
    window[round % 20 + 1] = table.pack(table.unpack(values))
    peak = math.max(peak, collectgarbage("count"))
  end
  return peak
end

-- In terms of the twenty tables that are alive: five times as much is usual. If
-- the collector falls behind there are up to four hundred, twenty times as much.
local function within(entries, rounds)
  local peak = peak_of(entries, rounds)
  return peak < 20 * entries * 9 / 1024 * 10 or peak
end

print(within(40000, 400))                         --> true
print(within(200000, 400))                        --> true
