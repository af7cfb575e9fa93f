-- SPDX-License-Identifier: MIT
-- Call, return, line and count hooks (manual 4.7, 6.10).
local log = {} local
function record(e, l) log[#log + 1] = e .. (l and ":" .. l or "") end local
function target(n)
  local s = 0
  for i = 1, n do
    s = s + i
  end
  if s > 100 then
    s = 100
  else
    s = s * 2
  end
  return s
end
debug.sethook(record, "l") target(2) debug.sethook()
print(table.concat(log, " ")) log = {}
  debug.sethook(function(e) local i = debug.getinfo(2, "nS") log[#log + 1] = e
  .. ":" .. tostring(i.name) .. ":" .. i.what end, "cr") target(1) math.abs(-1);
(function() return target(1) end)() debug.sethook()
print(table.concat(log, " "))
log = {} local n = 0 debug.sethook(function(e) n = n + 1 log[1] = e end, "", 10)
for i = 1, 1000 do local x = i end debug.sethook() print(n > 50, log[1])
print(debug.gethook()) debug.sethook(record, "crl", 5)
local h, m, c = debug.gethook() debug.sethook()
print(h == record, m, c) log = {}
local co = coroutine.create(function() local a = 1
  local b = 2
  coroutine.yield()
  return a + b
end) debug.sethook(co, record, "l") coroutine.resume(co) coroutine.resume(co)
  print(table.concat(log, " ")) print(debug.gethook(co) == record,
  debug.gethook() == nil) log = {} debug.sethook(record, "l")
local a = 1
while a < 3 do
  a = a + 1
end
repeat
  a = a - 1
until a == 0
if a == 0 then a = 5 elseif a == 1 then
  a = 6 end
for k, v in pairs {1, 2} do
  a = k
end
local t = {
  1,
  2,
  target
}
t[3](
  1
)
goto done
a = 7
::done::
debug.sethook() print(table.concat(log, " ")) print(pcall(debug.sethook, 1))
print(pcall(debug.sethook, print))
local function failing() debug.sethook() error("from hook", 0) end
print(pcall(function()
  debug.sethook(failing, "l")
  local x = 1
end))
log = {} debug.sethook(function(ev)
  local i = debug.getinfo(2, "r") log[#log + 1] = ev .. " " .. i.ftransfer ..
    " " .. i.ntransfer
  end, "cr") target(3) debug.sethook() print(table.concat(log, ", ")) log = {}
    local function tail(k) if k == 0 then return end return tail(k - 1) end
    debug.sethook(function(ev) log[#log + 1] = ev
  end, "cr") tail(3) debug.sethook() print(table.concat(log, " "))
log = {} debug.sethook(function(ev, line) log[#log + 1] = line end, "l")
  load("local a = 1\nlocal b = 2\n\n\nreturn a + b", "=c")() debug.sethook()
print(table.concat(log, " ")) log = {}
  debug.sethook(function(ev, line) log[#log + 1] = line end, "l")
  pcall(load("local a = 1\nerror('x')\nreturn 1", "=c")) for i = 1, 3 do
end debug.sethook() print(table.concat(log, " "))
