-- SPDX-License-Identifier: MIT
--
-- roundtrip.lua -- what the compiler makes is accepted, and stays the same
--
--     penumbra roundtrip.lua [--random COUNT] [--seed SEED] [--everything]
--                            FOLDER...
--
-- Each program is compiled, dumped, loaded and dumped again: with names and
-- without, as it is and with all its lines joined.  The two dumps must be equal.
-- Joined lines matter, because the compiler fuses only instructions of the same
-- line.  The programs are those found in the folders, and COUNT random ones of
-- tests/language/random.  --everything adds what is installed, and the official
-- suite (PENUMBRA_OFFICIAL).  A debug build verifies each function that it
-- compiles, so there the joined programs test that too.

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/../../language/random/?.lua"
local Program = require "program"

local count, seed, folders, everything = 100, 1, {}, false
do
  local i = 1
  while arg[i] do
    if arg[i] == "--random" then
      count, i = assert(math.tointeger(arg[i + 1])), i + 1
    elseif arg[i] == "--seed" then
      seed, i = assert(math.tointeger(arg[i + 1])), i + 1
    elseif arg[i] == "--everything" then
      everything = true
    else
      folders[#folders + 1] = arg[i]
    end
    i = i + 1
  end
  if everything then
    folders[#folders + 1] = here .. "/../../../build/debian"
    folders[#folders + 1] = "/usr/share/lua"
    folders[#folders + 1] = os.getenv "PENUMBRA_OFFICIAL"
  end
end

-- -- Joining -----------------------------------------------------------------

-- The end of the token, comment or space at `at`; and what stands for it.
local function piece(text, at)
  local level = text:match("^%-%-%[(=*)%[", at)
  if level then
    local _, to = text:find("]" .. level .. "]", at, true)
    return to or #text, " "
  end
  local _, to = text:find("^%-%-[^\n]*", at)
  if to then return to, " " end
  _, to = text:find("^%s+", at)
  if to then return to, " " end
  level = text:match("^%[(=*)%[", at)
  if level then
    _, to = text:find("]" .. level .. "]", at, true)
    return to or #text
  end
  local quote = text:match("^[\"']", at)
  if not quote then
    _, to = text:find("^[%w_]+", at)
    return to or at
  end
  to = at + 1
  while to <= #text and text:sub(to, to) ~= quote do
    to = to + (text:sub(to, to) == "\\" and 2 or 1)
  end
  return to
end

local function joined(text)
  local out, at = {}, 1
  while at <= #text do
    local to, instead = piece(text, at)
    out[#out + 1] = instead or text:sub(at, to)
    at = to + 1
  end
  return table.concat(out)
end

assert(joined "a --x\n='\\'\n' --[[\n]]\n..[[\n]]" == "a   ='\\'\n'   ..[[\n]]")

-- -- Trips -------------------------------------------------------------------

local trips, programs, failures = 0, 0, 0

local function fail(name, why)
  failures = failures + 1
  print(name .. ": " .. why)
end

local function trip(f, strip, name)
  local bytes = string.dump(f, strip)
  local g, message = load(bytes, "=chunk", "b")
  trips = trips + 1
  if not g then return fail(name, message) end
  if string.dump(g, strip) ~= bytes then fail(name, "the second dump differs") end
end

local function try(text, name)
  local f = load(text, "@" .. name, "t")
  if not f then return false end
  programs = programs + 1
  trip(f, false, name)
  trip(f, true, name)
  return true
end

local function try_both(text, name)
  if not try(text, name) then return end
  local line = joined(text)
  if not try(line, name .. " (joined)") then
    -- A program may need its lines only in what the limits are about.
    local _, message = load(line, "=joined", "t")
    fail(name, "does not compile when joined: " .. message)
  end
end

-- -- Programs ----------------------------------------------------------------

local function read_all(path)
  local f = io.open(path, "rb")
  if not f then return "" end
  local text = f:read "a" or ""
  f:close()
  return (text:gsub("^#[^\n]*", ""))
end

for _, folder in ipairs(folders) do
  local list <close> = assert(io.popen(("find -L '%s' -name '*.lua' -type f "
    .. "2>/dev/null | sort"):format(folder)))
  for path in list:lines() do try_both(read_all(path), path) end
end

local prelude = read_all(here .. "/../../language/random/prelude.lua")
for n = seed, seed + count - 1 do
  try_both(Program.text(Program.generate(n), prelude), "random program " .. n)
end

-- Two moves of one line, of which the second reads what the first has written.
try("local function g(a) local x = a return x, x end", "two moves")

print(("%d programs, %d round trips, %d failures"):format(programs, trips,
  failures))
os.exit(failures == 0 and 0 or 1)
