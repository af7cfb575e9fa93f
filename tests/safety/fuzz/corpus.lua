-- Writes the initial inputs of the corpora: lua corpus.lua FOLDER
local folder = arg[1]
local function write(target, name, text)
  os.execute(("mkdir -p %s/%s"):format(folder, target))
  local f = assert(io.open(("%s/%s/%s"):format(folder, target, name), "wb"))
  f:write(text)
  f:close()
end
for _, name in ipairs {"values", "tables", "calls", "control"} do
  local f = assert(io.open(arg[0]:match("^(.*/)") .. "../chunks/programs/" ..
                           name .. ".lua", "rb"))
  local text = f:read "a"
  f:close()
  write("source", name, text)
  local chunk = string.dump(load(text), true)
  write("chunk", name, (chunk:match("Penumbra.(.*)")))
end
for i, text in ipairs {"return 1", "goto a ::a::", "local x <close> = nil",
    "for i=1,2 do local f=function() return i end end", "return [==[x]==]",
    "x = '\\u{20ac}\\z  \\x41'", "--[[ c ]] return 0x1p4 // 3",
    "return function(...) return select('#', ...) end"} do
  write("source", "small" .. i, text)
  write("chunk", "small" .. i,
        (string.dump(load(text), i % 2 == 0):match("Penumbra.(.*)")))
end
for i, pair in ipairs {{"(%w+)=(.-);", "key=value; x=;"}, {"^%s*$", "   "},
    {"%b()", "f(a(b)c)"}, {"%f[%a]%a+", "THE (quick) fox"}, {"(a*(.)%w(%s*))",
    "aaab c"}, {"[^%]a-z]+", "]AZ"}, {".-b", "aaaab"}, {"(.)%1", "aabb"}} do
  write("pattern", "p" .. i, pair[1] .. "\0" .. pair[2])
end
for i, pair in ipairs {{"%5d|%-8.3f|%q|%s|%i", "12345678abcdefgh"},
    {"<i4 >I2 d s1 z", ("\1\2\3"):rep(8)}, {"!8 i1 Xi8 b", "x"},
    {"%a %g %x %c %o %%", "\0\0\0\0\0\0\240?\24-DT\251!\9@"}} do
  write("format", "f" .. i, pair[1] .. "\0" .. pair[2])
end
for i, text in ipairs {"0x1.8p-3", " -12e3 ", "9223372036854775808", "0xffff",
    "1e400", ".5", "5.", "nan", "zz", "\0\0\0\0\0\0\240\127"} do
  write("number", "n" .. i, text)
end
for i, text in ipairs {"abc", "\u{e9}\u{20ac}\u{10000}", "\xed\xa0\x80",
    "\xf4\x90\x80\x80", "\xc0\x80", "\u{7fffffff}", "a\x80b", ""} do
  write("utf8", "u" .. i, text)
end
for i, list in ipairs {{"-e", "x = 1", "-l", "m", "script.lua", "a"},
    {"-i", "-v", "-E", "-W", "--", "-x"}, {"-"}, {"-ex=1", "-lg=m", "-"},
    {"--max-memory", "64M", "--max-time", "2s", "--sandbox", "s.lua"},
    {"--max-memory=1", "s"}, {"--max-time=1e9ms"}, {"--help"}, {"-z"}, {"-e"},
    {"--trace", "t.json", "--gc-stats"}, {"--profile=p", "--heap", ""}} do
  write("options", "o" .. i, table.concat(list, "\0"))
end
for i = 1, 8 do
  local bytes = {}
  for j = 1, 64 do bytes[j] = string.char((i * 37 + j * j * 11) % 256) end
  write("api", "a" .. i, table.concat(bytes))
  write("collector", "c" .. i, table.concat(bytes, "", 1, 16))
  write("program", "g" .. i, table.concat(bytes, "", 1, 8 * i))
  write("calls", "k" .. i, table.concat(bytes, "", 1, 8 * i))
end
