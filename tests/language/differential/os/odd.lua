-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: os

local try, show = dofile("try.lua")

for _, f in ipairs{"*t", "!*t", "%c", "!%c", "%x %X", "%Y-%m-%d %H:%M:%S",
  "!%j %U %w %W %y %Z %%", "%E", "%Ex", "%Ey", "%O", "%Od", "%Q", "%",
  "%a%A%b%B%d%D%e%F%g%G%h%I%M%n%p%r%R%S%t%T%u%V", "", "abc", "%5", "%z", "!%s",
  "%Ez", "%N"} do for _, t in ipairs{0, 1e9, -1, 2^40, 2^60, 1.0, 1.5, "0", {}}
  do try("date "..f.." "..show(t), function() local d = os.date(f, t) if type(d
  ) == "table" then local r = {} for k, v in pairs(d) do r[#r+1] = k.."="..
  tostring(v) end table.sort(r) return table.concat(r, " ") end return d end)
  end end
for _, t in ipairs{{}, {year=2000}, {year=2000,month=1}, {year=2000,month=1,day
  =1}, {year=2000,month=13,day=32}, {year=2000,month=-5,day=-10,hour=50,min=-3,
  sec=99}, {year="2000",month="1",day="1"}, {year=2000.0,month=1,day=1}, {year=
  2000.5,month=1,day=1}, {year={},month=1,day=1}, {year=2^40,month=1,day=1}, {
  year=2000,month=2^31,day=1}, {year=2000,month=1,day=1,isdst=true}, {year=2000
  ,month=1,day=1,isdst=1}, {year=-1,month=1,day=1}, {year=1e100,month=1,day=1},
  {year="x",month=1,day=1}, {year=1900, month=1, day=1, hour=0}, {year=2000,
  month=math.mininteger,day=1}} do try("time", os.time, t) try("norm", function
  () local ok = os.time(t) return ok, t.year, t.month, t.day, t.hour, t.min, t.
  sec, t.yday, t.wday, t.isdst end) end
try("time bad", os.time, 1)
try("difftime", os.difftime, 1, 2)
try("difftime", os.difftime, 1)
try("getenv", os.getenv, "NOPE")
try("getenv", os.getenv)
try("setlocale", os.setlocale, nil)
try("setlocale", os.setlocale, "C", "bad")
try("setlocale", os.setlocale, "nope")
try("setlocale", os.setlocale, "", "all")
try("setlocale", os.setlocale, nil, "numeric")
try("execute", os.execute, "exit 3")
try("execute", os.execute)
try("execute", os.execute, "kill -15 $$")
try("execute", os.execute, {})
