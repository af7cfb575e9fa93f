-- SPDX-License-Identifier: MIT
--
-- page.lua -- the page about a run, made from the JSON of a report
--
-- `penumbra` has this file inside of it, as the module penumbra.page. The page
-- is one HTML file that needs nothing else: no network, no script. Diagrams are
-- SVG inside the page, in the colors of its style, so they follow a dark or a
-- light setting of the reader. docs/report.md describes the JSON.

local DEPTH = 100       -- brackets within brackets

-- -- Reading JSON ------------------------------------------------------------

local WORDS = {["true"] = true, ["false"] = false, null = false}
local ESCAPES = {['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f",
                 n = "\n", r = "\r", t = "\t"}

-- A reader has a text and the place in it where it goes on.
local function complain(r, what)
  if r.at > #r.text then what = "the text ends here, but not the report" end
  error(("byte %d: %s"):format(r.at, what), 0)
end

-- Skips spaces, and returns what follows if it matches the pattern.
local function take(r, pattern)
  r.at = r.text:match("^[ \t\r\n]*()", r.at)
  local found, stop = r.text:match("^(" .. pattern .. ")()", r.at)
  r.at = stop or r.at
  return found
end

-- The code of \uXXXX, or of two that stand for one character. Half of such a
-- pair is no character.
local function read_code(r)
  local code = r.text:match("^u(%x%x%x%x)", r.at)
  if not code then complain(r, "an unknown escape") end
  code = tonumber(code, 16)
  r.at = r.at + 5
  if code < 0xD800 or code > 0xDFFF then return code end
  local low = r.text:match("^\\u([dD][c-fC-F]%x%x)", r.at)
  if code > 0xDBFF or not low then return 0xFFFD end
  r.at = r.at + 6
  return 0x10000 + (code - 0xD800 << 10) + (tonumber(low, 16) - 0xDC00)
end

local function read_escape(r)
  local short = ESCAPES[r.text:sub(r.at, r.at)]
  if not short then return utf8.char(read_code(r)) end
  r.at = r.at + 1
  return short
end

-- The text behind a quote, which is skipped already.
local function read_string(r)
  local pieces = {}
  while true do
    local plain, mark, stop = r.text:match('^([^"\\\0-\31]*)(["\\]?)()', r.at)
    r.at = stop
    pieces[#pieces + 1] = plain
    if mark == '"' then return table.concat(pieces) end
    if mark == "" then complain(r, "a control character in a string") end
    pieces[#pieces + 1] = read_escape(r)
  end
end

local read_value

local function read_list(r, depth)
  local list = {}
  if take(r, "%]") then return list end
  repeat list[#list + 1] = read_value(r, depth) until not take(r, ",")
  if not take(r, "%]") then complain(r, "neither , nor ]") end
  return list
end

local function read_object(r, depth)
  local object = {}
  if take(r, "}") then return object end
  repeat
    if not take(r, '"') then complain(r, "a member has no name") end
    local name = read_string(r)
    if not take(r, ":") then complain(r, "no : behind a name") end
    object[name] = read_value(r, depth)
  until not take(r, ",")
  if not take(r, "}") then complain(r, "neither , nor }") end
  return object
end

function read_value(r, depth)
  if depth == 0 then complain(r, "too many brackets within brackets") end
  if take(r, "{") then return read_object(r, depth - 1) end
  if take(r, "%[") then return read_list(r, depth - 1) end
  if take(r, '"') then return read_string(r) end
  local word = take(r, "[%w.+-]+") or ""
  local value = WORDS[word]
  if value == nil then value = tonumber(word) end
  if value == nil then complain(r, "no value") end
  return value
end

-- -- Checking a report -------------------------------------------------------

-- A form of members that are counts, besides those that are given. A count is
-- an integer that is not negative.
local function counts(names, form)
  form = form or {}
  for name in names:gmatch("[%a_]+") do form[name] = "count" end
  return form
end

-- What a report has. A list has one form for all its items.
local FORM = counts("length largest_heap allocated large_objects emergencies sampled interval " ..
                    "finalizers_called finalizers_due finalizers_time retained_sum", {
  title = "string",
  steps = counts "count total longest", collections = counts "count total longest",
  durations = {counts "from to count"},
  waits = {counts("longest", {cause = "string"})},
  windows = {counts "length worst"},
  cycles = {counts "time majors minors late before live major_live"},
  times = {counts "least most first last goal allocated waited longest"},
  lines = {counts("count bytes live growth", {name = "string"})},
  census = {counts("count bytes", {by = "string", name = "string"})},
  retained = {counts("bytes", {name = "string"})},
  settings = counts("stopped pause step_multiplier minor_multiplier major_multiplier " ..
                    "finalizers limit target frame", {mode = "string", version = "string"}),
})

local function has_form(value, form)
  if form == "count" then return math.type(value) == "integer" and value >= 0 end
  return type(value) == (type(form) == "table" and "table" or form)
end

local function check(value, form, name)
  if not has_form(value, form) then
    error(("not a whole report: %s is missing or wrong"):format(name), 0)
  end
  if type(form) ~= "table" then return end
  for key, inner in pairs(form[1] and value or form) do
    check(value[key], form[1] or inner, name .. "." .. key)
  end
end

-- The table in the text of a report, or an error that says what is wrong.
local function read_report(text)
  local r = {text = text, at = 1}
  local report = read_value(r, DEPTH)
  take(r, "")
  if r.at <= #text then complain(r, "more text behind the end") end
  if type(report) ~= "table" or report.format ~= "penumbra report" then
    error("not a report of Penumbra", 0)
  end
  if report.version ~= 1 then error("a report of another version", 0) end
  check(report, FORM, "report")
  return report
end

-- -- Text --------------------------------------------------------------------

local ENTITIES = {["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;",
                  ['"'] = "&quot;"}

-- Text that is not HTML. Control characters are not allowed in a page.
local function escape(text)
  return (text:gsub('[<>&"]', ENTITIES):gsub("[\0-\31]", " "))
end

-- A page is a list of texts.
local function put(page, format, ...)
  page[#page + 1] = format:format(...)
end

local function put_section(page, title, text)
  put(page, "\n<h2>%s</h2>\n<p>%s</p>\n", title, text)
end

-- -- Numbers for people ------------------------------------------------------

-- Three digits, or all digits in front of the point.
local function number_text(n, unit)
  local digits = (n >= 99.95 or n == math.floor(n)) and 0 or n >= 9.995 and 1 or 2
  return ("%." .. digits .. "f%s"):format(n, unit or "")
end

-- What is counted has units, each some times the one before.
local BYTES = {times = 1024, " B", " KB", " MB", " GB", " TB"}
local RATE = {times = 1024, " B/s", " KB/s", " MB/s", " GB/s", " TB/s"}
local TIME = {times = 1000, " ns", " \u{b5}s", " ms", " s"}
local PERCENT = {times = 1000, " %"}
local COUNT = {times = 1000, ""}

-- The number in the first unit in which it is below 1000, or in the last; and
-- how much that unit is, and its name.
local function in_unit(n, units)
  local i, size = 1, 1.0
  while i < #units and n >= 1000 do n, i, size = n / units.times, i + 1, size * units.times end
  return n, size, units[i]
end

local function scaled_text(n, units)
  local scaled, _, unit = in_unit(n, units)
  return number_text(scaled, unit)
end

-- "12.3 MB"
local function bytes_text(n) return scaled_text(n, BYTES) end

local function rate_text(n) return scaled_text(n, RATE) end

-- "950 µs", from nanoseconds
local function time_text(n) return n == 0 and "0" or scaled_text(n, TIME) end

-- "1,234"
local function count_text(n)
  return (("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
          :gsub("^,", ""))
end

local function share_text(n) return ("%.1f %%"):format(n) end

-- -- Diagrams ----------------------------------------------------------------

-- Every diagram is there twice: for a window that is wide, and for a phone. The
-- style of the page shows one of them. `ticks` is about how many there are.
local SHAPES = {
  {style = "wide", width = 920, height = 230, left = 76, right = 24, x_ticks = 8, y_ticks = 5},
  {style = "narrow", width = 360, height = 220, left = 66, right = 18, x_ticks = 4, y_ticks = 4},
}
local TOP, BOTTOM = 10, 30

-- A chart has a shape and two axes. An axis goes from a number to another; its
-- numbers have units, and it may be logarithmic.
local function axis_to(most, units) return {from = 0, to = 1.05 * most, units = units} end

local function axis_part(axis, value)
  local from, to = axis.from, axis.to
  local part = axis.is_log and math.log(value / from) / math.log(to / from)
               or (value - from) / (to - from)
  return math.max(0, math.min(1, part))
end

local function chart_x(chart, value)
  local shape = chart.shape
  return shape.left + axis_part(chart.x, value) * (shape.width - shape.left - shape.right)
end

local function chart_y(chart, value)
  local height = chart.shape.height
  return height - BOTTOM - axis_part(chart.y, value) * (height - TOP - BOTTOM)
end

local function round(n) return math.floor(n + 0.5) end

local function tick_x(page, chart, value, text)
  local x, bottom = round(chart_x(chart, value)), chart.shape.height - BOTTOM
  put(page, "<path class=grid d='M%d %dV%d'/><text x='%d' y='%d' text-anchor=middle>%s</text>",
      x, TOP, bottom, x, bottom + 18, text)
end

local function tick_y(page, chart, value, text)
  local y, shape = round(chart_y(chart, value)), chart.shape
  put(page, "<path class=grid d='M%d %dH%d'/><text x='%d' y='%d' text-anchor=end>%s</text>",
      shape.left, y, shape.width - shape.right, shape.left - 8, y + 4, text)
end

-- The least round number, which is 1, 2, 5 or 10 times a power of ten, that is
-- not below n. What is beyond every limit is its own.
local function round_up(n)
  local unit = 10.0 ^ math.floor(math.log(n, 10))
  for _, part in ipairs {1, 2, 5, 10} do
    if part * unit >= n * (1 - 1e-9) then return part * unit end
  end
  return n
end

-- A distance of ticks so that there are at most about `count`: a round number
-- of the unit of the whole axis.
local function axis_step(axis, count)
  local _, size = in_unit(axis.to, axis.units)
  return size * round_up((axis.to - axis.from) / count / size)
end

-- All ticks of an axis have the same unit and the same number of digits.
local function put_even_ticks(page, chart, axis, count, tick)
  local step = axis_step(axis, count)
  local _, size, unit = in_unit(axis.to, axis.units)
  local digits = math.max(0, -math.floor(math.log(step / size, 10) + 1e-9))
  local first = math.ceil(axis.from / step - 1e-9)
  for i = first, first + 19 do
    local value = i * step
    if value > axis.to * 1.0001 then break end
    tick(page, chart, value, value == 0 and "0" or ("%%.%df%%s"):format(digits)
         :format(value / size, unit))
  end
end

-- Powers of ten; if there is room, or only one of them, twice and five times
-- these, too.
local function put_log_ticks(page, chart, axis, count, tick)
  local from, to = math.log(axis.from, 10), math.log(axis.to, 10)
  local powers = math.floor(to + 1e-9) - math.ceil(from - 1e-9) + 1
  local parts = (3 * (to - from) <= count or powers < 2) and {1, 2, 5} or {1}
  local unit = 10.0 ^ math.floor(math.log(axis.from, 10) + 1e-9)
  while unit <= axis.to * 1.0001 do
    for _, part in ipairs(parts) do
      local value = part * unit
      if value >= axis.from * 0.9999 and value <= axis.to * 1.0001 then
        tick(page, chart, value, scaled_text(value, axis.units))
      end
    end
    unit = unit * 10
  end
end

local function put_ticks(page, chart, axis, count, tick)
  local put_them = axis.is_log and put_log_ticks or put_even_ticks
  put_them(page, chart, axis, count, tick)
end

-- Puts a diagram with its axes in each shape; `draw` puts what is in it. The
-- label says what it shows, for readers that do not see it.
local function put_chart(page, label, x, y, draw)
  if x.to <= x.from then x.to = x.from + 1 end
  if y.to <= y.from then y.to = y.from + 1 end
  for _, shape in ipairs(SHAPES) do
    local chart = {x = x, y = y, shape = shape}
    put(page, "<svg class=%s viewBox='0 0 %d %d' role=img><title>%s</title>", shape.style,
        shape.width, shape.height, label)
    put_ticks(page, chart, x, shape.x_ticks, tick_x)
    put_ticks(page, chart, y, shape.y_ticks, tick_y)
    put(page, "<path class=axis d='M%d %dV%dH%d'/>\n", shape.left, TOP,
        shape.height - BOTTOM, shape.width - shape.right)
    draw(page, chart)
    put(page, "\n</svg>\n")
  end
end

-- A coordinate, whose point does not depend on the locale.
local function place(n)
  local tenths = round(n * 10)
  return ("%d.%d"):format(tenths // 10, tenths % 10)
end

-- A command of a path, "M" or "L", to a point.
local function put_point(page, chart, command, x, y)
  put(page, "%s%s %s", command, place(chart_x(chart, x)), place(chart_y(chart, y)))
end

-- A bar between two places and two heights. A reader who points at it sees the
-- text.
local function put_bar(page, chart, style, from, to, low, high, text)
  local left, right = chart_x(chart, from), chart_x(chart, to)
  local top, bottom = chart_y(chart, high), chart_y(chart, low)
  if bottom - top < 0.8 then top = bottom - 0.8 end
  if right - left > 2 then right = right - 0.8 end
  put(page, "<path class='%s' d='M%s %sV%sH%sV%sz'><title>%s</title></path>", style,
      place(left), place(bottom), place(top), place(right), place(bottom), text)
end

local function put_legend(page, style, text)
  put(page, "<span class=key><i class='%s'></i>%s</span> ", style, text)
end

-- -- Figures of a report -----------------------------------------------------

-- The sum of a field of the items of a list.
local function sum_of(list, field)
  local sum = 0
  for _, item in ipairs(list) do sum = sum + item[field] end
  return sum
end

local function count_cycles(r)
  return sum_of(r.cycles, "majors") + sum_of(r.cycles, "minors")
end

-- The part of the run, from 0 to 1, that the program waited.
local function share(r)
  if r.length == 0 then return 0 end
  return (r.steps.total + r.collections.total) / r.length
end

-- The cause of the longest wait.
local function worst_wait(r)
  local worst = r.waits[1] or {cause = "no cause", longest = 0}
  for _, wait in ipairs(r.waits) do
    if wait.longest > worst.longest then worst = wait end
  end
  return worst
end

-- A duration that so many percent of the steps do not exceed.
local function percentile(r, percent)
  local seen = 0
  for _, bucket in ipairs(r.durations) do
    seen = seen + bucket.count
    if seen >= r.steps.count * percent / 100 then
      return math.min(bucket.to - 1, r.steps.longest)
    end
  end
  return r.steps.longest
end

-- The largest value of a function of the items of a list, but not below `least`.
local function largest(list, least, value)
  for _, item in ipairs(list) do least = math.max(least, value(item)) end
  return least
end

-- -- Tables of a report ------------------------------------------------------

local ROWS = 20

-- Adds up rows of the same name. `sum` is that of all bytes.
local function join_rows(list)
  local rows, by_name = {sum = sum_of(list, "bytes")}, {}
  for _, item in ipairs(list) do
    local row = by_name[item.name]
    if not row then
      row = {name = item.name, count = 0, bytes = 0, live = 0, growth = 0}
      by_name[item.name] = row
      rows[#rows + 1] = row
    end
    row.count = row.count + item.count
    row.bytes = row.bytes + item.bytes
    row.live = row.live + (item.live or 0)
    row.growth = row.growth + (item.growth or 0)
  end
  return rows
end

-- The rows with the largest numbers in a field, those first.
local function first_rows(rows, field)
  table.sort(rows, function(a, b)
    if a[field] ~= b[field] then return a[field] > b[field] end
    return a.name < b.name
  end)
  return table.move(rows, 1, math.min(#rows, ROWS), 1, {sum = rows.sum})
end

local function growing_rows(lines)
  local rows = {}
  for _, row in ipairs(lines) do
    if row.growth > 0 then rows[#rows + 1] = row end
  end
  return first_rows(rows, "growth")
end

-- The rows of the census by type or by name.
local function census_rows(r, by)
  local list = {}
  for _, item in ipairs(r.census) do
    if item.by == by then list[#list + 1] = item end
  end
  return first_rows(join_rows(list), "bytes")
end

-- Names that have less than a thousandth, beyond the first six, are left out.
local function name_rows(r)
  local rows = census_rows(r, "name")
  while #rows > 6 and rows[#rows].bytes * 1000 < rows.sum do
    rows[#rows] = nil
  end
  return rows
end

-- -- Advice ------------------------------------------------------------------

-- What the figures suggest. A rule has a text, and a function that returns the
-- figures for it if they stand out.
local rules = {}
local function rule(text, figures) rules[#rules + 1] = {text = text, figures = figures} end

rule("<b>Memory ran out %d times.</b> Each time everything was collected at once. Raise the " ..
     "limit of memory, or keep less.",
     function(r) return r.emergencies > 0 and r.emergencies end)

rule("<b>Whole collections stop the program.</b> There were %d, and the longest took %.1f ms. " ..
     "Remove calls of <code>collectgarbage()</code>, or call <code>gc.step</code> where the " ..
     "program has time.", function(r)
  local whole = r.collections
  return whole.longest >= 5000000 and whole.count, whole.longest / 1e6
end)

-- The mean of what major cycles found live, from one group to another.
local function mean_live(r, from, to)
  local groups = table.move(r.cycles, from, to, 1, {})
  local count = sum_of(groups, "majors")
  return count > 0 and sum_of(groups, "major_live") / count or 0
end

rule("<b>The live heap keeps growing:</b> from %s in the first third of the cycles to %s in " ..
     "the last.%s If that is not a structure being built, it is a leak.", function(r)
  local third, most = #r.cycles // 3, r.growing[1]
  if sum_of(r.cycles, "majors") < 6 or third < 1 then return nil end
  local first, second = mean_live(r, 1, third), mean_live(r, third + 1, 2 * third)
  local last = mean_live(r, 2 * third + 1, #r.cycles)
  local grows = first > 0 and second >= first * 1.15 and last >= second * 1.15
  return grows and bytes_text(first), bytes_text(last),
    most and " It grows most at <code>" .. escape(most.name) .. "</code>." or ""
end)

rule("<b>Cycles end above the goal:</b> %d of %d. The program allocates faster than the " ..
     "collector works. Raise the step multiplier, or give it time with <code>gc.step</code>, " ..
     "or allocate less.", function(r)
  local late, cycles = sum_of(r.cycles, "late"), count_cycles(r)
  return cycles >= 3 and late * 10 >= cycles and late, cycles
end)

rule("<b>The program waited %.0f %% of the time for the collector.</b> A higher pause, such as " ..
     "<code>collectgarbage(\"incremental\", 300)</code>, makes cycles rarer and the heap " ..
     "larger. Or allocate less: see the lines that allocate most.",
     function(r) return share(r) >= 0.2 and 100 * share(r) end)

rule("<b>Finalizers took %.0f %% of the time:</b> %d calls of <code>__gc</code>, %.1f \u{b5}s " ..
     "each. Close objects when they are no longer needed, with <code>&lt;close&gt;</code> or " ..
     "by hand, and make <code>__gc</code> short.", function(r)
  local time, calls = r.finalizers_time, r.finalizers_called
  local part = r.length > 0 and 100 * time / r.length or 0
  return part >= 5 and part, calls, calls > 0 and time / 1e3 / calls or 0
end)

rule("<b>%d dead objects wait for their finalizers.</b> More die than are finalized. See " ..
     "<code>gc.finalizers</code> and <code>gc.finalize</code>.",
     function(r) return r.finalizers_due >= 1000 and r.finalizers_due end)

rule("<b>The longest step took %.1f ms.</b> A step begins nothing new after 40 \u{b5}s, so " ..
     "this was one large piece of work: most often memory that is not in the caches, or a " ..
     "call to the system. The trace (<code>--trace</code>) shows its phase.",
     function(r) return r.steps.longest >= 1000000 and r.steps.longest / 1e6 end)

rule("<b>%d objects of 64 KB or more were made.</b> To fill them takes time that no collector " ..
     "can spread. Make them once and reuse them, or make them smaller.", function(r)
  local count = r.large_objects
  return count >= 100 and count >= 50 * r.length / 1e9 and count
end)

rule("<b>One line allocates %.0f %% of all bytes:</b> <code>%s</code>. Reusing objects pays " ..
     "off most there.", function(r)
  local most, sum = r.allocating[1], r.allocating.sum
  if not most or sum < 1048576 then return nil end
  local part = 100 * most.bytes / sum
  return part >= 30 and part, escape(most.name)
end)

-- The percentage of the heap that survives a cycle, if cycles matter. What is
-- made during a cycle survives it, too.
local function survivors(r)
  local live, before = sum_of(r.cycles, "live"), sum_of(r.cycles, "before")
  if count_cycles(r) < 5 or share(r) < 0.05 then return nil end
  return before > 0 and math.min(100, 100 * live / before) or 0
end

rule("<b>%.0f %% of the heap survives a cycle.</b> Cycles cost much and free little. A higher " ..
     "pause makes them rarer.", function(r)
  local part = survivors(r)
  return part and part >= 85 and part
end)

rule("<b>Only %.0f %% survives a cycle.</b> Objects die young. The generational mode may be " ..
     "cheaper: <code>collectgarbage(\"generational\")</code>.", function(r)
  local part = survivors(r)
  return part and part < 20 and r.settings.mode ~= "generational" and part
end)

local function put_advice(page, r)
  local worst, begin = worst_wait(r), #page + 1
  put(page, "<ul id=advice>\n")
  for _, advice in ipairs(rules) do
    local figures = table.pack(advice.figures(r))
    if figures[1] then put(page, "<li>" .. advice.text .. "\n", table.unpack(figures)) end
  end
  if #page == begin then
    put(page, "<li>Nothing stands out. The longest wait was %s (%s), and the program waited " ..
        "%.1f %% of the time.\n", time_text(worst.longest), escape(worst.cause), 100 * share(r))
  end
  put(page, "</ul>\n")
end

-- -- Sections: the heap over time --------------------------------------------

local function put_tile(page, value, name)
  put(page, "<div class=tile><b>%s</b>%s</div>\n", value, escape(name))
end

local function put_tiles(page, r)
  local worst, seconds = worst_wait(r), r.length / 1e9
  put(page, "<div class=tiles>\n")
  put_tile(page, time_text(r.length), "run time")
  put_tile(page, share_text(100 * share(r)), "of it waited for the collector")
  put_tile(page, time_text(worst.longest), "longest wait (" .. worst.cause .. ")")
  put_tile(page, time_text(percentile(r, 99)), "99 % of steps are shorter")
  put_tile(page, bytes_text(r.largest_heap), "largest heap")
  put_tile(page, bytes_text(r.allocated), "allocated")
  put_tile(page, rate_text(seconds > 0 and r.allocated / seconds or 0),
           "allocation rate")
  put_tile(page, ("%d + %d"):format(sum_of(r.cycles, "majors"),
                                    sum_of(r.cycles, "minors")),
           "major and minor cycles")
  put(page, "</div>\n")
end

local function run_axis(r) return {from = 0, to = r.length, units = TIME} end

-- The time in the middle of interval i.
local function time_middle(r, i)
  return math.min((i - 0.5) * r.interval, r.length)
end

-- From the least to the most bytes in use, for each interval.
local function put_heap_band(page, chart, r)
  put(page, "<path class='fa pale' d='")
  for i, t in ipairs(r.times) do
    local from, to = (i - 1) * r.interval, i * r.interval
    if t.most ~= t.least then
      put_point(page, chart, "M", from, t.least)
      put_point(page, chart, "L", from, t.most)
      put_point(page, chart, "L", to, t.most)
      put_point(page, chart, "L", to, t.least)
      put(page, "z")
    end
  end
  put(page, "'/>\n")
end

-- Through the first and the last value of each interval. If there are too many
-- cycles for that, through the highest.
local function put_heap_line(page, chart, r)
  local many = count_cycles(r) * 4 > #r.times
  local command, quarter = "M", r.interval / 4
  put(page, "<path class=la d='")
  for i, t in ipairs(r.times) do
    local middle = time_middle(r, i)
    if t.most > 0 then
      put_point(page, chart, command, middle - quarter, many and t.most or t.first)
      put_point(page, chart, "L", middle + quarter, many and t.most or t.last)
      command = "L"
    end
  end
  put(page, "'/>\n")
end

-- In steps, because the goal changes at once.
local function put_goal_line(page, chart, r)
  local last
  put(page, "<path class=lb d='")
  for i, t in ipairs(r.times) do
    local x = time_middle(r, i)
    if t.most > 0 then
      if last then put_point(page, chart, "L", x, last) end
      put_point(page, chart, last and "L" or "M", x, t.goal)
      last = t.goal
    end
  end
  put(page, "'/>\n")
end

local function put_heap(page, r)
  local most = largest(r.times, 1, function(t) return math.max(t.most, t.goal) end)
  put_section(page, "Heap and goal",
              "Bytes in use, dead objects included until they are swept. A cycle of the " ..
              "collector should end before the heap reaches the goal.")
  put_legend(page, "fa", "heap, least to most")
  put_legend(page, "fb", "goal")
  put_chart(page, "Heap and goal over time", run_axis(r), axis_to(most, BYTES),
            function(page, chart)
    put_heap_band(page, chart, r)
    put_heap_line(page, chart, r)
    put_goal_line(page, chart, r)
  end)
end

-- -- Sections: rates over time -----------------------------------------------

local BARS = 128

-- The run in at most BARS bars, each of some intervals that follow each other.
local function bars_of(r)
  local step, bars = (#r.times + BARS - 1) // BARS, {}
  for i = 1, #r.times, math.max(1, step) do
    local times = table.move(r.times, i, math.min(i + step - 1, #r.times), 1, {})
    local from, width = (i - 1) * r.interval, step * r.interval
    bars[#bars + 1] = {from = from, to = from + width, times = times,
                       width = math.min(width, r.length - from)}
  end
  return bars
end

-- Bytes in a second.
local function allocation_rate(bar)
  return bar.width > 0 and sum_of(bar.times, "allocated") * 1e9 / bar.width or 0
end

local function waited_percent(bar)
  if bar.width <= 0 then return 0 end
  return math.min(100, 100 * sum_of(bar.times, "waited") / bar.width)
end

local function longest_wait(bar)
  return largest(bar.times, 0, function(t) return t.longest end)
end

-- A diagram of bars, whose height and text follow from a number.
local function put_bars(page, r, label, style, units, number, text)
  local bars = bars_of(r)
  local axis = axis_to(largest(bars, 1, number), units)
  if units == PERCENT then axis.to = math.min(100, axis.to) end
  put_chart(page, label, run_axis(r), axis, function(page, chart)
    for _, bar in ipairs(bars) do
      local n = number(bar)
      if n > 0 then put_bar(page, chart, style, bar.from, bar.to, 0, n, text(n)) end
    end
  end)
end

local function put_rates(page, r)
  put_section(page, "Allocation rate", "Every byte allocated costs the collector some work.")
  put_bars(page, r, "Bytes allocated per second, over time", "fc", RATE,
           allocation_rate, rate_text)
  put_section(page, "Time in the collector",
              "The part of the time that the program waited for steps and whole collections, " ..
              "without finalizers.")
  put_bars(page, r, "Share of the collector, over time", "fa", PERCENT, waited_percent,
           share_text)
end

-- -- Sections: pauses --------------------------------------------------------

-- Steps and whole collections side by side. Only steps have percentiles.
local function put_percentiles(page, r)
  local steps, whole = r.steps, r.collections
  put(page, "<table class=few id=pauses data-steps=%d data-total=%d>" ..
      "<tr><th><th>steps<th>whole collections\n", steps.count, steps.total)
  put(page, "<tr><td>how many<td>%s<td>%s\n", count_text(steps.count), count_text(whole.count))
  put(page, "<tr><td>all together<td>%s<td>%s\n", time_text(steps.total),
      time_text(whole.total))
  for _, percent in ipairs {50, 90, 99, 99.9} do
    put(page, "<tr><td>%s %% are shorter than<td>%s<td>\n", percent,
        time_text(percentile(r, percent)))
  end
  put(page, "<tr><td>longest<td>%s<td>%s\n</table>\n", time_text(steps.longest),
      time_text(whole.longest))
end

-- The longest wait for each cause that there was.
local function put_waits(page, r)
  put(page, "<table class=few id=waits><tr><th>the program waited for<th>longest\n")
  for _, wait in ipairs(r.waits) do
    if wait.longest > 0 then
      put(page, "<tr data-longest=%d><td>%s<td>%s\n", wait.longest, escape(wait.cause),
          time_text(wait.longest))
    end
  end
  put(page, "</table>\n")
end

local function put_durations(page, r)
  local list = r.durations
  local from = math.max(100, list[1].from)
  local x = {from = from, to = math.max(10 * from, list[#list].to),
             units = TIME, is_log = true}
  local most = largest(list, 1, function(bucket) return bucket.count end)
  put(page, "<p>How many steps took how long.</p>\n")
  put_chart(page, "Number of steps by duration", x, axis_to(most, COUNT), function(page, chart)
    for _, bucket in ipairs(list) do
      local begin = math.max(bucket.from, from)
      put_bar(page, chart, "fa", begin, bucket.to, 0, bucket.count,
              ("%s steps from %s to %s"):format(count_text(bucket.count),
              time_text(begin), time_text(bucket.to)))
    end
  end)
end

local function put_pauses(page, r)
  put_section(page, "Pauses",
              "How long the program waited for each step of the collector, in CPU time. Whole" ..
              " collections, which the program asked for or which ran because memory was " ..
              "short, are counted separately.")
  put_percentiles(page, r)
  put_waits(page, r)
  put(page, "<p>When the long ones were: the longest wait, whole collections included.</p>\n")
  put_bars(page, r, "Longest wait over time", "fb", TIME, longest_wait, time_text)
  if #r.durations > 0 then put_durations(page, r) end
end

-- -- Sections: utilization, survivors ----------------------------------------

local function utilization(window) return 100 - 100 * window.worst / window.length end

-- A line through all windows, and a mark for each that tells its figures.
local function put_windows(page, chart, windows)
  put(page, "<path class=la d='")
  for i, window in ipairs(windows) do
    put_point(page, chart, i == 1 and "M" or "L", window.length, utilization(window))
  end
  put(page, "'/>")
  for _, window in ipairs(windows) do
    local x, y = window.length, utilization(window)
    put_bar(page, chart, "fa", x * 0.94, x * 1.06, y - 1.5, y + 1.5,
            ("%.1f %% of %s"):format(y, time_text(x)))
  end
end

local function put_utilization(page, r)
  put_section(page, "Minimum mutator utilization",
              "Take a window of time of some length, and move it to the worst place of the " ..
              "run. This is the part of the window that the program had for itself. At the " ..
              "length of a frame, it tells whether frames are in time.")
  put_chart(page, "Minimum mutator utilization by window",
            {from = 1e5, to = 2e9, units = TIME, is_log = true},
            {from = 0, to = 100, units = PERCENT}, function(page, chart)
    put_windows(page, chart, r.windows)
  end)
end

local function cycle_mean(c, field) return c[field] / math.max(1, c.majors + c.minors) end

-- A group of cycles has a bar of what was in use when one began, on average,
-- and in front of it a bar of what survived.
local function put_cycle(page, chart, c)
  local high, low = cycle_mean(c, "before"), cycle_mean(c, "live")
  local half = (chart.x.to - chart.x.from) / 230
  local from, to = c.time - half, c.time + half
  if high > low then put_bar(page, chart, "fb pale", from, to, low, high, "freed") end
  put_bar(page, chart, c.majors > 0 and "fa" or "fd", from, to, 0, low,
          ("%d cycles: %s of %s survived"):format(c.majors + c.minors, bytes_text(low),
          bytes_text(math.max(high, low))))
end

local function put_survivors(page, r)
  local most = largest(r.cycles, 1, function(c)
    return math.max(cycle_mean(c, "before"), cycle_mean(c, "live"))
  end)
  put_section(page, "Survivors",
              "Each bar is a cycle, at the time when it ended, or the mean of some cycles " ..
              "that follow each other. It begins with the whole bar in use, and finds the " ..
              "full part alive.")
  put_legend(page, "fa", "survived a major cycle")
  put_legend(page, "fd", "survived a minor cycle")
  put_legend(page, "fb pale", "in use before, and dead")
  put_chart(page, "Survivors of each cycle", run_axis(r), axis_to(most, BYTES),
            function(page, chart)
    for _, cycle in ipairs(r.cycles) do put_cycle(page, chart, cycle) end
  end)
end

-- -- Sections: tables --------------------------------------------------------

-- Writes a table. A row has a name, some texts, and a bar for the part of a
-- whole that a field is.
local function put_table(page, head, rows, field, whole, texts)
  put(page, "<table id=%s<th class=bar>\n", head)
  for _, row in ipairs(rows) do
    local percent = whole > 0 and math.floor(100 * row[field] / whole + 0.5) or 0
    put(page, "<tr><td>%s<td>%s<td class=bar><div style='width:%d%%'></div>\n",
        escape(row.name), table.concat(texts(row), "<td>"), percent)
  end
  put(page, "</table>\n")
end

local function put_lines(page, r)
  local rows = r.allocating
  if r.sampled == 0 then return end
  put_section(page, "Lines that allocate most", "Estimates from one sample for each " ..
              bytes_text(r.sampled) ..
              ". What is in use is what the last cycle found alive.")
  local head = "lines data-bytes=" .. rows.sum ..
               " class=names><tr><th>line<th>bytes<th>objects<th>in use<th>share"
  put_table(page, head, rows, "bytes", rows.sum, function(row)
    local part = rows.sum > 0 and 100 * row.bytes / rows.sum or 0
    return {bytes_text(row.bytes), count_text(row.count), bytes_text(row.live),
            share_text(part)}
  end)
end

local function put_growing(page, r)
  local rows = r.growing
  if #rows == 0 then return end
  put_section(page, "Lines whose objects get more and more",
              "Major cycles found more bytes of these lines alive again and again. It may be " ..
              "a leak, or a structure that is being built. gc.why tells who keeps such an " ..
              "object.")
  put_table(page, "growing class=names><tr><th>line<th>grown by<th>in use", rows, "growth",
            rows[1].growth, function(row)
    return {bytes_text(row.growth), bytes_text(row.live)}
  end)
end

local function put_counts(page, rows, head)
  put_table(page, head .. "<th>objects<th>bytes", rows, "bytes", rows.sum, function(row)
    return {count_text(row.count), bytes_text(row.bytes)}
  end)
end

local function put_census(page, r)
  put_section(page, "What is held at the end",
              "All live objects when the report was written, after the program's own " ..
              "functions have returned: what globals, modules and the registry still hold.")
  put(page, "<div class=two><div>\n")
  put_counts(page, name_rows(r), "names><tr><th>name or class")
  put(page, "</div><div>\n")
  put_counts(page, census_rows(r, "type"), "types><tr><th>type")
  put(page, "</div></div>\n")
end

local function put_retained(page, r)
  if r.retained_sum == 0 then return end
  put_section(page, "What keeps most alive at the end",
              "If one of these objects were gone, so many bytes would be free.")
  put_table(page, "retained class=names><tr><th>path<th>keeps", first_rows(r.retained, "bytes"),
            "bytes", r.retained_sum, function(row) return {bytes_text(row.bytes)} end)
end

local function bytes_or_none(n) return n > 0 and bytes_text(n) or "none" end

local function put_settings(page, r)
  local s = r.settings
  put_section(page, "Settings", "At the end of the run.")
  put(page, "<table class=few id=settings>\n")
  for _, row in ipairs {
    {"mode", escape(s.mode)},
    {"running", s.stopped > 0 and "no: stopped by the program" or "yes"},
    {"pause", s.pause .. " %"},
    {"step multiplier", s.step_multiplier .. " %"},
    {"minor multiplier", s.minor_multiplier .. " %"},
    {"major multiplier", s.major_multiplier .. " %"},
    {"most finalizers after a step", s.finalizers},
    {"limit of memory (--max-memory)", bytes_or_none(s.limit)},
    {"soft target (gc.target)", bytes_or_none(s.target)},
    {"bound for steps in a frame (gc.frame)",
     s.frame > 0 and s.frame // 1000 .. " \u{b5}s" or "none"},
    {"version", escape(s.version)},
  } do
    put(page, "<tr><td>%s<td>%s\n", row[1], row[2])
  end
  put(page, "</table>\n")
end

-- -- The page ----------------------------------------------------------------

local STYLE = [[
:root{color-scheme:light dark;--ground:#fff;--ink:#1c2128;--soft:#5d6673;--line:#e2e6eb;
--card:#f6f8fa;--a:#2463c9;--b:#c2482d;--c:#1d8a5b;--d:#8256c4}
@media(prefers-color-scheme:dark){:root{--ground:#14181d;--ink:#e3e8ee;--soft:#98a3b0;
--line:#2c333c;--card:#1c2228;--a:#6ea3f5;--b:#ef8a6f;--c:#55c595;--d:#b595ee}}
*{box-sizing:border-box}body{background:var(--ground);color:var(--ink);
font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:990px;padding:28px 24px 60px}
h1{font-size:26px;margin:0;overflow-wrap:anywhere}h2{font-size:18px;margin:38px 0 4px}
p{margin:4px 0 10px;color:var(--soft);max-width:52em}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:10px;margin:20px 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;
padding:10px 14px;color:var(--soft);font-size:13px}.tile b{display:block;font-size:21px;
color:var(--ink);font-weight:600;font-variant-numeric:tabular-nums}ul{margin:8px 0;
padding:12px 16px 12px 34px;background:var(--card);border:1px solid var(--line);
border-left:4px solid var(--a);border-radius:8px}li{margin:3px 0}code{overflow-wrap:anywhere}
svg{width:100%;height:auto;display:block;margin-top:4px}svg.narrow{display:none}
svg text{fill:var(--soft);font-size:12px}.grid{stroke:var(--line);
fill:none}.axis{stroke:var(--soft);fill:none}.la{stroke:var(--a)}.lb{stroke:var(--b)}
.lc{stroke:var(--c)}.ld{stroke:var(--d)}.la,.lb,.lc,.ld{fill:none;stroke-width:1.6}
.lb{stroke-dasharray:6 4}.fa{fill:var(--a)}.fb{fill:var(--b)}.fc{fill:var(--c)}.fd{fill:var(--d)}
.pale{opacity:.22}.key{font-size:13px;color:var(--soft);margin-right:14px;white-space:nowrap}
.key i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;
vertical-align:-1px}i.fa{background:var(--a)}i.fb{background:var(--b)}i.fc{background:var(--c)}
i.fd{background:var(--d)}table{border-collapse:collapse;width:100%;margin:6px 0 14px;
font-variant-numeric:tabular-nums}.few{max-width:36em}th{text-align:right;font-weight:600;
color:var(--soft);font-size:13px;border-bottom:1px solid var(--line);padding:4px 8px}
td{text-align:right;padding:3px 8px;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere}
td:first-child{font-family:ui-monospace,monospace;font-size:13px}.few td:first-child{font:inherit}
.bar{width:130px;padding-right:0}.bar div{height:10px;border-radius:3px;background:var(--a);
min-width:1px}.two{display:grid;grid-template-columns:1fr 1fr;gap:28px}
@media(max-width:700px){body{padding:18px 16px 40px}.two{grid-template-columns:1fr;gap:0}
.tiles{grid-template-columns:1fr 1fr}svg.wide{display:none}svg.narrow{display:block}
.bar{display:none}th,td{padding:3px 4px}
.names,.names tbody{display:block}.names tr{display:flex;flex-wrap:wrap;
border-bottom:1px solid var(--line)}.names th,.names td{border:0;flex:1;min-width:0}
.names .bar{display:none}.names th:first-child,.names td:first-child{flex:0 0 100%}}
]]

local function put_head(page, r)
  local title = escape(r.title)
  put(page, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n" ..
      "<meta name=viewport content='width=device-width,initial-scale=1'>\n" ..
      "<title>%s \u{2013} collector report</title>\n<style>%s</style></head><body>\n", title, STYLE:gsub("\n", ""))
  -- A name that is too long for a line is broken between folders.
  put(page, "<h1>%s</h1>\n<p>What the collector did, and why.</p>\n", (title:gsub("/", "/<wbr>")))
end

-- The page of a report, from its JSON to HTML. An error says what is wrong.
local function html(text)
  if type(text) ~= "string" then error("the text of a report is needed", 2) end
  local r, page = read_report(text), {}
  local lines = join_rows(r.lines)
  r.growing = growing_rows(lines)
  r.allocating = first_rows(lines, "bytes")
  for _, part in ipairs {put_head, put_tiles, put_advice, put_heap, put_rates,
                         put_pauses, put_utilization, put_survivors, put_lines,
                         put_growing, put_census, put_retained, put_settings} do
    part(page, r)
  end
  put(page, "</body></html>\n")
  return table.concat(page)
end

-- -- Files -------------------------------------------------------------------

local function open(name, mode)
  local file, message = io.open(name, mode)
  return file or error(message, 0)
end

-- Writes the page of a report to a file, or to the standard output.
local function save(text, name)
  local page = html(text)
  local file = name and open(name, "wb") or io.stdout
  local ok = file:write(page)
  ok = (name and file:close() or file:flush()) and ok
  if not ok then error((name or "stdout") .. ": cannot write the report", 0) end
end

-- Writes the page of the report in a file to the standard output.
local function convert(name)
  local file <close> = open(name, "rb")
  local ok, message = pcall(save, file:read("a") or "")
  if not ok then error(name .. ": " .. message, 0) end
end

return {html = html, save = save, convert = convert}
