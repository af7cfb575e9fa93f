-- SPDX-License-Identifier: MIT
-- Every library function with inputs of a usual length, and with inputs that
-- are 10 and 10,000 times as long: texts, lists of arguments, tables, formats,
-- patterns, paths, names in messages.  The test fails if a function is neither
-- called here nor in the list of exceptions.

local called = {}

-- A summary of a value: all of a short one, samples of a long one.
local function digest(v)
  if math.type(v) == "float" then return string.format("%.14g", v) end
  if type(v) ~= "string" then return (tostring(v):gsub("0x%x+", "ADDRESS")) end
  v = v:gsub("0x%x%x%x%x+", "ADDRESS")
  if #v <= 80 then return string.format("%q", v) end
  local sum = 0
  for i = 1, #v, #v // 97 + 1 do sum = (sum * 31 + v:byte(i)) % 1000003 end
  return string.format("%d:%d:%q", #v, sum, v:sub(-12))
end

local function account(...)
  local n, r = select("#", ...), {}
  for i = 1, math.min(n, 6) do r[i] = digest((select(i, ...))) end
  if n > 6 then
    local all = {...}
    for i = 1, n do all[i] = tostring(all[i]) end
    r[#r + 1] = "of " .. n .. ": " .. digest(table.concat(all, " "))
  end
  return table.concat(r, " | ")
end

-- call("string.rep", n, arguments): the function of that name, or `f`.
local function call(name, n, ...)
  called[name] = true
  local f = _G
  for part in name:gmatch("[^.]+") do f = f[part] end
  print(name, n, account(pcall(f, ...)))
end

-- n values, for long lists of arguments.  In some places the reference takes
-- only about 200 of them; those places say so.
local function list(n, v)
  local t = {}
  for i = 1, n do t[i] = v or i end
  return t
end
local unpack = table.unpack

local file = "./input.txt"
local function with_file(text)
  local f = assert(io.open(file, "wb"))
  f:write(text)
  f:close()
  return file
end

local function strings(n)
  local s, z = ("abc %d\n"):rep(n), ("a\0b"):rep(n)
  for _, name in ipairs({"len", "lower", "upper", "reverse"}) do
    call("string." .. name, n, s)
    call("string." .. name, n, z)
  end
  call("string.byte", n, s, 1, -1)
  call("string.char", n, unpack(list(n * 5, 65)))
  call("string.sub", n, s, 2, -2)
  call("string.rep", n, "ab", n)
  call("string.rep", n, "ab", n, ", ")
  call("string.rep", n, s, 3, s)
  called["string.dump"] = true
  local f = load("return function() return " ..
    ("'x' .. "):rep(math.min(n, 100)) .. "[[" .. s .. "]] end", s)()
  print("dump", n, account(load(string.dump(f))()))
  print("dump", n, account(load(string.dump(f, true))()))
end

local function patterns(n)
  local s = ("key=value; "):rep(n)
  call("string.find", n, s, "zzz")
  call("string.find", n, s .. "zzz", "zzz", 1, true)
  call("string.find", n, s, "(.-)$")
  call("string.find", n, s, ("."):rep(n) .. "(.)")
  call("string.match", n, s, "^(.*)=")
  call("string.match", n, s, "^" .. ("[k-m]?"):rep(math.min(n, 20)) .. "(.)")
  call("string.match", n, ("("):rep(n) .. (")"):rep(n), "%b()")
  call("string.gmatch", n, s, "%w+")
  local count, last = 0, nil
  for k, v in s:gmatch("(%w+)=(%w+)") do count, last = count + 1, k .. v end
  print("gmatch", n, count, last)
  call("string.gsub", n, s, "%w+", "<%0>")
  call("string.gsub", n, s, "(%w+)=(%w+)", "%2=%1%%")
  call("string.gsub", n, s, "()", "%1,")
  call("string.gsub", n, s, "%w+", {key = ("K"):rep(n), value = 12})
  call("string.gsub", n, s, "%w+", function(w) return w:upper() .. "!" end)
  call("string.gsub", n, s, "%w+", function() return nil end)
  call("string.gsub", n, "x", "x", ("y%0"):rep(n))
  call("string.gsub", n, s, "", "-")
  call("string.gsub", n, s, "key", ("r"):rep(math.min(n, 100)))
end

local function formats(n)
  local s = ("line %q \"\\\n\0\1" .. "2\r"):rep(n)
  local slow = setmetatable({}, {__tostring = function() return s end})
  call("string.format", n, s:gsub("%%", "%%%%"))
  call("string.format", n, "%q", s)
  call("string.format", n, "<%s>", s)
  call("string.format", n, "<%s|%s>", slow, slow)
  call("string.format", n, "%50s", ("w"):rep(n))
  call("string.format", n, "%-.20s", ("w"):rep(n))
  call("string.format", n, ("%d,"):rep(math.min(n * 5, 200)), unpack(list(n * 5)))
  call("string.format", n, ("%5.1f %x %c %i %g %a %u"):rep(n):sub(1, -4):rep(1),
       unpack(list(n * 6, 67)))
  call("string.format", n, ("%s "):rep(n), unpack(list(n, "text")))
  call("string.format", n, ("%q "):rep(n), unpack(list(n, 1.5)))
  call("string.format", n, ("%s "):rep(n), unpack(list(n, true)))
  call("string.format", n, ("%99.99f"):rep(n), unpack(list(n, 1e300)))
  call("string.format", n, ("%-99s|"):rep(n), unpack(list(n, "x")))
  call("string.format", n, "%" .. ("0"):rep(n) .. "d", 1)
  call("string.format", n, ("%s"):rep(n))
  call("string.pack", n, ("i4"):rep(n), unpack(list(n)))
  call("string.pack", n, ("<i8 >d z s2 B"):rep(n), unpack(list(n * 5, 7)))
  call("string.pack", n, "z s4 s", ("q"):rep(n), s, s)
  call("string.pack", n, ("!8 b Xd"):rep(n), unpack(list(n, 1)))
  call("string.pack", n, "c" .. n, "x")
  call("string.packsize", n, ("i4 i8 !4 b"):rep(n))
  call("string.unpack", n, ("B"):rep(n), s)
  call("string.unpack", n, "s4", string.pack("s4", s))
  call("string.unpack", n, "z", ("q"):rep(n) .. "\0")
end

local function tables(n)
  local words = list(n * 5, "word")
  call("table.concat", n, words)
  call("table.concat", n, words, ", ")
  call("table.concat", n, words, ("-"):rep(n), 1, 5)
  call("table.concat", n, list(n * 5))
  call("table.concat", n, setmetatable({}, {__len = function() return n end,
    __index = function(_, i) return ("v"):rep(i % 9) end}), ";")
  call("table.pack", n, unpack(words))
  call("table.unpack", n, words)
  local numbers = {}
  for i = 1, n * 5 do numbers[i] = i * 7919 % 10007 end
  call("table.sort", n, numbers)
  print("sorted", n, numbers[1], numbers[n], numbers[n * 5])
  call("table.sort", n, numbers, function(a, b) return a > b end)
  print("sorted", n, numbers[1], numbers[n], numbers[n * 5])
  call("table.insert", n, words, 1, "first")
  call("table.insert", n, words, "last")
  call("table.remove", n, words, 1)
  call("table.remove", n, words)
  print("move", n, #table.move(words, 1, #words, #words, {}), #words)
  call("table.move", n, words, 1, #words, 3)
  print("move", n, #words, words[n], words[#words])
end

local function utf8s(n)
  local s = ("aé€😀"):rep(n)
  call("utf8.char", n, unpack(list(n * 5, 8364)))
  call("utf8.codepoint", n, s, 1, -1)
  call("utf8.len", n, s)
  call("utf8.len", n, s .. "\xff")
  call("utf8.offset", n, s, n * 3)
  call("utf8.codes", n, s)
  local count = 0
  for _, c in utf8.codes(s) do count = count + c end
  print("codes", n, count)
end

local function bases(n)
  local s, many = ("text"):rep(n), list(n * 5)
  call("_G.assert", n, false, s)
  call("_G.assert", n, unpack(many))
  call("_G.error", n, s)
  call("_G.error", n, s, 2)
  call("_G.getmetatable", n, setmetatable({}, {__metatable = s}))
  call("_G.ipairs", n, many)
  call("_G.pairs", n, many)
  call("_G.next", n, many, n)
  call("_G.load", n, "return " .. ("1 + "):rep(math.min(n, 150)) .. "1", s)
  call("_G.load", n, "x = = [[" .. s .. "]]", s)
  call("_G.load", n, "return " .. s .. s .. " = 1")
  call("_G.load", n, "goto " .. s)
  call("_G.load", n, "local a <" .. s .. "> = 1")
  call("_G.load", n, "'" .. s)
  call("_G.load", n, (" \n"):rep(n) .. "=")
  local pieces = list(n, "local a = 1; do end ")
  local at = 0
  print("load", n, load(function() at = at + 1 return pieces[at] end) ~= nil)
  call("_G.dofile", n, with_file("return [[" .. s .. "]]"))
  call("_G.dofile", n, s)
  call("_G.loadfile", n, s)
  call("_G.loadfile", n, with_file("#" .. s .. "\nx"), "t", s)
  call("_G.pcall", n, error, s)
  call("_G.pcall", n, select, "#", unpack(many))
  call("_G.xpcall", n, error, function(m) return m .. s end, s)
  call("_G.rawequal", n, s, s .. "")
  call("_G.rawget", n, {[s] = n}, s)
  call("_G.rawset", n, setmetatable({}, {__tostring = function() return "t" end}),
       s, 1)
  call("_G.rawlen", n, s)
  call("_G.select", n, "#", unpack(many))
  call("_G.select", n, -2, unpack(many))
  call("_G.setmetatable", n, setmetatable({}, {__metatable = s}), {})
  call("_G.tonumber", n, ("1"):rep(n))
  call("_G.tonumber", n, (" "):rep(n) .. "0x" .. ("f"):rep(n) .. "p-5")
  call("_G.tonumber", n, ("z"):rep(n), 36)
  call("_G.tonumber", n, ("0"):rep(n) .. "." .. ("5"):rep(n) .. "e1")
  call("_G.tostring", n, setmetatable({}, {__tostring = function() return s end}))
  call("_G.tostring", n, setmetatable({}, {__name = s}))
  call("_G.type", n, s)
  call("_G.print", n, s, unpack(many))
  call("_G.warn", n, "@off")
  call("_G.warn", n, s, s)
  call("_G.collectgarbage", n, s)
end

-- Errors with long names in them.
local function messages(n)
  local s = ("name"):rep(n)
  local chunk = load("local t = {} ; t." .. s .. "()")
  print("call", n, account(pcall(chunk)))
  print("index", n, account(pcall(load("local t = {} ; return t." .. s .. ".x"))))
  print("global", n, account(pcall(load("return " .. s .. " + 1"))))
  print("constant", n, account(pcall(load("return ('" .. s .. "')()"))))
  print("object", n, account(pcall(string.rep, setmetatable({}, {__name = s}))))
  print("arithmetic", n, account(pcall(function()
    return setmetatable({}, {__name = s}) + 1 end)))
  print("compare", n, account(pcall(function()
    return setmetatable({}, {__name = s}) < 1 end)))
  print("concat", n, account(pcall(function() return s .. nil end)))
  local r = s
  for _ = 1, 3 do r = r .. s .. 1 .. s .. 2.5 end
  print("concat", n, digest(r))
end

local function coroutines(n)
  local many = list(n * 5)
  local co = coroutine.create(function(...)
    local x = table.pack(coroutine.yield(...))
    error(("e"):rep(x.n))
  end)
  call("coroutine.resume", n, co, unpack(many))
  call("coroutine.resume", n, co, unpack(many))
  call("coroutine.close", n, co)
  call("coroutine.status", n, co)
  print("wrap", n, account(coroutine.wrap(function(...)
    return select("#", coroutine.yield(...)) end)(unpack(many))))
  call("coroutine.wrap", n, function() end)
  call("coroutine.create", n, function() end)
  call("coroutine.running", n, unpack(many))
  call("coroutine.isyieldable", n)
  call("coroutine.yield", n, unpack(many))
end

local function debugs(n)
  local s = ("text"):rep(n)
  local f = load("local " .. s .. " = 1; return function(...) return " .. s ..
                 ", debug.getlocal(1, 1) end", "=" .. s)()
  call("debug.traceback", n, s)
  called["debug.getinfo"] = true
  local info = debug.getinfo(f)
  print("info", n, account(info.source, info.short_src, info.nups))
  call("debug.getinfo", n, 1, s)
  call("debug.getupvalue", n, f, 1)
  call("debug.setupvalue", n, f, 1, s)
  print("upvalue", n, account(f()))
  call("debug.upvaluejoin", n, f, 1, f, 1)
  call("debug.getlocal", n, load("local function f(" .. s .. ") end return f")(), 1)
  print("vararg", n, account((function(...)
    called["debug.setlocal"] = true
    return debug.setlocal(1, -select("#", ...), s), select(-1, ...)
  end)(unpack(list(n * 5)))))
  call("debug.sethook", n, function() end, s)
  debug.sethook()
  call("debug.gethook", n)
  call("debug.getmetatable", n, s)
  call("debug.setmetatable", n, setmetatable({},
    {__tostring = function() return s end}), {__name = "t"})
  call("debug.getuservalue", n, io.stdout, n)
  call("debug.setuservalue", n, io.stdout, s, n)
  local function deep(i) if i == 0 then return debug.traceback(s) end
    return (deep(i - 1)) end
  print("deep", n, digest(deep(math.min(n * 10, 150))))
end

local function files(n)
  local s = ("one line of text 12.5 "):rep(n)
  local lines = ("a line\n"):rep(n)
  call("io.open", n, s)
  call("io.open", n, file, s)
  with_file(s .. "\n" .. lines)
  for _, how in ipairs({"a", "l", "L", "n", #s + n}) do
    local f <close> = io.open(file)
    print("read", n, how == #s + n and "count" or how, account(f:read(how)))
  end
  do
    local f <close> = io.open(file)
    print("read", n, account(f:read(unpack(list(math.min(n * 5, 200), "l")))))
  end
  local count = 0
  for line in io.lines(file) do count = count + #line end
  called["io.lines"] = true
  print("lines", n, count)
  count = 0
  for line in io.lines(file, "L") do count = count + #line end
  print("lines", n, count)
  call("io.lines", n, s)
  with_file(("123456789"):rep(n) .. " " .. ("-"):rep(n))
  do
    local f <close> = io.open(file)
    print("number", n, account(f:read("n", "n")))
  end
  call("io.input", n, s)
  call("io.output", n, s .. "/none")
  local f = io.open(file, "w")
  f:setvbuf("full", 100 * n)
  call("io.type", n, f)
  f:write(s, unpack(list(math.min(n * 5, 200))))
  call("io.close", n, f)
  io.input(file)
  call("io.read", n, "a")
  io.close(io.input())
  io.input(io.stdin)
  call("io.write", n, s, "\n")
  do
    local p <close> = io.popen("cat " .. file)
    called["io.popen"] = true
    print("popen", n, account(p:read("a")))
  end
  local t <close> = io.tmpfile()
  called["io.tmpfile"] = true
  t:write(s)
  t:seek("set")
  print("tmpfile", n, account(t:read("a")))
end

local function system(n)
  local s = ("name"):rep(n)
  call("os.date", n, ("!%Y-%m-%d "):rep(n), 0)
  call("os.date", n, ("!%c %%"):rep(n), 86400)
  call("os.date", n, "%" .. s, 0)
  call("os.getenv", n, s)
  call("os.remove", n, s)
  call("os.rename", n, s, s)
  call("os.setlocale", n, s)
  call("os.time", n, {year = 2000, month = n, day = n, hour = n})
  call("os.time", n, {year = 2000, month = 1, day = s})
end

local function packages(n)
  local s = ("name"):rep(n)
  local path, cpath = package.path, package.cpath
  call("package.searchpath", n, s, "./?.lua")
  call("package.searchpath", n, "a.b", ("./none/?.lua;"):rep(n))
  call("package.searchpath", n, ("a."):rep(n) .. "b", "./?", ".", "//")
  call("package.loadlib", n, "./" .. s .. ".so", "*")
  package.path = ("/none/share/lua/5.4/?.lua;"):rep(n)
  package.cpath = "./?.none"
  call("_G.require", n, "none")
  call("_G.require", n, "none.of.these")
  package.cpath = ("/none/lib/lua/5.4/?.so;"):rep(n)
  call("_G.require", n, "none.of.these")
  local searchers = package.searchers
  package.searchers = {unpack(searchers)}
  for i = 1, math.min(n, 500) do
    table.insert(package.searchers, 2, function(name)
      if i % 3 > 0 then return "no " .. name .. " in " .. i end
    end)
  end
  call("_G.require", n, "none")
  -- Found after long messages: by the last searcher, and as a file.
  table.insert(package.searchers, function(name)
    return function(...) return #(...) end, "data"
  end)
  call("_G.require", n, "found" .. n)
  package.path = package.path .. "./?.none;" .. "./?.txt"
  with_file("return 'loaded from a file'")
  call("_G.require", n, "input")
  package.loaded["input"] = nil
  with_file("return = ")
  call("_G.require", n, "input")
  package.searchers, package.path, package.cpath = searchers, path, cpath
  call("_G.require", n, s)
end

local function maths(n)
  call("math.max", n, unpack(list(n * 5)))
  call("math.min", n, unpack(list(n * 5)))
  for name, f in pairs(math) do
    if type(f) == "function" then called["math." .. name] = true end
  end
end

for _, n in ipairs({1, 10, 10000}) do
  for _, group in ipairs({strings, patterns, formats, tables, utf8s, bases,
                          messages, coroutines, debugs, files, system,
                          packages, maths}) do
    group(n)
  end
end
os.remove(file)

-- Inputs have no length, or the function waits, or ends the program.
for name in ([[os.clock os.difftime os.tmpname os.exit os.execute io.flush
    debug.debug debug.getregistry debug.setcstacklimit debug.upvalueid]])
    :gmatch("%S+") do
  called[name] = true
end
for _, lib in ipairs({"_G", "string", "table", "math", "os", "io", "coroutine",
                      "debug", "utf8", "package"}) do
  for name, f in pairs(_G[lib]) do
    if type(f) == "function" and not called[lib .. "." .. name] then
      print("not called:", lib .. "." .. name)
    end
  end
end
