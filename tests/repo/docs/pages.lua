-- SPDX-License-Identifier: MIT
--
-- pages.lua -- scripts/pages.lua notices numbers that are not those of the
-- tables and constants that they name, and tables without a day
--
--    penumbra pages.lua <penumbra> <scripts/pages.lua> <folder to write to>

local penumbra, script, folder = arg[1], arg[2], arg[3] .. "/pages"
assert(os.execute(("rm -rf '%s' && mkdir -p '%s/src' '%s/include'"):format(
  folder, folder, folder)))

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
end

-- The complaints about a page, without its name.
local function check(text)
  write("page.md", "# Page\n\nA page.\n\n" .. text .. "\n")
  local pipe <close> = assert(io.popen(("'%s' '%s' '%s' page.md"):format(
    penumbra, script, folder)))
  local out = pipe:read("a")
  local problems = tonumber(out:match "1 pages, (%d+) problems\n$")
  return problems, out
end

local function good(text)
  local problems, out = check(text)
  assert(problems == 0, out)
end
local function bad(text, complaint)
  local problems, out = check(text)
  assert(problems == 1 and out:find(complaint, 1, true), out)
end

write("src/step.c", "enum { STEP_UNITS = 8192 };\n")
write("other.md", [[
# Other

## First

| case | mode | lua5.4 ms | ours, ms |
|---|---|--:|--:|
| `a` | inc | 10.49 | 1.00 |
| a | gen | 1,234.5 | 2.00 |
| **b** | inc | - | 0.25 |

17 of 99 things are slower.

## Second

| case | ours |
|---|--:|
| a | 7 |

### Third

| case | ours |
|---|--:|
| a | 8 |
]])

good "8192<!--STEP_UNITS--> units"
bad("8191<!--STEP_UNITS--> units", "says 8191")

-- Cells: by one name, by two, of a section, rounded, with thousands.
good "10.5<!--cell: other.md#first | a & inc | lua5.4 ms--> times"
good "10<!--cell: other.md#first | a & inc | lua5.4 ms--> times"
good "10.49 ms<!--cell: other.md#first | a & inc | lua5.4 ms-->"
good "1,234.5<!--cell: other.md | a & gen | lua5.4 ms-->"
good "1234<!--cell: other.md | a & gen | lua5.4 ms | x - 0.5-->"
good "0.25<!--cell: other.md | b | ours; ms-->"
good "7<!--cell: other.md#second | min | ours--> and 8<!--cell: other.md#third | a | ours-->"
good "1.2 s<!--cell: other.md | max | lua5.4 ms, ours; ms | x / 1000-->"
good "3<!--cell: other.md#first | rows | case--> cases"
good "17<!--text: other.md | (%d+) of 99 things--> things"
bad("10.4<!--cell: other.md#first | a & inc | lua5.4 ms--> times", "says 10.4")
bad("11<!--cell: other.md#first | a & inc | lua5.4 ms--> times", "says 11")
bad("7<!--cell: other.md#third | a | ours-->", "says 7")
bad("7<!--cell: other.md#second | a | ours-->", "several such cells")
bad("7<!--cell: other.md#second | c | ours-->", "no such cell")
bad("7<!--cell: other.md#second | a | theirs-->", "no such cell")
bad("7<!--cell: other.md#fourth | a | ours-->", "no such section")
bad("7<!--cell: others.md | a | ours-->", "no such section")
bad("many<!--cell: other.md#third | a | ours-->", "no number before it")
good "| a | b |\n|---|---|\n| 8<!--cell: other.md#third \\| a \\| ours--> | 1 |"
bad("| a | b |\n|---|---|\n| 8<!--cell: other.md#third | a | ours--> | 1 |", "write \\| for |")
bad("| a | b |\n|---|---|\n| 9<!--cell: other.md#third \\| a \\| ours--> | 1 |", "says 9")
bad("18<!--text: other.md | (%d+) of 99 things--> things", "says 18")
bad("17<!--text: other.md | (%d+) of 98 things--> things", "no such text")

-- A table with figures of lua5.4 has a day, in its section or around it.
local rows = "\n\n| case | lua5.4 |\n|---|--:|\n| a | 1 |\n"
bad("## One" .. rows, "has a date")
bad("## One" .. rows .. "\n## Two\n\nMeasured on 2026-11-18.", "has a date")
good("On 2026-11-18.\n\n## One" .. rows)
good("## One\n\nMeasured on 2026-11-18." .. rows)
good("## One\n\nMeasured on 18 November 2026.\n\n### Two" .. rows)
good("## One" .. rows:gsub("lua5.4", "x"))
assert(os.execute(("rm -rf '%s'"):format(folder)))
print "ok"
