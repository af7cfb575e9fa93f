-- SPDX-License-Identifier: MIT
--
-- page.lua -- the page of a report that somebody else may have written: exact
-- figures, texts that are no JSON or no report, and no HTML in the library
--
--    penumbra page.lua <penumbra> <folder to write to> <library>

local page = require "penumbra.page"
local penumbra, folder, library = table.unpack(arg)
local path = folder .. "/page.json"

local function write(text)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(text))
end

local REPORT = [[
{"format": "penumbra report", "version": 1, "title": "T",
 "length": 2000000000, "largest_heap": 3145728, "allocated": 4294967296,
 "large_objects": 0, "emergencies": 0,
 "finalizers_called": 0, "finalizers_due": 0, "finalizers_time": 0,
 "steps": {"count": 1000, "total": 50000000, "longest": 95000}, "durations": [
   {"from": 1000, "to": 2000, "count": 500}, {"from": 8000, "to": 9000, "count": 400},
   {"from": 60000, "to": 70000, "count": 99}, {"from": 90000, "to": 100000, "count": 1}],
 "collections": {"count": 1, "total": 1500000, "longest": 1500000},
 "waits": [{"cause": "automatic step", "longest": 95000}, {"cause": "A<B", "longest": 1500000}],
 "windows": [{"length": 1000000, "worst": 250000}],
 "cycles": [{"time": 1000000000, "majors": 1, "minors": 1, "late": 0,
             "before": 4096, "live": 2048, "major_live": 1024}],
 "interval": 1000000000, "times": [
   {"least": 1, "most": 1048576, "first": 1, "last": 1048576, "goal": 2097152,
    "allocated": 1073741824, "waited": 100000000, "longest": 1500000},
   {"least": 0, "most": 0, "first": 0, "last": 0, "goal": 0,
    "allocated": 0, "waited": 0, "longest": 0}],
 "sampled": 65536, "lines": [
   {"name": "f (x.lua:1)", "count": 10, "bytes": 1000, "live": 5, "growth": 7},
   {"name": "f (x.lua:1)", "count": 20, "bytes": 2000, "live": 6, "growth": 0},
   {"name": "g (x.lua:2)", "count": 1, "bytes": 4000, "live": 0, "growth": 0}],
 "census": [
   {"by": "type", "name": "table", "count": 2, "bytes": 100},
   {"by": "name", "name": "<i>", "count": 1234567, "bytes": 70},
   {"by": "size", "name": "64", "count": 1, "bytes": 1}],
 "retained_sum": 0, "retained": [],
 "settings": {"mode": "incremental", "stopped": 0, "pause": 200, "step_multiplier": 100,
   "minor_multiplier": 20, "major_multiplier": 100, "finalizers": 10, "limit": 1048576,
   "target": 0, "frame": 2000, "version": "Lua <5.4>"},
 "more": [null, true, false, -1.5e3, "\u00e9\ud83d\ude00\ud83d\n\/"]}
]]

local function changed(from, to)
  local at, stop = assert(REPORT:find(from, 1, true))
  return REPORT:sub(1, at - 1) .. to .. REPORT:sub(stop + 1)
end

-- -- Figures -----------------------------------------------------------------

local text = page.html(REPORT)
for _, part in ipairs {
  "<title>T \u{2013} collector report</title>", "<b>2 s</b>run time",
  "<b>2.6 %</b>of it waited", "<b>1.50 ms</b>longest wait (A&lt;B)",
  "<b>70.0 \u{b5}s</b>99 % of steps", "<b>3 MB</b>largest heap", "<b>4 GB</b>allocated",
  "<b>2 GB/s</b>allocation rate", "<b>1 + 1</b>major",
  "<tr><td>how many<td>1,000<td>1\n<tr><td>all together<td>50 ms<td>1.50 ms\n",
  "<tr><td>50 % are shorter than<td>2.00 \u{b5}s<td>\n",
  "<tr><td>90 % are shorter than<td>9.00 \u{b5}s<td>\n",
  "<tr><td>99 % are shorter than<td>70.0 \u{b5}s<td>\n",
  "<tr><td>99.9 % are shorter than<td>70.0 \u{b5}s<td>\n",
  "<tr><td>longest<td>95 \u{b5}s<td>1.50 ms\n",
  "<title>75.0 % of 1 ms</title>", "<title>2 cycles: 1 KB of 2 KB survived</title>",
  "<title>10.0 %</title>", "<title>1 GB/s</title>",
  "<td>g (x.lua:2)<td>3.91 KB<td>1<td>0 B<td>57.1 %<td class=bar><div style='width:57%'>",
  "<td>f (x.lua:1)<td>2.93 KB<td>30<td>11 B<td>42.9 %",
  "<td>f (x.lua:1)<td>7 B<td>11 B", "<td>&lt;i&gt;<td>1,234,567<td>70 B",
  "Nothing stands out. The longest wait was 1.50 ms (A&lt;B)", "<td>1 MB\n", "<td>2 \u{b5}s\n",
  "<td>Lua &lt;5.4&gt;\n",
} do
  if not text:find(part, 1, true) then error(part .. " is not there") end
end
assert(not text:find("What keeps most alive", 1, true))
local _, bars = text:gsub("<title>1 GB/s</title>", "")
assert(bars == 2, "an interval without allocation has a bar, or a diagram is not there twice")

-- A page loads nothing.
for _, word in ipairs {"http", "url(", "@import", "<link", "<script", "<img", "src=", "<iframe"} do
  assert(not text:find(word, 1, true), word)
end

-- -- Diagrams ----------------------------------------------------------------

local LETTER = 8        -- no letter of a label is wider, on average

-- The labels of the ticks of one axis of a diagram: the text, and its place.
local function ticks(svg, anchor, coordinate)
  local list = {}
  local pattern = "<text x='(%d+)' y='(%d+)' text%-anchor=" .. anchor .. ">([^<]+)</text>"
  for x, y, label in svg:gmatch(pattern) do
    list[#list + 1] = {text = label, at = tonumber(coordinate == "x" and x or y)}
  end
  return list
end

-- Labels of an axis that is not logarithmic have one unit and as many digits.
local function check_even(list)
  local form
  for _, tick in ipairs(list) do
    if tick.text ~= "0" then
      local this = tick.text:gsub("^%d+", "n"):gsub("%d", "n")
      form = form or this
      assert(this == form, tick.text .. " beside " .. list[#list].text)
    end
  end
end

local function check_distance(list, needed)
  assert(#list >= 2, "an axis with fewer than two ticks")
  for i = 2, #list do
    local distance = math.abs(list[i].at - list[i - 1].at)
    local least = needed(list[i].text, list[i - 1].text)
    assert(distance >= least, list[i - 1].text .. " touches " .. list[i].text)
  end
end

-- Half of each label is between the middles of two.
local function widths(a, b) return LETTER * (utf8.len(a) + utf8.len(b)) / 2 end
local function heights() return 14 end

local function check_diagrams(html)
  local count = {wide = 0, narrow = 0}
  for shape, svg in html:gmatch("(<svg class=%a+)(.-</svg>)") do
    shape = shape:match("%a+$")
    count[shape] = count[shape] + 1
    local across, upward = ticks(svg, "middle", "x"), ticks(svg, "end", "y")
    if not svg:find("by duration", 1, true) and not svg:find("by window", 1, true) then
      check_even(across)
    end
    check_even(upward)
    check_distance(across, widths)
    check_distance(upward, heights)
    for _, tick in ipairs(upward) do
      assert(LETTER * utf8.len(tick.text) <= (shape == "wide" and 80 or 72), tick.text)
    end
  end
  assert(count.wide >= 7 and count.wide == count.narrow)
end

check_diagrams(text)
for _, length in ipairs {7, 999, 1000, 1001, 123456, 730000000, 1050000000, 1466000000,
                         9999999999, 86400000000000} do
  check_diagrams(page.html((changed('"length": 2000000000', '"length": ' .. length)
    :gsub('"interval": 1000000000', '"interval": ' .. length // 2 + 1)
    :gsub('"allocated": 1073741824', '"allocated": ' .. length))))
end
for _, bytes in ipairs {1, 3, 99, 1023, 1024, 1500, 102400, 1048575, 734003200, 1073741824,
                        5000000000000} do
  check_diagrams(page.html((REPORT:gsub('"most": 1048576', '"most": ' .. bytes)
    :gsub('"goal": 2097152', '"goal": ' .. bytes)
    :gsub('"allocated": 1073741824', '"allocated": ' .. bytes)
    :gsub('"before": 4096', '"before": ' .. bytes))))
end

-- A page needs no fields beyond those of its version, and spaces anywhere.
assert(page.html(REPORT:gsub("\n *", " ")) == text)
assert(page.html("\r\n\t" .. changed(', "growth": 0}', ', "growth": 0, "x": {}}')) == text)

-- Numbers that no run has draw something all the same.
for _, name in ipairs {"length", "interval", "majors", "minors", "to", "from", "most", "count"} do
  for _, number in ipairs {"0", "1", "9223372036854775807"} do
    local other = REPORT:gsub('"' .. name .. '": %d+', '"' .. name .. '": ' .. number)
    assert(page.html(other):find("</html>\n$"), name)
  end
end

-- -- Other texts -------------------------------------------------------------

local function refused(report, what)
  local ok, message = pcall(page.html, report)
  assert(not ok and type(message) == "string", what)
  if not message:find(what, 1, true) then error(message .. " is not: " .. what) end
  assert(not message:find("page:%d"), message)
end

for length = 0, #REPORT - 3 do
  refused(REPORT:sub(1, length), "byte")
end
refused(REPORT:sub(1, 1000), "byte 1001: the text ends here, but not the report")
refused(REPORT .. "]", "more text behind the end")
refused("{}", "not a report of Penumbra")
refused("[]", "not a report of Penumbra")
refused("7", "not a report of Penumbra")
refused("<html>", "byte 1: no value")
refused(("["):rep(100000), "too many brackets")
refused(('{"a":'):rep(100000), "too many brackets")
refused(changed('"T"', '"T\n"'), "a control character in a string")
refused(changed('"T"', '"\\x"'), "an unknown escape")
refused(changed('"T"', '"\\u12g4"'), "an unknown escape")
refused(changed('"T",', '"T"'), "neither , nor }")
refused(changed('}, {"from": 8000', '} {"from": 8000'), "neither , nor ]")
refused(changed('"title":', '"title"'), "no : behind a name")
refused(changed('"title"', 'title'), "a member has no name")
refused(changed('"length": 2', '"length": 2x'), "no value")
refused(changed('"version": 1', '"version": 2'), "another version")
refused(changed('"length"', '"width"'), "report.length is missing or wrong")
refused(changed('"T"', "5"), "report.title is missing or wrong")
refused(changed('"count": 500', '"count": -500'), "report.durations.1.count")
refused(changed('"count": 500', '"count": 0.5'), "report.durations.1.count")
refused(changed('"live": 2048', '"live": null'), "report.cycles.1.live")
refused(changed('"windows": [', '"windows": [[], '), "report.windows.1.")
refused(changed('"retained": []', '"retained": 1'), "report.retained is")

-- -- The command -------------------------------------------------------------

local function run(options)
  local pipe = io.popen(("'%s' %s 2>&1"):format(penumbra, options))
  local output = pipe:read("a")
  return output, select(3, pipe:close())
end

write(REPORT)
local output, code = run("--report-page '" .. path .. "'")
assert(output == text and code == 0, "another page")
output, code = run("-e 'print(1)' --report-page='" .. path .. "' no_such_program")
assert(output == text and code == 0, "another page")
write(REPORT:sub(1, 500))
output, code = run("--report-page '" .. path .. "'")
assert(output:find(path .. ": byte 501: the text ends here", 1, true) and code == 1, output)
os.remove(path)
output, code = run("--report-page '" .. path .. "'")
assert(output:find(path .. ": ", 1, true) and code == 1, output)
assert(not output:find("traceback", 1, true), output)
output, code = run("--report-page")
assert(output:find("'--report-page' needs argument", 1, true) and code == 1, output)

-- Whatever a program does to its libraries, its page is drawn.
local hostile = "string.format, table.concat, io.open, require = nil " ..
                "getmetatable('').__index = nil collectgarbage('stop')"
run(("--max-memory 20M --report '%s' -e \"%s\""):format(path, hostile))
local file <close> = assert(io.open(path))
assert(file:read("a"):find("</html>\n$"))
os.remove(path)
-- A sandbox has no such module, and a page all the same.
run(("--sandbox --report '%s' -e 'x = require'"):format(path))
local other <close> = assert(io.open(path))
assert(other:read("a"):find("</html>\n$"))
os.remove(path)

-- -- The library -------------------------------------------------------------

do
  local file <close> = assert(io.open(library, "rb"))
  local code = file:read("a")
  for _, word in ipairs {"<svg", "<html", "<table", "</h2>", "<path", "viewBox"} do
    assert(not code:find(word, 1, true), word)
  end
  assert(code:find("penumbra report", 1, true))
end
print "ok"
