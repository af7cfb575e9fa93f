-- Jumps out of nested blocks with captured variables, and registers reused
-- afterwards.  The programs are made from parts.
local function run(code)
  local f, message = load(code, "=code")
  if not f then return message end
  local r = table.pack(pcall(f))
  for i = 1, r.n do r[i] = tostring(r[i]) end
  return table.concat(r, " ")
end

-- Blocks, from the outside to the inside; `%s` is the contents.
local blocks = {
  {"do local a = 'd' .. n; keep(function() a = a .. '+' return a end) %s end"},
  {"for i = 1, 3 do local b = i * 10; keep(function() b = b + 1 return b end) %s end"},
  {"for k, v in pairs({7}) do keep(function() k = k + 1 return k .. ',' .. v end) %s end"},
  {"while n < 4 do n = n + 1; local w = n; keep(function() w = w + 100 return w end) %s end"},
  {"do local a, b = 'plain', n; %s end"},
  {"for i = 1, 2 do local b = i %s end"},
  {"repeat local r = n; n = n + 1; keep(function() r = r - 1 return r end) %s until n > 3 or r > 2"},
}
local exits = {"goto out", "break", "if n > 1 then goto out end",
               "if n > 2 then break end", "if n == 1 then goto next end n = n + 1 ",
               "return"}
local frame = [[
local n = 1
local kept, order = {}, {}
local function keep(f) kept[#kept + 1] = f end
local function show()
  local out = {}
  for i, f in ipairs(kept) do out[i] = tostring(f()) .. "/" .. tostring(f()) end
  return table.concat(out, " ")
end
local function body()
  local before = "before"
  keep(function() return before end)
  %s
  ::out::
  local x, y, z = "x", "y", "z"
  keep(function() x = x .. y return x .. z end)
  return x, y, z
end
local ok, message = pcall(body)
return ok, message, #kept, show()
]]
for o, outer in ipairs(blocks) do
  for m, middle in ipairs(blocks) do
    for e, exit in ipairs(exits) do
      local label = exit:find("next") and " ::next::" or ""
      local inside = "do local deep = n; keep(function() deep = deep + 1 return deep end) "
                     .. exit .. " end" .. label
      -- Without a bound a jump to `next` might loop forever.
      local code = frame:format(outer[1]:gsub("%%s", function()
        return (middle[1]:gsub("%%s", function() return inside end))
      end))
      print(o, m, e, run("local turns = 0 debug.sethook(function() error('long', 0) end, '', 20000) "
                         .. code))
      debug.sethook()
    end
  end
end

-- Continue by goto, with a variable for each iteration; and a jump back.
print(run [[
  local fs = {}
  for i = 1, 4 do
    local x = i
    if i % 2 == 0 then goto continue end
    fs[#fs + 1] = function() x = x + 1 return x end
    ::continue::
  end
  local r = {}
  for i, f in ipairs(fs) do r[#r + 1] = f() r[#r + 1] = f() end
  return table.concat(r, " ")]])
print(run [[
  local fs, i = {}, 0
  ::top::
  local x, y
  if i < 3 then
    i = i + 1
    x, y = i, i * 2
    fs[i] = function(v) x = x + (v or 0) return x, y end
    goto top
  end
  fs[1](10) fs[2](20)
  return fs[1](), fs[2](), fs[3]()]])
