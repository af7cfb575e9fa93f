-- SPDX-License-Identifier: MIT
--
-- figures.lua -- figures of the documentation are drawn alike everywhere
--
--    penumbra figures.lua <penumbra> <scripts/figures.lua> <folder to write to>
--                         <figure.svg>...
--
-- They have no variables, no style and nothing from elsewhere, because programs
-- that are not browsers draw them, too. No label covers another.

local penumbra, script, folder = table.unpack(arg)
local LETTER = 0.5      -- width of a letter as a part of its size: rather too little

local function read(name)
  local file <close> = assert(io.open(name))
  return file:read("a")
end

-- Where a label is: left, right, top, bottom; and its text.
local function box(attributes, text)
  local function number(name) return tonumber(attributes:match(name .. "=['\"]([%d.-]+)")) end
  local x, y, size = number " x", number " y", number "font%-size"
  local anchor = attributes:match("text%-anchor=['\"](%a+)") or "start"
  local width = LETTER * size * utf8.len((text:gsub("&[^;]+;", "x")))
  local left = x - (anchor == "end" and width or anchor == "middle" and width / 2 or 0)
  return {left = left, right = left + width, top = y - 0.75 * size, bottom = y, text = text}
end

local function labels(svg)
  local list = {}
  for attributes, text in svg:gmatch("<text([^>]*)>([^<]+)</text>") do
    if text:find("%S") and attributes:find(" x=") then list[#list + 1] = box(attributes, text) end
  end
  return list
end

local function touch(a, b)
  return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom
end

-- What is wrong with a figure, or nil.
local function problem(svg)
  if not svg:find("^<[?s]") or not svg:find("</svg>%s*$") then return "no SVG" end
  for _, word in ipairs {"var%(", "<style", "class=", "@import", "<script", "href=['\"]http"} do
    local found = svg:match(word)
    if found then return "has " .. found end
  end
  local list = labels(svg)
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      if touch(a, list[j]) then return ("%q covers %q"):format(a.text, list[j].text) end
    end
  end
end

-- What gnuplot has drawn places its labels in another way and brings a style.
local function check(name)
  local svg = read(name)
  if svg:find("<!DOCTYPE", 1, true) or svg:find("Gnuplot", 1, true) then
    assert(not svg:find("var(", 1, true), name)
    return 0
  end
  local found = problem(svg)
  if found then error(name .. ": " .. found, 0) end
  return #labels(svg)
end

-- The check notices what it is for.
local function figure(inside) return "<svg xmlns='x'>" .. inside .. "</svg>\n" end
local one = "<text x='10' y='20' font-size='12'>first</text>"
assert(not problem(figure(one)))
assert(problem(figure("<path style='fill:var(--a)'/>")) == "has var(")
assert(problem(figure("<style>a{}</style>")) == "has <style")
assert(problem(figure(one .. one)) == '"first" covers "first"')
assert(problem(figure(one .. one:gsub("x='10'", "x='30'"))))
assert(not problem(figure(one .. one:gsub("x='10'", "x='60'"))))
assert(not problem(figure(one .. one:gsub("y='20'", "y='34'"))))
assert(problem(figure(one .. one:gsub("x='10'", "x='60' text-anchor='end'"))))

local count = 0
for i = 4, #arg do count = count + check(arg[i]) end
assert(#arg - 3 < 5 or count > 100, "figures have no labels")

-- Diagrams of a report.
local page, svg = folder .. "/figures.html", folder .. "/figures.svg"
local program = "for i = 1, 300000 do x = {i} end"
assert(os.execute(("'%s' --report '%s' -e '%s'"):format(penumbra, page, program)))
for _, diagram in ipairs {{"Heap and goal", 1}, {"Allocation rate", 1}, {"Pauses", 1},
                          {"Pauses", 2}, {"Minimum mutator utilization", 1},
                          {"Survivors", 1}} do
  assert(os.execute(("'%s' '%s' '%s' '%s' %d 'A title' '%s'"):format(
    penumbra, script, page, diagram[1], diagram[2], svg)))
  assert(check(svg) > 3)
end
os.remove(page)
os.remove(svg)
print "ok"
