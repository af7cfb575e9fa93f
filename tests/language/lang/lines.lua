-- SPDX-License-Identifier: MIT
-- Lines of files are read in pieces.  Any length, zeros, and a missing end must
-- not matter.

local name = os.tmpname()

-- The lines of a text, found by other means.
local function lines_of(text, keep_end)
  local list, from = {}, 1
  while from <= #text do
    local at = text:find("\n", from, true)
    local last = not at and #text or keep_end and at or at - 1
    list[#list + 1] = text:sub(from, last)
    from = (at or #text) + 1
  end
  return list
end

local checked = 0
local function check(text)
  local f = assert(io.open(name, "wb"))
  f:write(text)
  f:close()
  for _, format in ipairs { "l", "L" } do
    local want, n = lines_of(text, format == "L"), 0
    for line in io.lines(name, format) do
      n = n + 1
      if line ~= want[n] then
        error(("line %d is %q and not %q"):format(n, line, want[n]))
      end
    end
    if n ~= #want then error(("%d lines and not %d"):format(n, #want)) end
  end
  checked = checked + 1
end

-- Lengths around the sizes of pieces: 128 and then 1024.
local lengths = {}
for _, about in ipairs { 3, 127, 128 + 1023, 128 + 2 * 1023 } do
  for n = about - 3, about + 3 do lengths[#lengths + 1] = n end
end
for _, n in ipairs(lengths) do
  for _, c in ipairs { "x", "\0", "\r" } do
    local text = c:rep(n)
    check(text)
    check(text .. "\n")
    check(text .. "\n\n")
    check(text .. "\n" .. c)
    check("\n" .. text)
    check(text .. "\0\n")
    check("\0" .. text .. "\n\0")
  end
end
print(checked)                                    --> 588

-- Random texts, with short lines and with long ones.
math.randomseed(20261118)
for _, often in ipairs { 4, 50, 1500 } do
  for i = 1, 100 do
    local t = {}
    for j = 1, math.random(0, 3000) do
      t[j] = math.random(often) == 1 and "\n" or
        math.random(3) == 1 and "\0" or "x"
    end
    check(table.concat(t))
  end
end
print(checked)                                    --> 888

-- The end is forgotten before the next read.
local f = io.open(name, "wb")
f:write("one\ntwo")
f:close()
f = io.open(name)
print(f:read(), f:read(), f:read())               --> one two nil
local g = io.open(name, "ab")
g:write("\nthree\n")
g:close()
print(f:read() == "", f:read(), f:read())         --> true three nil
f:close()
os.remove(name)
