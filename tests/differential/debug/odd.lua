-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: debug

local function show(v)
  if type(v) == "string" then return string.format("%q", v) end
  if math.type(v) == "float" then return string.format("%.14g", v) end
  return (tostring(v):gsub("0x%x+", "ADDRESS"))
end
local function try(name, f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 1, r.n do
    r[i] = show(r[i]):sub(1, 250):gsub("0x%x%x%x%x%x+", "ADDRESS")
  end
  print(name, table.concat(r, " | "))
end

for _, o in ipairs{"n","S","l","t","u","f","L","r","nSltufrL",">","x","","n>",
  "\0"} do try("getinfo "..o, function() local i = debug.getinfo(print, o)
  local r = {} for k, v in pairs(i) do if type(v) ~= "function" then r[#r+1] =
  k.."="..tostring(v) end end table.sort(r) return table.concat(r, " ") end)
  try("getinfo1 "..o, function() local i = debug.getinfo(1, o) local r = {} for
  k, v in pairs(i) do if type(v) ~= "function" and type(v) ~= "table" then r[#r
  +1] = k.."="..tostring(v) end end table.sort(r) return table.concat(r, " ")
  end) end
try("getinfo", debug.getinfo)
try("getinfo", debug.getinfo, 100)
try("getinfo", debug.getinfo, -1)
try("getinfo", debug.getinfo, "x")
try("getinfo", debug.getinfo, {})
try("getinfo", debug.getinfo, coroutine.create(print), 0)
try("getinfo", debug.getinfo, 1.5)
try("getlocal", debug.getlocal, 100, 1)
try("getlocal", debug.getlocal, 1, 1000)
try("getlocal f", debug.getlocal, function(a, b, ...) local c end, 1)
try("getlocal f", debug.getlocal, function(a, b, ...) local c end, 3)
try("getlocal c", debug.getlocal, print, 1)
try("getlocal va", function(...) return debug.getlocal(1, -1) end, 7, 8)
try("getlocal va2", function(...) return debug.getlocal(1, -3) end, 7, 8)
try("setlocal", debug.setlocal, 100, 1, 1)
try("setlocal", debug.setlocal, 1)
try("getupvalue", debug.getupvalue, print, 1)
try("getupvalue", debug.getupvalue, function() return show end, 1)
try("getupvalue", debug.getupvalue, function() return show end, 3)
try("getupvalue c", debug.getupvalue, string.gmatch("a", "a"), 1)
try("setupvalue", debug.setupvalue, function() end, 1, 2)
try("upvalueid", debug.upvalueid, function() end, 1)
try("upvalueid", debug.upvalueid, print, 1)
try("upvaluejoin", debug.upvaluejoin, print, 1, print, 1)
try("upvaluejoin", debug.upvaluejoin, function() return show end, 1, function()
  return show end, 5)
try("upvaluejoin", debug.upvaluejoin, function() return show end, 9, function()
  return show end, 1)
try("traceback", debug.traceback, {})
try("traceback", debug.traceback, nil)
try("traceback", debug.traceback, 12)
try("traceback", debug.traceback, "m", 100)
try("traceback", debug.traceback, "m", "x")
try("traceback co", debug.traceback, coroutine.create(print))
try("traceback co", debug.traceback, coroutine.create(print), "msg")
try("sethook", debug.sethook, 1)
try("sethook", debug.sethook, print, 1)
try("gethook", debug.gethook)
try("sethook", debug.sethook)
try("setmetatable", debug.setmetatable, {}, 1)
try("setmetatable", debug.setmetatable, {})
try("getuservalue", debug.getuservalue, io.stdout)
try("getuservalue", debug.getuservalue, io.stdout, 2)
try("getuservalue", debug.getuservalue, 1)
try("setuservalue", debug.setuservalue, io.stdout, 1)
try("setuservalue", debug.setuservalue, io.stdout, 1, 2)
try("setuservalue", debug.setuservalue, 1, 1)
try("setcstacklimit", debug.setcstacklimit, 100)
try("setcstacklimit", debug.setcstacklimit)
