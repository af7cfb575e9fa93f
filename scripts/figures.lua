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
  io.stderr:write("usage: figures.lua <report.html> <section> <number> " ..
                  "<heading> <file.svg>\n")
  os.exit(2)
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
for diagram in page:sub(from, to):gmatch("<svg.-</svg>") do
  diagrams[#diagrams + 1] = diagram
end
local diagram = assert(diagrams[tonumber(number)], "no such diagram")
local width, height = diagram:match("viewBox='0 0 (%d+) (%d+)'")

-- Attributes without quotes are HTML, not XML.
local body = diagram:gsub("^<svg[^>]*>", ""):gsub("</svg>$", "")
body = body:gsub("<%a[^<>]*>", function(tag)
  return (tag:gsub("([%a-]+)=([%a]+)", '%1="%2"'))
end)

-- Only what diagrams use of the page's style.
local rules = {}
for rule in style:gmatch(":root{[^}]*}") do rules[#rules + 1] = rule end
local dark = "@media(prefers-color-scheme:dark){" .. rules[2] .. "}"
local used = {}
for selector, rule in style:gmatch("([^{}]+)({[^{}]*})") do
  if selector:find("^svg text") or selector:find("^%.grid") or
     selector:find("^%.axis") or selector:find("^%.[lf][abcd]") or
     selector:find("^%.pale") then
    used[#used + 1] = selector:gsub("^svg ", "") .. rule
  end
end

local out <close> = assert(io.open(name, "w"))
assert(out:write(([[
<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 -36 %d %d" font-family="Helvetica, Arial, sans-serif">
<style>%s%s%stext.head{fill:var(--ink);font-size:16px;font-weight:bold}</style>
<rect y="-36" width="100%%" height="100%%" style="fill:var(--ground)"/>
<text class="head" x="14" y="-14">%s</text>
%s</svg>
]]):format(width, height + 36, width, height + 36, rules[1], dark,
           table.concat(used), heading, body)))
