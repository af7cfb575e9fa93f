-- SPDX-License-Identifier: MIT
--
-- figures.lua -- takes a diagram out of a page of penumbra --report
--
--    penumbra figures.lua <report.html> <section> <number> <heading> <file.svg>
--
-- The number counts the diagrams of the section from 1. The heading is written
-- above the diagram. docs/report.md shows how the figures of the pages are made.

local report, section, number, heading, name = table.unpack(arg)
if not name then
  local is_help = report == "--help"
  local text = is_help and
    "usage: figures.lua <report.html> <section> <number> <heading> <file.svg>\n" or
    "figures.lua: arguments are missing (try 'figures.lua --help')\n"
  (is_help and io.stdout or io.stderr):write(text)
  os.exit(is_help and 0 or 2)
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local page = read(report)
local style = assert(page:match("<style>(.-)</style>"), "no style")
local from = assert(page:find("<h2>" .. section .. "</h2>", 1, true),
                    "no section " .. section)
local to = page:find("<h2>", from + 4, true) or #page
local diagrams = {}
for diagram in page:sub(from, to):gmatch("<svg class=wide.-</svg>") do
  diagrams[#diagrams + 1] = diagram
end
local diagram = assert(diagrams[tonumber(number)], "no such diagram")
local width, height = diagram:match("viewBox='0 0 (%d+) (%d+)'")

-- The colors of the page on light ground, by name. What draws SVG outside of a
-- browser knows no variables, often no style: so each element has its own.
local colors = {}
for color, value in style:match(":root{(.-)}"):gmatch("%-%-(%a+):(#%x+)") do
  colors[color] = value
end
local LOOKS = {
  grid = 'fill="none" stroke="{line}"', axis = 'fill="none" stroke="{soft}"',
  la = 'fill="none" stroke="{a}" stroke-width="1.6"',
  lb = 'fill="none" stroke="{b}" stroke-width="1.6" stroke-dasharray="6 4"',
  lc = 'fill="none" stroke="{c}" stroke-width="1.6"',
  ld = 'fill="none" stroke="{d}" stroke-width="1.6"',
  fa = 'fill="{a}"', fb = 'fill="{b}"', fc = 'fill="{c}"', fd = 'fill="{d}"',
  pale = 'opacity="0.22"',
}

local function colored(text)
  return (text:gsub("{(%a+)}", function(name) return assert(colors[name], name) end))
end

local function looks(classes)
  local list = {}
  for class in classes:gmatch("%a+") do list[#list + 1] = assert(LOOKS[class], class) end
  return colored(table.concat(list, " "))
end

-- Attributes without quotes are HTML, not XML.
local body = diagram:gsub("^<svg[^>]*>", ""):gsub("</svg>$", "")
body = body:gsub("class='([%a ]+)'", looks):gsub("class=(%a+)", looks)
body = body:gsub("<%a[^<>]*>", function(tag)
  return (tag:gsub("([%a-]+)=([%a]+)", '%1="%2"'))
end)
body = body:gsub("<text ", colored '<text font-size="12" fill="{soft}" ')

local out <close> = assert(io.open(name, "w"))
assert(out:write(colored(([[
<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 -36 %d %d" font-family="Helvetica, Arial, sans-serif">
<rect y="-36" width="100%%" height="100%%" fill="{ground}"/>
<text font-size="16" font-weight="bold" fill="{ink}" x="14" y="-14">%s</text>
]]):format(width, height + 36, width, height + 36, heading)), body, "</svg>\n"))
