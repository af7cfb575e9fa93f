-- SPDX-License-Identifier: MIT
--
-- A leak: a cache without a bound.
--
--     penumbra cache.lua [users]
--
-- Every user gets a page, which is kept forever. See docs/find-a-leak.md.

local gc = require "penumbra.gc"

local pages = {}
local function page_of(user)
  pages[user] = pages[user] or {text = "Hello, user " .. user, hits = 0}
  pages[user].hits = pages[user].hits + 1
  return pages[user]
end
app = {page_of = page_of}

for n = 1, 100 do page_of("user:" .. n) end
local before = gc.census()
for n = 1, tonumber(arg[1]) or 1000 do page_of("user:" .. 100 + n) end
local after = gc.census()

local grown = gc.diff(before, after)
for i = 1, math.min(3, #grown) do
  print(("%-40s %6d objects %8d bytes"):format(grown[i].name, grown[i].count,
                                               grown[i].bytes))
end
local path, info = gc.why(page_of("user:17"))
print(path)
print("kept by " .. info.dominator)
