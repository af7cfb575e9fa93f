-- SPDX-License-Identifier: MIT
--
-- Tables that need more units of work than a step may do, filled by one call.
-- The collector keeps up only because it has a share of the time.  So this does
-- not hold in builds without the clock.

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

-- Relative to the twenty live tables, a factor of five is usual.  If the
-- collector falls behind, there are up to four hundred, a factor of twenty.
local function within(entries, rounds)
  local peak = peak_of(entries, rounds)
  return peak < 20 * entries * 9 / 1024 * 10 or peak
end

print(within(40000, 400))                         --> true
print(within(200000, 400))                        --> true
