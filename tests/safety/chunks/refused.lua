-- Binary chunks: bad ones are refused, and everything compiled is accepted.
local function refused(chunk, what)
  local f, message = load(chunk, "=x", "b")
  assert(not f, "accepted")
  assert(message:find("bad binary format", 1, true), message)
  if what then assert(message:find(what, 1, true), message) end
end

local function sample(a, b, ...)
  local t = {a, b, x = 1}
  for i = 1, #t do t[i] = function() return i end end
  for k, v in pairs(t) do if v == b then return ... end end
  return (a or "") .. "x" .. (b or "")
end
local whole, stripped = string.dump(sample), string.dump(sample, true)
assert(load(whole, "=x", "b")("a", "b") == "axb")
assert(load(stripped, "=x", "b")("a", "b") == "axb")

-- Truncated at every place.
for i = 1, #whole - 1 do refused(whole:sub(1, i)) end

-- Each byte changed: refused, or harmless to load.
local accepted = 0
for i = 1, #stripped do
  for _, change in ipairs {1, 0x80, 0xff} do
    local byte = string.char(stripped:byte(i) ~ change)
    local f, m = load(stripped:sub(1, i - 1) .. byte .. stripped:sub(i + 1),
                      "=x", "b")
    if f then accepted = accepted + 1 else assert(type(m) == "string") end
  end
end
assert(accepted < #stripped)

-- A frame that is too small for its registers.  The frame's size is the byte
-- after the number of parameters and the flag for variable arguments.
local function simple(a, b) return a + b end
local chunk = string.dump(simple, true)
local at = chunk:find("\2\0[\2\3\4]", 40)
assert(at)
refused(chunk:sub(1, at + 1) .. "\1" .. chunk:sub(at + 3), "room for parameters")
refused(chunk:sub(1, at) .. "\1" .. chunk:sub(at + 2), "VARARGPREP")

-- Names and lines that cannot be.
local function replaced(chunk, old, new)
  local from, to = chunk:find(old, 1, true)
  assert(from, "not in the chunk")
  return chunk:sub(1, from - 1) .. new .. chunk:sub(to + 1)
end
local named = string.dump(function() return {alpha = 1, beta = "x"} end)
local variable = string.dump(function() local gamma = 1 return gamma, gamma end)
local far = string.dump(load(("\n"):rep(0x12345) .. "local a = 1 return a"))
local line = string.pack("<i4", 0x12346)
for _, case in ipairs {
  {named, "\6alpha", "\0", "constant table"},
  {variable, "\6gamma", "\0", "without a name"},
  {far, line, "\xff\xff\xff\xff", "invalid lines"},
  {far, line, "\xff\xff\xff\x7f", "invalid lines"},
  {named, "\6alpha", ("\xff"):rep(12), "overflow"},
} do
  refused(replaced(case[1], case[2], case[3]), case[4])
end

-- Functions nested too deep: a chunk that contains itself repeatedly.
local outer = string.dump(load "return function() end", true)
assert(load(outer, "=x", "b"))
local head, inner = outer:match("^(.*\1)(\0.*)$")
if head then
  local deep = {}
  for i = 1, 300 do deep[i] = head:sub(-30) end
  local f = load(head .. table.concat(deep) .. inner, "=x", "b")
  assert(not f)
end

-- Large counts without the bytes that should follow take no memory.
collectgarbage()
local before = collectgarbage "count"
for i = 40, #stripped do
  load(stripped:sub(1, i) .. "\xff\xff\xff\xff\x07" .. stripped:sub(i + 6),
       "=x", "b")
end
collectgarbage()
assert(collectgarbage "count" < before + 256)

-- The output of the compiler is accepted, and behaves the same.
local here = arg[0]:match("^(.*/)") .. "../../language/lang/"
local files = 0
for _, name in ipairs {"base", "closing", "coroutine", "functions", "registers",
                       "statements", "table", "metatables", "numbers",
                       "pairs"} do
  local f = loadfile(here .. name .. ".lua")
  if f then
    files = files + 1
    for _, strip in ipairs {false, true} do
      local g, m = load(string.dump(f, strip), "=x", "b")
      assert(g, m)
      assert(load(string.dump(g, strip), "=x", "b"))
    end
  end
end
assert(files > 0)

-- A debugger may change a loop's own variables, in loaded functions as well.
local function loop()
  local log = {}
  for i = 1, 3 do log[#log + 1] = i end
  return #log
end
local loaded = load(string.dump(loop), "=x", "b")
if debug then
  local count = 0
  debug.sethook(function()
    count = count + 1
    for n = 1, 6 do
      local name, value = debug.getlocal(2, n)
      if name == "(for state)" and math.type(value) == "integer" and
         count < 200 then
        debug.setlocal(2, n, value)
      end
    end
  end, "", 1)
  local n = loaded()
  debug.sethook()
  assert(n >= 1)
end

-- Loops nested by goto need a walk for each level, and are not refused.
do
  local function nested(levels)
    local text = {"local n = 0 local function T() n = n + 1 " ..
                  "return n % 3 == 0 and n < 500 end "}
    for i = 1, levels do text[#text + 1] = ("goto c%d ::b%d:: "):format(i, i) end
    text[#text + 1] = "n = n + 1 "
    for i = levels, 1, -1 do
      text[#text + 1] = ("::c%d:: if T() then goto b%d end "):format(i, i)
    end
    return table.concat(text) .. " return n"
  end
  for _, levels in ipairs {1, 31, 32, 33, 60, 300, 1000} do
    local f = assert(load(nested(levels)))
    local g = assert(load(string.dump(f)))
    assert(f() == g(), levels)
  end
end
print "ok"
