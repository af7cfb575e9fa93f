-- The options --sandbox and --max-time of the command line.
local penumbra = arg[1]
local name = os.tmpname()
local function run(options, code)
  local file = assert(io.open(name, "wb"))
  file:write(code)
  file:close()
  local pipe = io.popen(("%s %s %s 2>&1"):format(penumbra, options, name))
  local text = pipe:read "a"
  local ok = pipe:close()
  return ok == true, text
end

local ok, text = run("--sandbox", "print(io, debug, require, #arg)")
assert(ok and text == "nil\tnil\tnil\t0\n", text)
local start = os.time()
ok, text = run("--sandbox --max-time 100ms", "while true do pcall(error) end")
assert(not ok and text:find("budget exhausted", 1, true), text)
ok, text = run("--max-time=0.1", "while true do end")
assert(not ok and text:find("budget exhausted", 1, true), text)
ok, text = run("--max-time 0.1s", "print(io ~= nil)")
assert(ok and text == "true\n", text)
assert(os.time() - start < 60)
-- Files without an end.
for _, format in ipairs(io.open("/dev/zero") and {"'a'", "'l'", "'L'", "1 << 31", "'n'"} or {}) do
  local file = format == "'n'" and [[io.popen("yes ''")]] or [[io.open("/dev/zero")]]
  ok, text = run("--max-time 50ms", ("%s:read(%s)"):format(file, format))
  assert(not ok and text:find("budget exhausted", 1, true), format .. ": " .. text)
end
ok, text = run("--sandbox --max-memory 8M", "return ('x'):rep(1e8)")
assert(not ok and text:find("not enough memory", 1, true), text)
ok, text = run("--sandbox", string.dump(load "print(1)"))
assert(not ok and text:find("attempt to load a binary chunk", 1, true), text)
ok, text = run("--sandbox <", string.dump(load "print(1)"))
assert(text:find("attempt to load a binary chunk", 1, true), text)
ok, text = run("--sandbox", "print(getmetatable(''), ('').dump, ('x'):rep(2))")
assert(ok and text == "string\tnil\txx\n", text)
ok, text = run("--sandbox -l string", "print(1)")
assert(not ok, text)
for _, time in ipairs {"x", "-1", "0", "1h", "1e99"} do
  ok, text = run("--max-time " .. time, "print(1)")
  assert(not ok and text:find("needs a time", 1, true), text)
end
os.remove(name)
print "ok"
