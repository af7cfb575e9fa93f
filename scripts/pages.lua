-- SPDX-License-Identifier: MIT
--
-- pages.lua -- checks the pages of the documentation
--
-- A page begins with its title and a sentence that says what it is about.  One
-- with four sections or more has a list of them, which this script writes; the
-- README does without, because its first screen has other things to say.
-- Lines have at most 120 columns; rows of tables and lines of code may be
-- longer, because Markdown cannot break them.  Links lead to files and
-- headings that exist.
--
-- A number that is a constant of the code names it in a comment behind it:
--
--     A step does at most 8192<!--STEP_UNITS--> units.
--     Chunks have up to 128 KB<!--RELEASE_PIECE / 1024-->.
--
-- The comment is an expression of constants in src/; where two files have a
-- constant of that name, the file comes first: step.c:STEP_UNITS.
--
-- A measured number names the cell of the table that it comes from, or a text
-- with one capture.  It may be rounded, and the table may be on another page:
--
--     3.0<!--cell: performance.md#latest-figures | geometric mean | luajit--> times
--     0.51 ms<!--cell: pauses.md#all-runs | max | penumbra-inc, penumbra-gen-->
--     18<!--text: operations.md | (%d+) of 1128 operations--> operations
--
-- In a row of a table, `\|` stands for `|`, which would end the cell.
--
-- A row is named by its first cell, or its first cells with " & " between them;
-- `max` and `min` are those of the columns, and `rows` is the number of rows.  Of
-- several columns, separated by commas, a `;` stands for a comma in a name.  A
-- fourth part is an expression of x, such as `x - 1`.
--
-- A page with measured figures says on which machine, and when: a table with
-- `lua5.4` in its head needs a date in its section, or in the one around it.
--
-- A list that is made from the code stands between two marks, and this script
-- writes it:
--
--     <!-- list: instructions -->
--     <!-- end of list -->

local USAGE = [[
usage: penumbra scripts/pages.lua [--write] ROOT PAGE...

Checks pages of the documentation; --write renews their lists of sections and
what they list of the code.
]]

local COLUMNS = 120
local SECTIONS = 4      -- from here on a page has a list of them
local BEGIN, END = "<!-- contents -->", "<!-- end of contents -->"

local problems = 0

local function complain(page, line, message, ...)
  problems = problems + 1
  print(("%s:%d: " .. message):format(page, line, ...))
end

-- -- Files -------------------------------------------------------------------

local function read_all(name)
  local file = io.open(name, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local function lines_of(text)
  local lines = {}
  for line in (text .. (text:find "\n$" and "" or "\n")):gmatch "(.-)\n" do
    lines[#lines + 1] = line
  end
  return lines
end

local function folder_of(path) return path:match "^(.*)/[^/]*$" or "." end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

-- Calls visit(line, number, is_code) for each line; fences and indented
-- lines are code.
local function each_line(lines, visit)
  local fenced = false
  for i, line in ipairs(lines) do
    local fence = line:find "^%s*```" ~= nil
    visit(line, i, fenced or fence or line:find "^    " ~= nil)
    if fence then fenced = not fenced end
  end
end

-- -- Sections ----------------------------------------------------------------

-- The address that GitHub and MkDocs give to a heading.
local function anchor_of(heading)
  local text = heading:gsub("`", ""):gsub("%[(.-)%]%(.-%)", "%1"):lower()
  return (text:gsub("[^%w%s_-]", ""):gsub("%s", "-"))
end

local function headings_of(lines)
  local headings = {}
  each_line(lines, function(line, _, is_code)
    local level, text = line:match "^(#+)%s+(.*)$"
    if level and not is_code then
      headings[#headings + 1] = { level = #level, text = text,
                                  anchor = anchor_of(text) }
    end
  end)
  return headings
end

-- The list of sections that a page should have, or nil.
local function contents_of(lines)
  local items = {}
  for _, heading in ipairs(headings_of(lines)) do
    if heading.level == 2 then
      items[#items + 1] = ("- [%s](#%s)"):format(heading.text, heading.anchor)
    end
  end
  if #items < SECTIONS then return nil end
  return BEGIN .. "\n" .. table.concat(items, "\n") .. "\n" .. END
end

-- The list that it has: where it begins and ends in the text.
local function find_contents(text)
  local first = text:find(BEGIN, 1, true)
  local _, last = text:find(END, first or 1, true)
  return first, last
end

-- Puts the list in front of the first section, or in place of the old one.
local function with_contents(text, contents)
  local first, last = find_contents(text)
  if first and last then
    return text:sub(1, first - 1) .. contents .. text:sub(last + 1)
  end
  local place = assert(text:find "\n## ")
  return text:sub(1, place) .. contents .. "\n\n" .. text:sub(place + 1)
end

local function check_contents(page, text, contents)
  local first, last = find_contents(text)
  if first and text:sub(first, last) ~= contents then
    complain(page, 1, "its list of sections is not that of its headings: "
             .. "run scripts/pages.lua --write")
  elseif contents and not first then
    complain(page, 1, "has %d sections or more and no list of them", SECTIONS)
  end
end

local describe = require "penumbra.describe"

-- -- Lists of the code -------------------------------------------------------

local lists = {}        -- name -> function(root) that returns the list

-- What follows the first half of a pair.
local LINKS = {LEFT = "%s _ A _", RIGHT = "%s _ _ A", VALUE = "%s _ _ A",
               TABLE = "%s A", ANY = "%s", APPEND = "%s A A 1, SETTABLE B A"}

-- What else an instruction may do, in words.
local TRAITS = {MAY_RAISE = "raise", MAY_ALLOCATE = "allocate",
                MAY_CALL = "call"}

-- Every row of opcodes.def, a table for each of its sections.
function lists.instructions(root)
  local out, layouts = {}, {}
  local function add(name, layout, may, meaning)
    layouts[name] = layout
    out[#out + 1] = ("| `%s` | %s | %s | `%s` |"):format(
      name, layout, may, (meaning:gsub("|", "\\|")))
  end
  local text = io.open(root .. "/src/bytecode/opcodes.def"):read "a"
  for line in text:gsub(",\n +", ", "):gmatch "[^\n]+" do
    local section = line:match "^/%* %-%- (.-) %-+ %*/$"
    local name, format, operands, event, traits, meaning = line:match
      '^OP%(([%w_]+), (%w+), ([%l_]+), %u+, (%u+), ([%u_ |]+), "(.-)"%)'
    local pair, first, second, link =
      line:match "^PAIR%(([%w_]+), ([%w_]+), ([%w_]+), (%u+)%)"
    if section then
      out[#out + 1] = ("\n### %s\n\n| instruction | layout, operands | may | "
                       .. "meaning |\n|---|---|---|---|"):format(section)
    elseif name then
      local may = TRAITS[traits:match "^[%u_]+"] or ""
      if event ~= "NONE" then may = may .. " `__" .. event:lower() .. "`" end
      add(name, format .. " `" .. operands .. "`", may, meaning)
    elseif pair then
      add(pair, layouts[first], "call",
          first .. "; " .. LINKS[link]:format(second) .. " follows")
    end
  end
  return table.concat(out, "\n") .. "\n"
end

local LIBRARIES = {
  {"Basic functions", "", _G}, {"Modules", "package.", package},
  {"Coroutines", "coroutine.", coroutine}, {"Strings", "string.", string},
  {"UTF-8", "utf8.", utf8}, {"Tables", "table.", table},
  {"Mathematics", "math.", math}, {"Input and output", "io.", io},
  {"Files", "file:", getmetatable(io.stdout).__index},
  {"The system", "os.", os}, {"Debugging", "debug.", debug},
}

-- "s: string, i: integer, optional".
local function parameter_list(f)
  local out = {}
  for _, p in ipairs(describe.parameters(f)) do
    if p.name ~= "..." or p.type ~= "any" then
      out[#out + 1] = ("`%s`: %s%s"):format(
        p.name, p.type, p.optional and p.name ~= "..." and ", optional" or "")
    end
  end
  return table.concat(out, "; ")
end

-- Every function of the standard libraries, as it is declared.
function lists.functions()
  local out = {}
  for _, library in ipairs(LIBRARIES) do
    local title, prefix, functions = table.unpack(library)
    local rows = {}
    for _, f in pairs(functions) do
      local text = type(f) == "function" and describe.signature(f)
      if text and text:sub(1, #prefix) == prefix then
        rows[#rows + 1] = ("| `%s` | %s |"):format(text, parameter_list(f))
      end
    end
    table.sort(rows)
    out[#out + 1] = ("\n## %s\n\n| function | arguments |\n|---|---|\n%s\n")
      :format(title, table.concat(rows, "\n"))
  end
  return table.concat(out)
end

local LIST = "(<!%-%- list: (%w+) %-%->\n)(.-)(<!%-%- end of list %-%->)"

-- The page with its lists as they should be.
local function with_lists(root, text)
  return (text:gsub(LIST, function(first, name, _, last)
    local list = assert(lists[name], "no list is called " .. name)
    return first .. list(root) .. "\n" .. last
  end))
end

local function check_lists(page, root, text)
  if with_lists(root, text) ~= text then
    complain(page, 1, "a list is not that of the code: "
             .. "run scripts/pages.lua --write")
  end
end

-- -- Lines -------------------------------------------------------------------

local function check_beginning(page, lines)
  if not (lines[1] or ""):find "^# %S" then
    complain(page, 1, "does not begin with a title")
  end
  local lead = 2
  while lines[lead] == "" do lead = lead + 1 end
  if not (lines[lead] or ""):find "^[%a`*%[]" then
    complain(page, lead, "no sentence under the title says what this is about")
  end
end

local function check_columns(page, lines)
  each_line(lines, function(line, number, is_code)
    local width = utf8.len((line:gsub("<!%-%-.-%-%->", ""))) or #line
    if width > COLUMNS and not is_code and not line:find "^|"
       and not line:find "^!?%[[^%]]*%]%([^)]*%)$" then
      complain(page, number, "%d columns, more than %d", width, COLUMNS)
    end
  end)
end

-- -- Links -------------------------------------------------------------------

local anchors = {}      -- page -> set of anchors

local function anchors_of(path)
  if not anchors[path] then
    local set = {}
    for _, heading in ipairs(headings_of(lines_of(read_all(path) or ""))) do
      set[heading.anchor] = true
    end
    anchors[path] = set
  end
  return anchors[path]
end

local function check_link(page, number, target)
  if target:find "^%a+:" then return end
  local path, anchor = target:match "^([^#]*)#?(.*)$"
  local file = path == "" and page or folder_of(page) .. "/" .. path
  if not exists(file) then
    complain(page, number, "a link to %s, which is not there", path)
  elseif anchor ~= "" and file:find "%.md$" and not anchors_of(file)[anchor]
  then
    complain(page, number, "a link to %s, which has no heading #%s",
             path == "" and "itself" or path, anchor)
  end
end

local function check_links(page, lines)
  each_line(lines, function(line, number, is_code)
    if is_code then return end
    for target in line:gsub("`[^`]*`", ""):gmatch "%]%(([^)%s]+)%)" do
      check_link(page, number, target)
    end
  end)
end

-- -- Numbers -----------------------------------------------------------------

local definitions = {}  -- name -> list of { file =, expression = }

local function add_definition(name, expression, file)
  local known = definitions[name] or {}
  definitions[name] = known
  known[#known + 1] = { file = file, expression = expression }
end

local function read_definitions(root)
  local list <close> = assert(io.popen(
    ("find '%s/src' '%s/include' -name '*.[ch]'"):format(root, root)))
  for path in list:lines() do
    local text = read_all(path):gsub("/%*.-%*/", " ")
    local file = path:match "[^/]*$"
    for name, value in text:gmatch "%f[%w_]([A-Z][A-Z0-9_]+)%s*=%s*([^,;{}=]+)"
    do
      add_definition(name, value, file)
    end
    for name, value in text:gmatch "#define[ \t]+([A-Z][A-Z0-9_]+)[ \t]+([^\n]+)"
    do
      add_definition(name, value, file)
    end
  end
end

local value_of

-- The value of an expression in C of numbers and constants, or nil and why.
local function evaluate(expression, depth)
  if depth > 8 then return nil, "too deep" end
  local reason
  local text = expression:gsub("([%w_]+%.[ch]:)([%a_][%w_]*)", "%2@%1")
  text = text:gsub("%f[%w_]([%a_][%w_]*)(@?[%w_.]*:?)", function(name, file)
    if name:find "^[xXuUlLeE]" and #name <= 3 then return name end
    local value, why = value_of(name, file:match "@(.*):", depth + 1)
    if not value then reason = reason or why end
    return tostring(value or 0)
  end)
  text = text:gsub("%f[%w](0?[xX]?%x+)[uUlL]+%f[^%w]", "%1")
  if reason then return nil, reason end
  local chunk = load("return " .. text, "=number", "t", {})
  local ok, value = pcall(chunk or error)
  if ok and type(value) == "number" then return value end
  return nil, "cannot evaluate " .. expression
end

function value_of(name, file, depth)
  local found, why
  for _, definition in ipairs(definitions[name] or {}) do
    if not file or definition.file == file then
      local value, reason = evaluate(definition.expression, depth)
      if found and value and value ~= found then
        return nil, name .. " has several values: name its file"
      end
      found, why = value or found, reason or why
    end
  end
  return found, why or ("no constant is called " .. name)
end

local function check_number(page, number, written, expression)
  local value, why = evaluate(expression, 0)
  if not value then
    complain(page, number, "%s: %s", expression, why)
  elseif tonumber((written:gsub(",", ""))) ~= value then
    complain(page, number, "says %s where %s is %s", written, expression, value)
  end
end

local function check_numbers(page, lines)
  for number, line in ipairs(lines) do
    for before, expression in line:gmatch "([^<]*)<!%-%-([A-Za-z_0-9.:*/+() -]-)%-%->" do
      if expression:find "%u%u" then
        local written = before:match "(%d[%d,.]*)%s?[%a%%µ]*$"
        if written then
          check_number(page, number, written, expression)
        else
          complain(page, number, "no number in front of %s", expression)
        end
      end
    end
  end
end

-- -- Measured numbers --------------------------------------------------------

-- The lines of a page from a heading to the next one of its level; all without
-- an anchor.  nil if there is no such heading.
local function section_of(path, anchor)
  local lines = lines_of(read_all(path) or "")
  if anchor == "" then return lines end
  local found, level = nil, 0
  for _, line in ipairs(lines) do
    local marks, text = line:match "^(#+)%s+(.*)$"
    if found and marks and #marks <= level then break end
    if found then
      found[#found + 1] = line
    elseif marks and anchor_of(text) == anchor then
      found, level = {}, #marks
    end
  end
  return found
end

local function cells_of(line)
  local cells = {}
  for cell in line:gsub("<!%-%-.-%-%->", ""):gsub("\\|", "/"):gmatch "|([^|]*)" do
    cells[#cells + 1] = cell:gsub("[`*]", ""):match "^%s*(.-)%s*$"
  end
  cells[#cells] = nil -- behind the last bar
  return cells
end

-- The tables of some lines: {head = cells, rows = {cells, ...}}.
local function tables_of(lines)
  local tables, open = {}, nil
  for _, line in ipairs(lines) do
    if not line:find "^|" then
      open = nil
    elseif not open then
      open = { head = cells_of(line), rows = {} }
      tables[#tables + 1] = open
    elseif not line:find "^|[%s:|-]*$" then
      open.rows[#open.rows + 1] = cells_of(line)
    end
  end
  return tables
end

local function number_in(text)
  local digits = (text or ""):match "%-?%d[%d,.]*"
  return digits and tonumber((digits:gsub(",", ""):gsub("%.$", "")))
end

local function is_row(cells, names)
  for i, name in ipairs(names) do
    if cells[i] ~= name then return false end
  end
  return true
end

local function split(text, separator)
  local parts = {}
  for part in (text .. separator):gmatch("(.-)" .. separator) do
    parts[#parts + 1] = part:match "^%s*(.-)%s*$"
  end
  return parts
end

local function column_of(t, name)
  for i, head in ipairs(t.head) do
    if head == name then return i end
  end
end

-- All numbers of a column in the rows that have this name.
local function numbers_of(t, column, row)
  local found = {}
  local any = row == "max" or row == "min"
  for _, cells in ipairs(t.rows) do
    local n = (any or is_row(cells, split(row, "&"))) and number_in(cells[column])
    found[#found + 1] = n or nil
  end
  return found
end

-- The value of a reference to a cell, or nil and why.
local function cell_value(lines, row, columns)
  local found = {}
  for _, t in ipairs(tables_of(lines)) do
    for _, name in ipairs(split(columns, ",")) do
      local column = column_of(t, (name:gsub(";", ",")))
      if column and row == "rows" then found[1] = found[1] or #t.rows end
      if column then
        table.move(numbers_of(t, column, row), 1, #t.rows, #found + 1, found)
      end
    end
  end
  if #found == 0 then return nil, "there is no such cell" end
  if row == "max" then return math.max(table.unpack(found)) end
  if row == "min" then return math.min(table.unpack(found)) end
  for _, n in ipairs(found) do
    if n ~= found[1] then return nil, "there are several such cells" end
  end
  return found[1]
end

local function text_value(lines, pattern)
  local digits = table.concat(lines, "\n"):match(pattern)
  if not digits then return nil, "there is no such text" end
  return number_in(digits)
end

-- The value that a comment refers to, or nil and why.
local function measured_value(page, kind, parts)
  local path, anchor = parts[1]:match "^([^#]*)#?(.*)$"
  local file = path == "" and page or folder_of(page) .. "/" .. path
  local lines = section_of(file, anchor)
  if not exists(file) or not lines then return nil, "there is no such section" end
  if kind == "text" then return text_value(lines, parts[2]) end
  local value, why = cell_value(lines, parts[2] or "", parts[3] or "")
  if not value or not parts[4] then return value, why end
  local chunk = load("local x = ... return " .. parts[4], "=part", "t", {})
  return chunk and chunk(value), "the last part is not an expression"
end

-- True if `written` is the value, rounded to as many digits.
local function is_rounded(written, value)
  local digits = written:gsub(",", "")
  local places = #(digits:match "%.(%d*)$" or "")
  return math.abs(tonumber(digits) - value) <= 0.5 * 10 ^ -places + 1e-9
end

local function check_measured(page, lines)
  for number, line in ipairs(lines) do
    for before, kind, reference in
        line:gmatch "([^>]*)<!%-%-(%l+): (.-)%-%->" do
      if kind == "cell" or kind == "text" then
        local written = before:match "(%d[%d,.]*)%s?[%a%%µ]*$"
        if line:find "^|" and reference:find "[^\\]|" then
          complain(page, number, "%s: in a table, write \\| for |", reference)
        end
        reference = reference:gsub("\\|", "|")
        local value, why = measured_value(page, kind, split(reference, "|"))
        if not written or not value then
          complain(page, number, "%s: %s", reference, why or "no number before it")
        elseif not is_rounded(written, value) then
          complain(page, number, "says %s where %s has %s", written, reference, value)
        end
      end
    end
  end
end

-- -- Machine and day ---------------------------------------------------------

-- Calls visit(line, number, sections) with the sections that a line is in,
-- outermost first; a section is a table with its own lines.
local function each_in_sections(lines, visit)
  local open = { { level = 0, lines = {} } }
  each_line(lines, function(line, number, is_code)
    local marks = not is_code and line:match "^(#+)%s"
    if marks then
      while #open > 1 and open[#open].level >= #marks do table.remove(open) end
      open[#open + 1] = { level = #marks, lines = {} }
    end
    local own = open[#open].lines
    own[#own + 1] = line
    visit(line, number, open)
  end)
end

local MONTHS = "January February March April May June July August September "
               .. "October November December"

-- True if the text has a date: 2026-11-18, or 18 November 2026.
local function has_day(text)
  if text:find "%d%d%d%d%-%d%d%-%d%d" then return true end
  for word in text:gmatch "%d+ (%u%l+) %d%d%d%d" do
    if MONTHS:find(word, 1, true) then return true end
  end
  return false
end

local function check_days(page, lines)
  local tables = {}
  each_in_sections(lines, function(line, number, open)
    if not line:find "^|.*lua5%.4" or not (lines[number + 1] or ""):find "^|[%s:|-]*%-:"
    then return end
    tables[#tables + 1] = { number = number, table.unpack(open) }
  end)
  for _, t in ipairs(tables) do
    local dated = false
    for _, section in ipairs(t) do
      dated = dated or has_day(table.concat(section.lines, "\n"))
    end
    if not dated then
      complain(page, t.number, "no section around this table has a date")
    end
  end
end

-- -- All of it ---------------------------------------------------------------

local function write_page(root, name, text, contents)
  local new = with_lists(root, text)
  if contents then new = with_contents(new, contents) end
  if new ~= text then
    local file <close> = assert(io.open(name, "wb"))
    assert(file:write(new))
  end
  return new
end

local function check_page(root, page, write)
  local name = root .. "/" .. page
  local text = read_all(name)
  if not text then return complain(page, 0, "cannot read it") end
  local contents = page ~= "README.md" and contents_of(lines_of(text)) or nil
  if write then text = write_page(root, name, text, contents) end
  local lines = lines_of(text)
  check_beginning(name, lines)
  check_contents(name, text, contents)
  check_lists(name, root, text)
  check_columns(name, lines)
  check_links(name, lines)
  check_numbers(name, lines)
  check_measured(name, lines)
  check_days(name, lines)
end

local write = arg[1] == "--write" and table.remove(arg, 1)
local root = table.remove(arg, 1)
if not root or #arg == 0 then
  if root == "--help" then
    io.write(USAGE)
    os.exit(true)
  end
  io.stderr:write("pages.lua: arguments are missing (try 'penumbra scripts/pages.lua --help')\n")
  os.exit(2)
end
if root:find("^%-") then
  io.stderr:write(("pages.lua: unrecognized option '%s' (try 'penumbra scripts/pages.lua --help')\n"):format(root))
  os.exit(2)
end
read_definitions(root)
for _, page in ipairs(arg) do check_page(root, page, write) end
print(("%d pages, %d problems"):format(#arg, problems))
os.exit(problems == 0)
