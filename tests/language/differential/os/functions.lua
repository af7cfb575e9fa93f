-- SPDX-License-Identifier: MIT
-- time, date, difftime, getenv, rename, remove, execute, setlocale (manual 6.9).
print(os.date("!%Y-%m-%d %H:%M:%S", 0))
print(os.date("!%c|%x|%X|%p|%A|%a|%B|%b|%d|%D|%e|%F|%G|%g|%h|%I|%j|%M|%n|%R|%r|%t|%T|%u|%U|%V|%w|%W|%y|%Z|%%",
  1e9))
for _, f in ipairs {"%Ec", "%EC", "%Ex", "%EX", "%Ey", "%EY", "%Od", "%Oe",
  "%OH", "%OI", "%Om", "%OM", "%OS", "%Ou", "%OU", "%OV", "%Ow", "%OW", "%Oy",
  "%E", "%O", "%Q", "%", "%Ez", "%Oz", "%i", "%:z", "%k", "%P", "%s", "%L",
  "%N"} do print(f, pcall(os.date, "!" .. f, 1e9)) end
print(os.date("!", 0) == "", os.date("!abc", 0), os.date("!%H\0%M", 0) ==
  "00\00000", #os.date("!" .. ("%c"):rep(50), 0))
local t = os.date("!*t", 1e9) local k = {} for key, v in pairs(t)
do k[#k + 1] = key .. "=" .. tostring(v) end table.sort(k)
print(table.concat(k, " "))
print(os.time {year = 2000, month = 1, day = 1, hour = 0}, os.time
  {year = 2000, month = 1, day = 1}, os.time
  {year = 1970, month = 1, day = 1, hour = 0}, os.time
  {year = 2000, month = 13, day = 32, hour = 25, min = 61, sec = 61}, os.time
  {year = 2000, month = -1, day = -1}, os.time
  {year = 2000, month = 1, day = 1, hour = 12, isdst = false}, os.time
  {year = "2000", month = "1", day = "1", hour = "0"}, os.time
  {year = 2000.0, month = 1, day = 1})
local n = {year = 2000, month = 14, day = -3, hour = 30} os.time(n)
print(n.year, n.month, n.day, n.hour, n.min, n.sec, n.wday, n.yday, n.isdst)
for _, a in ipairs {{}, {year = 2000}, {year = 2000, month = 1},
  {year = "x", month = 1, day = 1}, {year = 2000, month = 1.5, day = 1},
  {year = 1e100, month = 1, day = 1}, {year = 2^40, month = 1, day = 1},
  {year = 2000, month = 2^33, day = 1}, {year = 2000, month = {}, day = 1}} do
print(pcall(os.time, a)) end print(pcall(os.time, 5))
print(pcall(os.date, "*t", 2^60)) print(pcall(os.date, "*t", "x"))
print(pcall(os.date, "%Y", 1.5))
print(os.date("!%Y", "86400"), os.date("!%d", 86400.0))
print(os.date("!%Y", -1), os.date("!%F %T", -86401))
print(math.type(os.time()), math.type(os.clock()), os.time() > 1.6e9, os.clock()
  >= 0, type(os.date()), os.date("!%Y", os.time()) == os.date("!*t").year .. "")
print(os.difftime(10, 5), os.difftime(5, 10), math.type(os.difftime(1, 1)),
  pcall(os.difftime, 1))
print(os.getenv("HOME") ~= nil, os.getenv("NO_SUCH_VARIABLE"), pcall(os.getenv))
local a, b = os.tmpname(), os.tmpname() print(type(a), a ~= b)
print(os.rename(a, b), os.rename(a, b)) print(os.remove(b), os.remove(b))
print(os.remove("/nonexistent/dir/x"))
print(os.rename("/nonexistent/a", "/nonexistent/b"))
print(os.execute(), os.execute("exit 0")) print(os.execute("exit 3"))
print(os.execute("kill -15 $$"))
print(os.execute("true") == true, pcall(os.execute, {}))
print(os.setlocale(), os.setlocale("C"), os.setlocale(nil, "all"),
  os.setlocale("C", "numeric"), os.setlocale("nonexistent"),
  pcall(os.setlocale, "C", "bad"))
for _, c in ipairs {"all", "collate", "ctype", "monetary", "numeric", "time"} do
print(c, os.setlocale(nil, c)) end local names = {} for key in pairs(os)
do names[#names + 1] = key end table.sort(names) print(table.concat(names, " "))
