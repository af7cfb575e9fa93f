-- SPDX-License-Identifier: MIT
--
-- Short and long strings, their buffers, and text from files.

local memory = dofile((arg[0]:gsub("[^/]*$", "")) .. "memory.lua")
local case, scaled, random = memory.case, memory.scaled, memory.random

-- Strings of 40 to 1000 bytes; every hundredth is kept.
case("strings_kept", "both", function()
  local kept = {}
  for i = 1, scaled(2000000) do
    local s = string.rep("x", 40 + random(960) - 8) .. i
    if i % 100 == 0 then kept[#kept + 1] = s end
  end
end)

case("ring_20kb", "both", function()
  local ring = {}
  local text = string.rep("y", 20000)
  for i = 1, scaled(500000) do ring[i % 500] = text .. i end
end)

case("ring_200kb", "both", function()
  local ring = {}
  local text = string.rep("y", 200000)
  for i = 1, scaled(50000) do ring[i % 50] = text .. i end
end)

-- Strings of 1 to 20 MB, made and dropped.
case("big_strings", "both", function()
  for i = 1, scaled(120, 20) do
    local s = string.rep(string.char(i % 256), random(20) * 1000000)
    assert(#s >= 1000000)
  end
end)

-- The same beside 300,000 tables, which a cycle has to visit.
case("big_strings_beside_heap", "both", function()
  local live = {}
  for i = 1, 300000 do live[i] = { i } end
  for i = 1, scaled(100, 20) do
    local s = string.rep(string.char(i % 256), random(20) * 1000000)
    assert(#s >= 1000000)
  end
  assert(#live == 300000)
end)

case("concat", "both", function()
  for r = 1, scaled(30) do
    local parts = {}
    for i = 1, 300000 do parts[i] = "part " .. i end
    assert(#table.concat(parts, ",") > 300000)
  end
end)

-- Lines collected and joined, as templates do.
case("buffers", "both", function()
  for i = 1, scaled(8000) do
    local buffer = {}
    for j = 1, 500 do buffer[#buffer + 1] = "<li>" .. j .. "</li>" end
    assert(#table.concat(buffer, "\n") > 500)
  end
end)

-- A string that grows by a few bytes at a time.
case("growing_string", "both", function()
  for _ = 1, scaled(8, 3) do
    local s = ""
    for i = 1, 12000 do s = s .. "0123456789" end
  end
end)

-- The same in steps of 1 MB.
case("growing_by_megabytes", "both", function()
  local piece = string.rep("z", 1000000)
  for _ = 1, scaled(12, 2) do
    local s = ""
    for i = 1, 40 do s = s .. piece end
  end
end)

case("gsub", "both", function()
  local text = string.rep("the quick brown fox ", 5000)
  for i = 1, scaled(250) do
    local s = text:gsub("%w+", string.upper)
    assert(#s == #text)
  end
end)

case("rep", "both", function()
  for i = 1, scaled(150000) do
    local s = string.rep("ab", 10000 + i % 100)
    assert(#s >= 20000)
  end
end)

-- New short strings.
case("short_strings", "both", function()
  local ring = {}
  for i = 1, scaled(8000000) do ring[i % 10000] = tostring(i) end
end)

case("split", "both", function()
  local line = string.rep("field,", 2000)
  for i = 1, scaled(1200) do
    local fields = {}
    for field in (line .. i):gmatch("[^,]+") do
      fields[#fields + 1] = field .. #fields
    end
  end
end)

-- A file of 8 MB.
local function with_file(use)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  for i = 1, 80000 do
    file:write(string.format("line %6d %s\n", i, string.rep("w", 87)))
  end
  file:close()
  use(path)
  os.remove(path)
end

case("read_whole_files", "both", function()
  with_file(function(path)
    for _ = 1, scaled(200) do
      local file = io.open(path)
      assert(#file:read("a") >= 8000000)
      file:close()
    end
  end)
end)

case("read_lines", "both", function()
  with_file(function(path)
    for _ = 1, scaled(60) do
      local count = 0
      for line in io.lines(path) do count = count + #line end
    end
  end)
end)

case("read_blocks", "both", function()
  with_file(function(path)
    for _ = 1, scaled(400) do
      local file = io.open(path)
      while file:read(65536) do end
      file:close()
    end
  end)
end)

memory.run()
