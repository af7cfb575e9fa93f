-- SPDX-License-Identifier: MIT
-- The os library (manual, 6.9)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- time and date
print(math.type(os.time()), math.type(os.clock()))--> integer float
local t = os.time({year = 2024, month = 2, day = 29, hour = 12})
print(os.date("%Y-%m-%d %H:%M:%S", t))            --> 2024-02-29 12:00:00
print(os.time({year = 2024, month = 2, day = 29}) == t)           --> true
print(os.date("!%Y-%m-%d %H:%M:%S", 0))           --> 1970-01-01 00:00:00
print(os.date("!%a %A %b %B %d %j %p %y %%", 1e9))
--> Sun Sunday Sep September 09 252 AM 01 %
print(os.date("!%D %e %F %g %G %h %I %R %T %u %V %w", 1e9))
--> 09/09/01  9 2001-09-09 01 2001 Sep 01 01:46 01:46:40 7 36 0
print(os.date("!%x %X %Ey %Od", 0))               --> 01/01/70 00:00:00 70 01
local d = os.date("!*t", 1e9)
print(d.year, d.month, d.day, d.hour, d.min, d.sec, d.wday, d.yday, d.isdst)
--> 2001 9 9 1 46 40 1 252 false
local n = {year = 2001, month = 14, day = -3, hour = 30, min = 70, sec = -5}
print(os.date("%F %T", os.time(n)))               --> 2002-01-29 07:09:55
print(n.year, n.month, n.day, n.hour, n.min, n.sec, n.yday, n.wday)
--> 2002 1 29 7 9 55 29 3
print(os.time(os.date("*t", t)) == t)             --> true
print(os.date("[%%]", 0), #os.date() > 8)         --> [%] true
print(os.difftime(t + 10, t), os.difftime(5, 8))  --> 10.0 -3.0
print(fails(os.difftime, 1))
--> bad argument #2 to 'os.difftime' (number expected, got no value)
print(fails(os.time, {}))
--> field 'year' missing in date table
print(fails(os.time, {year = 2000, month = 1}))
--> field 'day' missing in date table
print(fails(os.time, {year = 2000, month = "x", day = 1}))
--> field 'month' is not an integer
print(fails(os.time, {year = 2000, month = 1.5, day = 1}))
--> field 'month' is not an integer
print(fails(os.time, {year = 1 << 40, month = 1, day = 1}))
--> field 'year' is out-of-bound
print(fails(os.time, 1))
--> bad argument #1 to 'os.time' (table expected, got number)
print(fails(os.date, "%Q"))
--> bad argument #1 to 'os.date' (invalid conversion specifier '%Q')
print(fails(os.date, "%Ez"))
--> bad argument #1 to 'os.date' (invalid conversion specifier '%Ez')
print(fails(os.date, "%"))
--> bad argument #1 to 'os.date' (invalid conversion specifier '%')
-- a year that does not fit, or a time that does not where times have 32 bits
local far = fails(os.date, "*t", 1 << 60)
print(far == "date result cannot be represented in this installation" or
      far == "bad argument #2 to 'os.date' (time out-of-bounds)")  --> true
print(os.clock() >= 0)                            --> true

-- files
local name = os.tmpname()
-- with POSIX there is a file of that name
print((io.open(name) or package.config:sub(1, 1) == "\\" and io.open(name, "w")):close())
--> true
print(os.rename(name, name .. "2"), io.open(name) == nil)         --> true true
print(os.remove(name .. "2"), io.open(name .. "2") == nil)        --> true true
print((select(2, os.remove(name)):gsub("^.*: ", "")), select(3, os.remove(name)))
--> No such file or directory 2
print(select(3, os.rename(name, name .. "2")))    --> 2

-- processes and environment
print(os.execute())                               --> true
print(os.execute("exit 0"))                       --> true exit 0
print(os.execute("exit 7"))                       --> nil exit 7
print(io.popen("echo hello"):read(), io.popen("exit 3"):close())  --> hello nil exit 3
local posix = package.config:sub(1, 1) == "/"
print(table.concat(posix and {select(2, os.execute("kill -15 $$"))} or {"signal", 15}, " "))
--> signal 15
print(type(os.getenv("PATH")), os.getenv("NO_SUCH_VARIABLE"))     --> string nil
print(fails(os.getenv))
--> bad argument #1 to 'os.getenv' (string expected, got no value)

-- locales
print(os.setlocale(), os.setlocale("C"))          --> C C
local odd = os.setlocale("no such locale")        -- some C libraries take any
print(odd == nil or odd == "no such locale", os.setlocale("C"))  --> true C
print(os.setlocale(nil, "numeric"), os.setlocale("C", "ctype"))   --> C C
print(fails(os.setlocale, "C", "bad"))
--> bad argument #2 to 'os.setlocale' (invalid option 'bad')

-- exit: the last line comes from a finalizer, because the state is closed
print(fails(os.exit, "x"))
--> bad argument #1 to 'os.exit' (number expected, got string)
at_end = setmetatable({}, {__gc = function() print("closed") end})
local pending <close> = setmetatable({}, {__close = function() print("pending") end})
os.exit(true, true)
--> pending
--> closed
