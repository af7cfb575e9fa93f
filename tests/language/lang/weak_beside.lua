-- SPDX-License-Identifier: MIT
-- A large table with weak values is cleared in many steps.  Beside it tables
-- with weak keys grow all the time, in every phase.  Their keys have finalizers
-- that look for their own entries: Lua promises that these are still there, and
-- whole, while a weak value is gone before the finalizer runs.

local VALUES, LIVE = 30000, 300
local TIME = 1.5                -- seconds of each mode: slow builds do less
local random = math.random

local function weak(mode) return setmetatable({}, {__mode = mode}) end

local values, by_value = weak("v"), weak("v")
local memo, chain, both = weak("k"), weak("k"), weak("kv")
local live = {}                 -- keys that are held
local made, finalized, problems = 0, 0, {}

local function problem(text) problems[text] = (problems[text] or 0) + 1 end

-- The entry of a key, by whatever way the program may find it.
local function check_entry(key)
  local entry = memo[key]
  if not entry then
    problem("no entry")
  elseif entry.id ~= key.id or entry.text ~= "entry " .. key.id then
    problem("another entry")
  end
  local second = chain[entry]
  if not second or second.id ~= key.id then problem("no second entry") end
end

local meta = {}
function meta.__gc(key)
  finalized = finalized + 1
  check_entry(key)
  if by_value[key.id] ~= nil then problem("a weak value is there too long") end
  if random(20) == 1 then live[random(LIVE)] = key end   -- comes back
end

-- The only reference to `entry` is that of `memo`, and `chain` has an entry for
-- it in turn.
local function add_key()
  made = made + 1
  local key = setmetatable({id = made}, meta)
  local entry = {id = made, text = "entry " .. made}
  memo[key], chain[entry] = entry, {id = made}
  both[key], by_value[made] = key, key
  if random(3) == 1 then live[random(LIVE)] = key end
end

local held = {}                 -- some of the values, by number

local function fill_values()
  for i = 1, VALUES do
    if values[i] == nil then
      local value = {id = i}
      values[i] = value
      values["n" .. i] = value
      if i % 16 == 0 then held[i] = value end
    end
  end
end

local function check_value(i)
  local value, named = values[i], values["n" .. i]
  if value ~= nil and value.id ~= i then problem("another value") end
  if named ~= value then problem("two values") end
  if held[i] ~= nil and held[i] ~= value then problem("a held value is gone") end
end

local function check_live()
  local key = live[random(LIVE)]
  if key then check_entry(key) end
end

local function run(mode)
  collectgarbage(mode)
  local deadline = os.clock() + TIME
  repeat
    fill_values()
    for _ = 1, 4 do
      for _ = 1, 500 do
        add_key()
        check_live()
        check_value(random(VALUES))
        if random(10) == 1 then collectgarbage("step", 0) end
      end
    end
  until os.clock() > deadline or made > 60000
end

local function whole(t)
  for key, value in next, t do
    if value.id ~= key.id then problem("an entry is not whole") end
  end
end

for _, mode in ipairs{"incremental", "generational"} do
  made, finalized = 0, 0
  run(mode)
  whole(memo)
  whole(chain)
  live, held = {}, {}
  for _ = 1, 4 do collectgarbage() end   -- some keys come back once more
  live = {}
  for _ = 1, 4 do collectgarbage() end
  print(next(values), next(memo), next(chain), next(both), next(by_value))
  print(finalized == made)
end
--> nil nil nil nil nil
--> true
--> nil nil nil nil nil
--> true

for text, count in pairs(problems) do print(text, count) end
