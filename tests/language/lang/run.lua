-- SPDX-License-Identifier: MIT
--
-- run.lua -- runs test files and compares their output with their expectations
--
--    lua run.lua <interpreter> [file.lua ...]
--
-- Without files it runs all files in its folder.  The interpreter under test
-- need not be the one that runs this program.
--
-- A test file has the expected output behind each print:
--
--    print(1 + 1)                    --> 2
--    print(1, "a")                   --> 1 a
--    print(tostring({}))             -->~ ^table: 0x%x+$
--
-- The expectations of a file, in their order, must be equal to the lines that
-- it prints: one line each, none missing and none superfluous.  Tabs count as
-- spaces, and trailing spaces do not count.  The text after "-->~" is a Lua
-- pattern.  An expectation may be on a separate line: a print in a loop has one
-- for each line that it prints.  The file must end normally.  Its output to
-- stderr is shown only if it fails.
--
-- "-->5.4.4 text" is the output of an interpreter that still behaves like
-- 5.4.4.  It replaces the expectation in the line before it.

local interpreter = arg[1]
if not interpreter then
  io.stderr:write("usage: run.lua <interpreter> [file.lua ...]\n")
  os.exit(2)
end

local folder = arg[0]:match("^(.*)/[^/]*$") or "."

local function quote(s)
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

local function output_of(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read("a")
end

-- 5.4.4 let the iterator of utf8.codes pass over stray continuation bytes.
local probe = [[print(pcall(function() for _ in utf8.codes("\x61\x80") do end end))]]
local is_old = output_of(quote(interpreter) .. " -e " .. quote(probe))
               :find("^true") ~= nil

local function all_files()
  local files = {}
  local list = output_of("ls " .. quote(folder))
  for name in list:gmatch("[^\n]+%.lua") do
    if name ~= "run.lua" then files[#files + 1] = folder .. "/" .. name end
  end
  return files
end

-- The expectations of a file: {line =, text =, pattern =}.
local function expectations(file)
  local list, number = {}, 0
  for line in io.lines(file) do
    number = number + 1
    local kind, text = line:match("%-%->(%S*)%s?(.*)$")
    if kind == "5.4.4" then
      if is_old then list[#list].text, list[#list].pattern = text, false end
    elseif kind and (kind == "" or kind == "~") then
      list[#list + 1] = {line = number, text = text, pattern = kind == "~"}
    end
  end
  return list
end

local function normal(s)
  return (s:gsub("\t", " "):gsub("%s+$", ""))
end

local function agrees(want, got)
  if want.pattern then return got:find(normal(want.text)) ~= nil end
  return got == normal(want.text)
end

local function lines_of(text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n?") do lines[#lines + 1] = normal(line) end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

-- Runs a file.  Returns its output, its stderr, and whether it succeeded.
local function run(file)
  local out, err = os.tmpname(), os.tmpname()
  local ok, how, code = os.execute(string.format("%s %s >%s 2>%s </dev/null",
    quote(interpreter), quote(file), quote(out), quote(err)))
  local function take(name)
    local f <close> = assert(io.open(name))
    os.remove(name)
    return f:read("a")
  end
  return take(out), take(err), ok, how .. " " .. tostring(code)
end

local checked, failed = 0, 0

local function complain(file, line, format, ...)
  failed = failed + 1
  print(string.format("%s:%d: " .. format, file, line, ...))
end

local function check(file)
  local want = expectations(file)
  local out, err, ok, status = run(file)
  local got = lines_of(out)
  for i, w in ipairs(want) do
    checked = checked + 1
    if got[i] == nil and not agrees(w, "") then
      complain(file, w.line, "expected: %s\n  but the output had ended", w.text)
      break
    elseif not agrees(w, got[i] or "") then
      complain(file, w.line, "expected: %s\n  but got:  %s", w.text, got[i])
    end
  end
  if #got > #want then
    complain(file, 0, "not expected: %s", got[#want + 1])
  end
  if not ok then
    complain(file, 0, "ended with %s\n%s", status, err)
  end
  if #want == 0 then complain(file, 0, "expects nothing") end
end

local files = {table.unpack(arg, 2)}
if #files == 0 then files = all_files() end
for _, file in ipairs(files) do check(file) end
print(string.format("%d files, %d expectations, %d failed",
                    #files, checked, failed))
os.exit(failed == 0, true)
