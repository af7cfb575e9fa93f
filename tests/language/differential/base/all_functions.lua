-- SPDX-License-Identifier: MIT
-- Every function of the libraries with every pair of some values, and three of
-- some; but not those that wait, end the program, touch files, or depend on
-- the time

local values = {nil, true, 0, -1, 1.5, "a", "10", {}, print, io.stdout}
local count, third = 10, {3, 5, 7}

local left_out = [[ _G.collectgarbage _G.dofile _G.loadfile _G.print _G.rawset
  _G.require _G.setmetatable _G.warn coroutine.close coroutine.resume
  coroutine.yield debug.debug debug.getinfo debug.getlocal debug.getmetatable
  debug.getregistry debug.setcstacklimit debug.sethook debug.setlocal
  debug.setmetatable debug.setupvalue debug.setuservalue debug.traceback
  debug.upvalueid debug.upvaluejoin io.close io.input io.lines io.open io.output
  io.popen io.read io.tmpfile io.write math.atan math.atan2 math.random
  math.randomseed os.clock
  os.date os.execute os.exit os.getenv os.remove os.rename os.setlocale os.time
  os.tmpname package.loadlib package.searchpath table.remove ]]

local functions = {}
for _, lib in ipairs({"_G", "string", "table", "math", "os", "io", "coroutine",
                      "debug", "utf8", "package"}) do
  for name, f in pairs(_G[lib]) do
    name = lib .. "." .. name
    if type(f) == "function" and
       not left_out:find("%s" .. name:gsub("%p", "%%%0") .. "%s") then
      functions[#functions + 1] = {name, f}
    end
  end
end
table.sort(functions, function(a, b) return a[1] < b[1] end)

local function show(v)
  return (tostring(v):sub(1, 200):gsub("0x%x+", "ADDRESS"))
end
-- C leaves open which of its two arguments math.fmod checks first.
local function is_open(f, a, b)
  return f == math.fmod and not tonumber(a) and not tonumber(b)
end
local function try(name, f, ...)
  if is_open(f, ...) then return end
  local r = table.pack(pcall(f, ...))
  for i = 1, r.n do r[i] = show(r[i]) end
  print(name, table.concat(r, " "))
end

-- A table may be changed: each call has its own.
local function value(i)
  local v = values[i]
  if type(v) == "table" then return {} end
  return v
end

for _, pair in ipairs(functions) do
  local name, f = pair[1], pair[2]
  try(name, f)
  for i = 1, count do
    try(name .. " " .. i, f, value(i))
    for j = 1, count do
      local label = name .. " " .. i .. " " .. j
      try(label, f, value(i), value(j))
      for _, k in ipairs(i > 1 and third or {}) do
        try(label .. " " .. k, f, value(i), value(j), value(k))
      end
    end
  end
end
