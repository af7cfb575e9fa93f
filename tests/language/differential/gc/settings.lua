-- SPDX-License-Identifier: MIT
-- Settings of the collector, as returned by setpause and setstepmul

collectgarbage("incremental")
local values = {0, 1, 3, 50, 99, 100, 101, 103, 150, 199, 200, 201, 399, 400,
                401, 999, 1000, 1020, 1023, -1, 1.0, "5"}
for _, v in ipairs(values) do
  collectgarbage("setpause", v)
  collectgarbage("setstepmul", v)
  print(v, collectgarbage("setpause", 200), collectgarbage("setstepmul", 100))
end
for _, v in ipairs({0, 3, 50, 102, 400, 1000}) do
  collectgarbage("incremental", v, v, v)
  print(v, collectgarbage("setpause", 200), collectgarbage("setstepmul", 100))
  print(collectgarbage("generational", v, v))
  print(collectgarbage("incremental"))
end

local function try(...) print(pcall(collectgarbage, ...)) end
for _, option in ipairs({"setpause", "setstepmul", "step", "incremental",
                         "generational"}) do
  for _, v in ipairs({1.5, "x", {}, true, 2^63}) do
    local ok, message = pcall(collectgarbage, option, v)
    print(option, ok, (tostring(message):gsub("0x%x+", "")))
  end
end
try("bad") try(1) try(nil) try(true) try("isrunning", 1) try("collect", {})
