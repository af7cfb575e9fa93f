-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 3
--
-- Pattern matching: find, match, gmatch and gsub over a text of log lines, with
-- classes, captures, anchors, back references, frontiers and plain search.
-- Argument: number of passes over the text.

local passes = tonumber(arg and arg[1]) or 26

local seed = 5
local function random(n)
  seed = (seed * 16807) % 2147483647
  return seed % n
end

local levels = { [0] = "INFO", "WARNING", "ERROR", "DEBUG" }
local lines = {}
for i = 1, 2000 do
  lines[i] = string.format(
    "2024-%02d-%02d %02d:%02d:%02d [%s] host%d: request /path/%d/item%d.html" ..
    " took %d.%03d s; client=10.%d.%d.%d user=\"name%d\"",
    random(12) + 1, random(28) + 1, random(24), random(60), random(60),
    levels[random(4)], random(20), random(100), random(1000), random(9),
    random(1000), random(256), random(256), random(256), random(500))
end

local function examine(line)
  local score = 0
  local year, month, day = line:match("^(%d+)%-(%d+)%-(%d+)")
  score = score + year + month * day
  if line:find("[ERROR]", 1, true) then score = score + 7 end
  local seconds = line:match("took ([%d.]+) s;")
  score = score + #seconds
  local quote, user = line:match("user=([\"'])(.-)%1")
  score = score + #quote + #user
  if line:find("%f[%w]item9%d*%.html") then score = score + 3 end
  if line:find("/%d+/.*client=10%.%d+%.1%d%d%.") then score = score + 1 end
  for octet in line:gmatch("%.(%d+)") do score = score + #octet end
  return score
end

local function anonymous(line)
  line = line:gsub("%d+%.%d+%.%d+%.%d+", "0.0.0.0")
  line = line:gsub("user=(%b\"\")", function(name)
    return "user=" .. ("*"):rep(#name)
  end)
  return (line:gsub("%[(%u+)%]", { ERROR = "E", WARNING = "W", INFO = "I" }))
end

local sum = 0
for _ = 1, passes do
  for i = 1, #lines do
    local line = lines[i]
    sum = (sum + examine(line) + #anonymous(line)) % 1000000007
  end
end
print(string.format("checksum %d", sum))
