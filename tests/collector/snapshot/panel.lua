-- SPDX-License-Identifier: MIT
--
-- panel.lua -- two snapshots of a program whose cache grows, for panel.cjs
--
--    penumbra panel.lua <folder to write to>

local gc = require "penumbra.gc"
local folder = arg[1]

local Page = {__name = "Page"}
local pages = {}
local function page_of(user)
  pages[user] = pages[user]
    or setmetatable({text = "Hello, " .. user, hits = 0}, Page)
  return pages[user]
end
app = {page_of = page_of}

for n = 1, 100 do page_of("user:" .. n) end
assert(gc.snapshot(folder .. "/before.heapsnapshot"))
for n = 101, 1100 do page_of("user:" .. n) end
assert(gc.snapshot(folder .. "/after.heapsnapshot"))
