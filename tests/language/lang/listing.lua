-- SPDX-License-Identifier: MIT
-- The listing of penumbrac: what its heads count is what follows them

local lua = arg[-1]
local luac = lua:match("penumbra$") and lua .. "c"
if luac and not io.open(luac) then luac = nil end   -- the interpreter alone
local source = os.tmpname()
local file = assert(io.open(source, "w"))
file:write([[
local a, b <const>, c = 1, 2, "three"
local function f(x, ...)
  local t = {x, ..., a, k = c, [2.5] = 'half'}
  for i = 1, #t do t[i] = t[i] .. "text" .. i end
  return function() a = a + x return t, b, print end
end
goto out
do local unused <close> = nil end
::out::
return f(3, 4.5)
]])
file:close()

-- Lines of each section, beside what the section's head says.
local function check(options)
  local pipe = assert(io.popen(("'%s' %s -p '%s'"):format(luac, options, source)))
  local functions, wrong, counted = 0, 0, {}
  local name, wanted, found = nil, 0, 0
  local function finish()
    if name and wanted ~= found then
      wrong = wrong + 1
      print("wrong", name, wanted, found)
    end
    if name then counted[name] = (counted[name] or 0) + found end
    name = nil
  end
  for line in pipe:lines() do
    local count = line:match("^%a+ <.*> %((%d+) instructions?, %d+ words?%)$")
    local section, size = line:match("^(%a+) %((%d+)%):$")
    if count then
      finish()
      functions = functions + 1
      name, wanted, found = "instructions", tonumber(count), 0
    elseif section then
      finish()
      name, wanted, found = section, tonumber(size), 0
    elseif line:find("^\t") then
      found = found + 1
    end
  end
  finish()
  pipe:close()
  return functions, wrong, counted
end

local functions, wrong, counted = 3, 0, {upvalues = 1, locals = 1, constants = 1}
if luac then functions, wrong, counted = check("-l -l") end
print(functions, wrong)                                       --> 3 0
print(counted.upvalues > 0, counted.locals > 0, counted.constants > 0)
--> true true true
if luac then functions, wrong = check("-l") end
print(functions, wrong)                                       --> 3 0

-- Of a constant 40 bytes are shown, and dots if there are more; bytes that would
-- break the line are escaped.
local function constant(text)
  file = assert(io.open(source, "w"))
  file:write("return ", ("%q"):format(text):gsub("\\\n", "\\n"), "\n")
  file:close()
  local pipe = assert(io.popen(("'%s' -l -p '%s'"):format(luac, source)))
  local shown = pipe:read("a"):match(";%s*(\".-)\n")
  pipe:close()
  return shown
end
local wrong = {}
for length = 37, 43 do
  local text = ("x"):rep(length)
  local expected = length > 40 and '"' .. text:sub(1, 40) .. '"...'
                                or '"' .. text .. '"'
  if luac and constant(text) ~= expected then wrong[#wrong + 1] = length end
end
for text, expected in pairs {['"']='"\\""', ["\\"]='"\\\\"', ["\n"]='"\\n"',
                             ["\r"]='"\\r"', ["\t"]='"\\t"', ["\127"]='"\\127"',
                             ["\0"]='"\\000"', ["~ "]='"~ "'} do
  if luac and constant(text) ~= expected then wrong[#wrong + 1] = expected end
end
print(table.concat(wrong, " "))                               -->
os.remove(source)
