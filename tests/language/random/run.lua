-- SPDX-License-Identifier: MIT
--
-- run.lua -- runs random programs on two interpreters and compares
--
-- Their output and their exit status must be the same. Programs run in batches,
-- many in one process (batch.lua). A program that differs there runs again by
-- itself. It is then shrunk, and printed with its seed.

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua"
local Program = require "program"
local Shrink = require "shrink"

local SHRINK_SECONDS = 60
local BATCH = 50

local USAGE = [[
usage: lua5.4 tests/language/random/run.lua [options]

  --interpreter P   the program to test; else build/release/penumbra
  --reference P     what it is compared with; else lua5.4
  --seed S          the first seed; else 1, or a new one under PENUMBRA_FULL
  --count N         how many programs; else 300, or 5000 under PENUMBRA_FULL
  --share N         only one in N of them
  --timeout S       seconds for each run (60), ten times as many for the
                    tested interpreter
  --failures N      give up after so many (3)
  --print           only print the program of the first seed

Exit status: 0 no difference, 1 differences, 2 wrong usage.
]]

-- -- Options -----------------------------------------------------------------

local full = os.getenv "PENUMBRA_FULL"
local options = {
  interpreter = here .. "/../../../build/release/penumbra", reference = "lua5.4",
  seed = full and os.time() or 1, count = full and 5000 or 300, timeout = 60,
  failures = 3, share = 1,
}

local function wrong_usage()
  io.stderr:write(USAGE)
  os.exit(2)
end

local function read_options()
  local i = 1
  while arg[i] do
    local name = arg[i]:match "^%-%-(%a+)$"
    if name == "print" then
      options.print = true
    elseif options[name or ""] and arg[i + 1] then
      local old, new = options[name], arg[i + 1]
      options[name] = type(old) == "number" and math.tointeger(new) or new
      if type(old) ~= type(options[name]) then wrong_usage() end
      i = i + 1
    else
      wrong_usage()
    end
    i = i + 1
  end
end

-- -- Running -----------------------------------------------------------------

local scratch

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function read_all(name)
  local f <close> = assert(io.open(name, "rb"))
  return f:read "a"
end

local function write_all(name, text)
  local f <close> = assert(io.open(name, "wb"))
  assert(f:write(text))
end

local function command_output(command)
  local f <close> = assert(io.popen(command))
  return (f:read("a"):gsub("\n$", ""))
end

-- Both interpreters get the name `lua`, so that messages are the same.
local function prepare()
  scratch = command_output "mktemp -d"
  for side, path in pairs {reference = options.reference,
                           tested = options.interpreter} do
    local found = command_output("command -v " .. quote(path))
    if found == "" then
      io.stderr:write("no such interpreter: ", path, "\n")
      os.exit(2)
    end
    assert(os.execute(("mkdir %s/%s && ln -s \"$(realpath %s)\" %s/%s/lua")
      :format(scratch, side, quote(found), scratch, side)))
  end
end

-- The sign of NaN is undefined. 5.4.4 reports a wrong line for a division by
-- zero, and a wrong argument for a wrong position in table.remove.
local function normalise(text)
  text = text:gsub("%-nan", "nan")
  text = text:gsub("%f[%w]0x%x%x%x%x%x%x%x%x%x*", "ADDRESS")
  text = text:gsub("bad argument #1 to '([%w.]*remove' %(pos)",
    "bad argument #2 to '%1")
  text = text:gsub(":%d+: attempt to perform 'n", ": attempt to perform 'n")
  return (text:gsub(":%d+: attempt to divide", ": attempt to divide"))
end

-- The command that runs a script on one side; its output goes to <side>.out.
local function command_on(side, script, seconds)
  return ("(cd %s && PATH=%s/%s:$PATH timeout -k 5 %d lua %s >%s.out 2>&1 "
    .. "</dev/null)"):format(scratch, scratch, side, seconds, script, side)
end

-- Runs program.lua. Returns its output and its exit status.
local function run_side(side, seconds)
  local _, _, status = os.execute(command_on(side, "program.lua", seconds))
  return normalise(read_all(scratch .. "/" .. side .. ".out")) .. "exit status "
    .. status, status
end

local prelude = read_all(here .. "/prelude.lua")

local useless = 0

-- nil if both agree, else the two outputs.  A program that the reference does
-- not finish, or that crashes it (5.4.4 has such bugs), is ignored.
local function compare(program, seconds)
  seconds = seconds or options.timeout
  write_all(scratch .. "/program.lua", Program.text(program, prelude))
  local want, status = run_side("reference", seconds)
  if status >= 124 then
    useless = useless + 1
    return nil
  end
  local got = run_side("tested", 10 * seconds)
  if want ~= got then return want, got end
end

-- -- Batches -----------------------------------------------------------------

local function write_batch(first, last)
  local f <close> = assert(io.open(scratch .. "/programs", "wb"))
  for seed = first, last do
    local text = Program.text(Program.generate(seed), prelude)
    f:write(seed, " ", #text, "\n", text)
  end
end

-- The output of each program of a batch, by its seed. The last one before a
-- crash is incomplete, so it is left out.
local function outputs(side)
  local text = normalise(read_all(scratch .. "/" .. side .. ".out"))
  local list, at = {}, 1
  while true do
    local seed, from = text:match("^%-%- seed (%d+)\n()", at)
    local to = from and text:find("\n%-%- ", from - 1)
    if not to then return list end
    list[math.tointeger(seed)] = text:sub(from, to)
    at = to + 1
  end
end

-- Runs the programs on both sides at once. Returns the seeds to examine.
local function run_batch(first, last)
  write_batch(first, last)
  local script = quote(here .. "/batch.lua") .. " programs"
  os.execute(command_on("tested", script, 10 * options.timeout) .. " & "
    .. command_on("reference", script, options.timeout) .. "; wait")
  local want, got, differ = outputs "reference", outputs "tested", {}
  for seed = first, last do
    if not want[seed] or want[seed] ~= got[seed] then
      differ[#differ + 1] = seed
    end
  end
  return differ, want, got
end

-- -- Reporting ---------------------------------------------------------------

local function print_difference(want, got)
  if not want then return end
  write_all(scratch .. "/want", want .. "\n")
  write_all(scratch .. "/got", got .. "\n")
  print(command_output(("cd %s && diff -a -u --label reference --label tested "
    .. "want got | head -n 20"):format(scratch)))
end

local function report(seed, program, want, got)
  print(("seed %d: the interpreters differ"):format(seed))
  print_difference(want, got)
  local deadline = os.time() + SHRINK_SECONDS
  Shrink.run(program, function()
    return os.time() < deadline and compare(program, 3) ~= nil
  end)
  print("-- the program, made smaller, after the lines of prelude.lua:")
  print(Program.text(program, ""))
  print_difference(compare(program))
end

-- Runs a program that differed in a batch by itself.  One that differs only in
-- the batch is a failure, too, unless the reference crashed in it.
local function look_at(seed, want, got)
  local program = Program.generate(seed)
  local alone, other = compare(program)
  if alone then
    report(seed, program, alone, other)
    return true
  end
  if not want or want == got then return false end
  print(("seed %d: the interpreters differ, but only after other programs")
    :format(seed))
  print_difference(want, got or "(died)")
  return true
end

local function run_all(last)
  local failures = 0
  for first = options.seed, last, BATCH do
    local stop = math.min(first + BATCH - 1, last)
    local differ, want, got = run_batch(first, stop)
    for _, seed in ipairs(differ) do
      if look_at(seed, want[seed], got[seed]) then failures = failures + 1 end
      if failures >= options.failures then return failures end
    end
  end
  return failures
end

local function main()
  read_options()
  if options.print then
    io.write(Program.text(Program.generate(options.seed), prelude))
    return true
  end
  prepare()
  here = command_output("realpath " .. quote(here))
  local last = options.seed + options.count // options.share - 1
  print(("random programs: seeds %d to %d"):format(options.seed, last))
  io.stdout:flush()
  local failures = run_all(last)
  os.execute("rm -rf " .. quote(scratch))
  print(("random programs: %d differ; %d the reference could not run")
    :format(failures, useless))
  return failures == 0
end

os.exit(main())
