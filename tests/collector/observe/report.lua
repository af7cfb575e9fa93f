-- SPDX-License-Identifier: MIT
--
-- report.lua -- a report of a run and its page: figures, form, advice. page.lua
-- tests pages of other texts.
--
--    penumbra report.lua <penumbra> <folder to write to>

local gc = require "penumbra.gc"
local profile = require "penumbra.profile"
local page = require "penumbra.page"
local penumbra, folder = arg[1], arg[2]
local path = folder .. "/report.html"

local function read(name)
  local file <close> = assert(io.open(name))
  return file:read("a")
end

-- Elements that end by themselves where the next one begins.
local open_ended = {meta = true, wbr = true, li = true, td = true, th = true, tr = true}

-- Every element ends, and the page needs nothing from elsewhere.
local function check_form(text)
  assert(text:find("^<!DOCTYPE html>\n") and text:find("</html>\n$"))
  assert(not text:find("<script") and not text:find("http"))
  assert(not text:find("nan[^a-z]") and not text:find("inf[^a-z]"), "a number")
  assert(utf8.len(text), "not UTF-8")
  local open = {}
  for slash, name, rest in text:gmatch("<(/?)([%a%d]+)([^<>]*)>") do
    if slash == "/" then
      while open_ended[open[#open]] and open[#open] ~= name do
        table.remove(open)
      end
      assert(table.remove(open) == name, "end of " .. name)
    elseif rest:sub(-1) ~= "/" and not open_ended[name] then
      open[#open + 1] = name
    end
  end
  assert(#open == 0, open[1])
  for data in text:gmatch(" d='([^']*)'") do
    assert(data:find("^[MLHVz%d. ]*$"), data)
  end
end

-- Another reader finds the text to be JSON, and the title as it should be.
local function check_json(name, title)
  if not os.execute("command -v python3 >/dev/null") then return end
  assert(os.execute(("python3 -c '%s' '%s' '%s'"):format([=[
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
if report["title"] != sys.argv[2] or report["version"] != 1:
    sys.exit(report["title"])
counts = [report["length"], report["retained_sum"]]
for part in "times", "cycles", "lines", "census", "windows", "retained":
    counts += [n for row in report[part] for n in row.values() if type(n) is not str]
for part in "steps", "collections", "settings":
    counts += [n for n in report[part].values() if type(n) not in (str, list)]
if not all(type(n) is int and n >= 0 for n in counts):
    sys.exit("a number")
]=], name, title)))
end

local function number(text, name)
  return assert(tonumber(text:match(name .. "=(%d+)")), name)
end

local function advice(text)
  return text:match("<ul id=advice>(.-)</ul>")
end

-- The figures are those of gc.pauses and of the profile.
do
  assert(not gc.report(path))
  profile.startalloc(4096)
  collectgarbage("stop")
  assert(gc.report(true))
  gc.pauses(true)
  collectgarbage("restart")
  local keep = {}
  local function maker(i) keep[i % 5000] = {i, "<b>" .. i} end
  for i = 1, 300000 do maker(i) end
  collectgarbage("stop")
  local pauses = gc.pauses()
  local sum = 0
  assert(gc.report(path, "a <title> & more"))
  for _, bytes in pairs(profile.readalloc()) do sum = sum + bytes end
  check_json(path, "a <title> & more")
  local text = page.html(read(path))
  check_form(text)
  assert(text:find("<h1>a &lt;title&gt; &amp; more</h1>", 1, true))
  assert(number(text, "data%-steps") == pauses.count and pauses.count > 10)
  local total = number(text, "data%-total")
  assert(math.abs(total / 1000 - pauses.total) < 0.01, total)
  local bytes = number(text, "data%-bytes")
  assert(math.abs(bytes - sum) < 0.02 * sum, ("%d and %d"):format(bytes, sum))
  local line = debug.getinfo(maker, "S").linedefined
  local first = text:match("<table id=lines.-<tr><td>([^\n]-)<td>")
  assert(first:find("^maker %(.*report.lua:" .. line .. "%)$"), first)
  -- The work for the report is not in the report.
  assert(not text:find("Whole collections stop"))
  gc.pauses(false)
  profile.stopalloc()

  -- It goes on after a report.
  collectgarbage("restart")
  for i = 1, 300000 do maker(i) end
  assert(gc.report(path))
  text = page.html(read(path))
  check_form(text)
  assert(number(text, "data%-steps") > pauses.count)

  -- `penumbra --report-page` prints the same page.
  local pipe <close> = io.popen(("'%s' --report-page '%s'"):format(penumbra, path))
  assert(pipe:read("a") == text)
  assert(not gc.report(folder .. "/no/such/folder"))
  if io.open("/dev/full") then assert(not gc.report("/dev/full")) end
  assert(gc.report(false))
  assert(not gc.report(path))
end

-- Programs, and what the page has to say about each.
local script = folder .. "/report_program.lua"
local function run(program, options)
  do
    local file <close> = assert(io.open(script, "w"))
    file:write(program)
  end
  os.remove(path)
  os.execute(("'%s' --report '%s' %s '%s' 2>'%s/report_errors'"):format(
    penumbra, path, options or "", script, folder))
  local text = read(path)
  check_form(text)
  return text
end

-- The advice follows from measured times. On a machine that does something
-- else meanwhile, a short run may look like one that waits for its collector.
local function expect(what, program, options)
  local text
  for _ = 1, 5 do
    text = advice(run(program, options))
    if text:find(what, 1, true) then return end
  end
  error(what .. " is not in " .. text)
end

expect("Nothing stands out", "print()")
expect("Whole collections stop the program", [[
  local t = {}
  for i = 1, 300000 do t[i] = {i} end
  for i = 1, 5 do collectgarbage() end]])
expect("The live heap keeps growing", [[
  leak = {}
  local function forget(i) leak[#leak + 1] = {i, {}} end
  local stop = os.clock() + 0.5
  for i = 1, 3000000 do
    forget(i)
    if i % 1000 == 0 and os.clock() > stop then break end
  end]])
expect("forget (", [[
  collectgarbage("incremental")
  leak = {}
  local function forget(i) leak[#leak + 1] = {i, {}} end
  for i = 1, 200000 do forget(i) end]])
do -- the line that grows most comes first
  local text = run([[
    collectgarbage("incremental")
    leak = {}
    local function few(i) leak[#leak + 1] = {i} end
    local function many(i) leak[#leak + 1] = {i, {}, {}, {}} end
    for i = 1, 100000 do few(i) many(i) end]])
  local rows = assert(text:match("<table id=growing .-</table>"))
  assert(rows:find("many %(.*few %("), rows)
end
expect("Finalizers took", [[
  local function slow() for i = 1, 20000 do end end
  for i = 1, 2000 do setmetatable({}, {__gc = slow}) end
  collectgarbage()]])
expect("Memory ran out", [[
  collectgarbage("stop")
  for i = 1, 200000 do local t = {i} end]], "--max-memory 4M")
expect("One line allocates", [[
  for i = 1, 200000 do local t = {i, {}} end]])
expect("objects of 64 KB or more", [[
  for i = 1, 200 do local s = ("x"):rep(100000 + i) end]])

-- What keeps most alive.
do
  local text = run [[
    app = {cache = {}, small = {}}
    for i = 1, 20000 do app.cache[i] = {i} end
    for i = 1, 20 do app.small[i] = {i} end]]
  local table = text:match("<table id=retained .-</table>")
  assert(table:find("<td>_G<td>.-<td>_G.app<td>.-<td>_G.app.cache<td>"), table)
  assert(not table:find("small"), table)
end

-- The end by an error, by os.exit, and with the state closed.
for _, last in ipairs {"error 'x'", "os.exit(1)", "os.exit(1, true)",
                       "coroutine.wrap(function() os.exit() end)()"} do
  local text = run("held = {} for i = 1, 1000 do held[i] = {} end " .. last)
  local tables = text:match("id=types.-<tr><td>table<td>([%d,]+)")
  assert(tonumber((tables:gsub(",", ""))) > 1000, last)
end

-- In a locale with another decimal point the plots are the same.
if os.setlocale("de_DE.UTF-8") or os.setlocale("fr_FR.UTF-8") then
  gc.report(true)
  for i = 1, 100000 do local t = {i} end
  gc.report(path)
  check_form(page.html(read(path)))
end

-- Names that are no UTF-8, and such that mean something in JSON or HTML.
do
  gc.report(true)
  local hostile = "<b>\"\\\1\xff\xc3\u{e9}&</b>"
  held = setmetatable({}, {__name = hostile})
  _G[hostile] = {}
  for i = 1, 20000 do _G[hostile][i] = {} end
  assert(gc.report(path, "\xffx\n\u{e9}\u{1f600}\"\\<b>"))
  check_json(path, "\\xFFx\n\u{e9}\u{1f600}\"\\<b>")
  local text = page.html(read(path))
  check_form(text)
  assert(not text:find("<b>\"", 1, true) and text:find("&lt;b&gt;", 1, true))
  assert(text:find("<h1>\\xFFx \u{e9}\u{1f600}&quot;\\&lt;b&gt;</h1>", 1, true))
  gc.report(false)
end
for _, name in ipairs {path, script, folder .. "/report_errors"} do
  os.remove(name)
end
print "ok"
