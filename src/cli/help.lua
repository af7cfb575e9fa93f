-- SPDX-License-Identifier: MIT
--
-- help.lua -- what `help` tells at the prompt
--
-- help            how to use the prompt
-- help(f)         how a function is called, and what it does: for functions of
--                 the standard libraries from the list below, for others from
--                 the comment above their definition
-- help(library)   the functions of a table
-- help(value)     its type
--
-- Becomes a part of `penumbra`, through repl.c.

local describe = require "penumbra.describe"
local debug, io, string, table = debug, io, string, table
local getmetatable, next, pairs, rawget, require = getmetatable, next, pairs, rawget, require
local setmetatable, tostring, type = setmetatable, tostring, type

local overview = [[
Type an expression to see its value, or a statement to execute it.

  help(string.rep)   how a function is called, and what it does
  help(string)       the functions of a library
  _  __  ___         the results of the last three inputs
  Tab                completes names; after "f(" it shows the parameters
  Enter              adds a line while the input is unfinished
  Up, Down           earlier inputs, also those of earlier sessions
  Ctrl-C             gives up the input, or stops the program that runs
  exit, Ctrl-D       leaves

Libraries: coroutine debug io math os package string table utf8
           and, by require: penumbra.gc penumbra.profile penumbra.sandbox
                            penumbra.describe]]

-- What each function of the standard libraries does.
local list = [[
assert: Returns its arguments; if the first is false or nil, raises an error with the message.
collectgarbage: Runs or adjusts the garbage collector. Options: collect, count, step, stop, restart, incremental, generational, isrunning.
dofile: Runs a file, and returns its results.
error: Raises an error. Any value can be the message; the level says whose line is put before a text.
getmetatable: Returns the metatable of a value, or its field __metatable.
ipairs: For loops: for i, v in ipairs(t) visits t[1], t[2] ... up to the first nil.
load: Compiles a text, or a function that returns it in pieces. Returns a function, or nil and a message.
loadfile: Compiles a file without running it. Returns a function, or nil and a message.
next: Returns the key after the given one, and its value. With nil, the first one.
pairs: For loops: for k, v in pairs(t) visits all fields, in no particular order.
pcall: Calls f. Returns true and its results, or false and the error.
print: Writes its arguments as text, with tabs between them and a newline.
rawequal: True if both are the same, without __eq.
rawget: Returns t[k] without __index.
rawlen: The length without __len.
rawset: Does t[k] = v without __newindex. Returns t.
require: Loads a module once, and returns it. It is searched for in package.path and package.cpath.
select: Returns the arguments from number n on; with '#', their number.
setmetatable: Sets the metatable of a table, or removes it with nil. Returns the table.
tonumber: Converts a text to a number, perhaps in another base. Returns nil if it is none.
tostring: Converts any value to text; uses __tostring.
type: Returns "nil", "number", "string", "boolean", "table", "function", "thread" or "userdata".
warn: Writes a warning. "@on" and "@off" switch warnings on and off.
xpcall: As pcall, but calls the handler with the error, where it happened.
coroutine.close: Ends a suspended coroutine, and closes its variables.
coroutine.create: Makes a coroutine that will run f.
coroutine.isyieldable: True if the coroutine can yield.
coroutine.resume: Starts or continues a coroutine. Returns true and what it yields, or false and the error.
coroutine.running: Returns the running coroutine, and true if it is the main one.
coroutine.status: Returns "running", "suspended", "normal" or "dead".
coroutine.wrap: Makes a coroutine, and returns a function that resumes it and passes errors on.
coroutine.yield: Suspends the running coroutine. Its arguments become the results of resume.
debug.debug: Reads and runs lines from the standard input, up to "cont".
debug.gethook: Returns the hook, its events and its count.
debug.getinfo: Returns a table about a function, or about a level of the stack.
debug.getlocal: Returns name and value of a local variable.
debug.getmetatable: Returns the metatable of any value.
debug.getregistry: Returns the registry, where C code keeps values.
debug.getupvalue: Returns name and value of an upvalue of f.
debug.getuservalue: Returns a user value of a userdata.
debug.sethook: Calls the hook for each call ("c"), return ("r"), line ("l"), or every so many instructions.
debug.setlocal: Gives a local variable a value.
debug.setmetatable: Sets the metatable of any value.
debug.setupvalue: Gives an upvalue of f a value.
debug.setuservalue: Sets a user value of a userdata.
debug.traceback: Returns the message, followed by the functions that are running.
debug.upvalueid: Returns an identity of an upvalue, to compare with others.
debug.upvaluejoin: Makes an upvalue of one function refer to that of another.
debug.setcstacklimit: Kept for old programs; does nothing.
io.close: Closes a file, by default the standard output of io.write.
io.flush: Writes what the default output has buffered.
io.input: Sets the file that io.read reads, or returns it.
io.lines: For loops: for line in io.lines(name) reads a file line by line.
io.open: Opens a file. Modes: "r", "w", "a", with "+" to update and "b" for binary. Returns it, or nil and a message.
io.output: Sets the file that io.write writes, or returns it.
io.popen: Runs another program, and returns a file for its output, or its input with mode "w".
io.read: Reads from the default input: "l" a line, "L" with its newline, "n" a number, "a" all, or so many bytes.
io.tmpfile: Opens a temporary file, which is removed at the end.
io.type: Returns "file", "closed file" or nil.
io.write: Writes texts and numbers to the default output.
math.abs: The absolute value.
math.acos: The arc cosine, in radians.
math.asin: The arc sine, in radians.
math.atan: The arc tangent of y/x, in radians; the signs tell the quadrant.
math.ceil: The smallest integer that is not less.
math.cos: The cosine of an angle in radians.
math.atan2: As math.atan(y, x); for programs of Lua 5.2.
math.cosh: The hyperbolic cosine; for programs of Lua 5.2.
math.frexp: Returns m and e with x = m * 2^e; for programs of Lua 5.2.
math.ldexp: m * 2^e; for programs of Lua 5.2.
math.log10: The logarithm to base 10; for programs of Lua 5.2.
math.pow: x^y; for programs of Lua 5.2.
math.sinh: The hyperbolic sine; for programs of Lua 5.2.
math.tanh: The hyperbolic tangent; for programs of Lua 5.2.
math.deg: Converts radians to degrees.
math.exp: e to the power of x.
math.floor: The largest integer that is not greater.
math.fmod: The remainder of a division that rounds towards zero.
math.log: The logarithm, by default the natural one.
math.max: The largest of its arguments.
math.min: The smallest of its arguments.
math.modf: Returns the integral part and the fractional part.
math.rad: Converts degrees to radians.
math.random: Without arguments a float from 0 up to 1; with one, an integer from 1 to n; with two, from m to n.
math.randomseed: Sets the seed of math.random.
math.sin: The sine of an angle in radians.
math.sqrt: The square root.
math.tan: The tangent of an angle in radians.
math.tointeger: Converts a float with an integral value to an integer, or returns nil.
math.type: Returns "integer", "float" or nil.
math.ult: True if m is less than n as unsigned integers.
os.clock: Seconds of processor time used by the program.
os.date: A date as text, by a format of strftime; "*t" returns a table. A "!" before it means UTC.
os.difftime: The seconds from t1 to t2.
os.execute: Runs a command of the system. Returns true or nil, "exit" or "signal", and a number.
os.exit: Ends the program. The code may be true, false or a number.
os.getenv: The value of an environment variable, or nil.
os.remove: Deletes a file. Returns true, or nil and a message.
os.rename: Renames a file. Returns true, or nil and a message.
os.setlocale: Sets or asks for the locale.
os.time: The current time, or that of a table with year, month, day ..., in seconds.
os.tmpname: A name for a temporary file.
package.loadlib: Loads a C library and returns a function of it.
package.searchpath: Searches for the file of a module in a path.
string.byte: The codes of the bytes from i to j.
string.char: Makes a text of byte codes.
string.dump: The binary form of a Lua function.
string.find: Finds a pattern, or with plain a text. Returns where it begins and ends, and its captures.
string.format: Formats as printf does: %d %g %5.2f %s %q %x ...
string.gmatch: For loops: for a, b in s:gmatch(pattern) visits all matches.
string.gsub: Replaces matches by a text (with %1 ...), by a field of a table, or by what a function returns. Returns the text and how many.
string.len: The number of bytes.
string.lower: The text in lower case.
string.match: Returns the captures of the first match, or the match itself; or nil.
string.pack: Packs values into a binary text, by a format such as "<i4z".
string.packsize: The size of such a binary text.
string.rep: Repeats the text n times, with sep between the copies.
string.reverse: The bytes in reverse order.
string.sub: The bytes from i to j; negative positions count from the end.
string.unpack: Reads the values of a packed text. The last result is where the rest begins.
string.upper: The text in upper case.
table.concat: Joins the elements of a list, texts and numbers, with sep between them.
table.insert: Adds a value at the end of a list, or at a position.
table.move: Copies elements from one place, or table, to another. Returns the destination.
table.pack: Makes a table of its arguments, with their number in field n.
table.remove: Removes and returns the last element of a list, or that at a position.
table.sort: Sorts a list in place; comp(a, b) says whether a comes before b.
table.unpack: Returns the elements of a list from i to j.
utf8.char: Makes a text of code points.
utf8.codepoint: The code points of the characters between bytes i and j.
utf8.codes: For loops: for place, code in utf8.codes(s) visits all characters.
utf8.len: The number of characters, or nil and the first wrong byte.
utf8.offset: The byte where the n-th character begins.
file:close: Closes the file.
file:flush: Writes what is buffered.
file:lines: For loops: for line in file:lines() reads line by line.
file:read: Reads "l" a line, "L" with its newline, "n" a number, "a" all, or so many bytes.
file:seek: Moves to offset from "set" (the beginning), "cur" or "end". Returns the position.
file:setvbuf: Sets the buffering: "no", "full" or "line".
file:write: Writes texts and numbers. Returns the file.
]]

local descriptions
local function description(signature)
  if not descriptions then
    descriptions = {}
    for name, text in list:gmatch("([%w.:_]+): ([^\n]*)\n") do descriptions[name] = text end
  end
  return descriptions[signature:match("^[%w.:_]+")]
end

-- The comment above a line of a file, as a list of lines.
local function comment_above(name, number)
  local file = io.open(name)
  if not file then return {} end
  local lines, n = {}, 0
  for line in file:lines() do
    n = n + 1
    if n >= number then break end
    local text = line:match("^%s*%-%-+%s?(.*)$")
    if not text then lines = {} else lines[#lines + 1] = text end
  end
  file:close()
  return lines
end

local function help_function(f)
  local signature = describe.signature(f)
  local info = debug.getinfo(f, "S")
  if info.what == "C" then
    io.stdout:write(signature or tostring(f), "\n")
    local text = signature and description(signature)
    if text then io.stdout:write("  ", text, "\n") end
    return
  end
  io.stdout:write(signature, "\n")
  if info.source:sub(1, 1) == "@" then
    for _, line in next, comment_above(info.source:sub(2), info.linedefined) do
      io.stdout:write("  ", line, "\n")
    end
  end
  io.stdout:write("  defined in ", info.short_src, ":", info.linedefined, "\n")
end

local function help_table(t)
  local lines, others = {}, 0
  for key, value in next, t do
    if type(value) == "function" and type(key) == "string" then
      local signature = describe.signature(value) or key
      lines[#lines + 1] = signature:gsub("^function%(", function() return key .. "(" end)
    else
      others = others + 1
    end
  end
  table.sort(lines)
  for i = 1, #lines < 100 and #lines or 100 do io.stdout:write("  ", lines[i], "\n") end
  if #lines > 100 then io.stdout:write("  ... ", #lines - 100, " more\n") end
  io.stdout:write("a table with ", #lines, " functions and ", others, " other fields\n")
end

local function help(_, ...)
  local value = ...
  if ... == nil then
    io.stdout:write(overview, "\n")
  elseif type(value) == "function" then
    help_function(value)
  elseif type(value) == "table" and not rawget(getmetatable(value) or {}, "__call") then
    help_table(value)
  else
    io.stdout:write("a ", type(value), "\n")
  end
end

return setmetatable({}, {__call = help, __tostring = function() return overview end})
