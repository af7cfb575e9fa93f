-- SPDX-License-Identifier: MIT
--
-- leaks.lua -- finds the leaks of examples/leaks as in docs/find-a-leak.md
--
--    penumbra leaks.lua <penumbra> <folder of the examples>

local penumbra, folder = arg[1], arg[2]

local function run(name)
  local command = ("cd '%s' && '%s' %s.lua"):format(folder, penumbra, name)
  local pipe <close> = assert(io.popen(command))
  return pipe:read("a")
end

local function expect(name, ...)
  local text = run(name)
  for _, line in ipairs {...} do
    assert(("\n" .. text):find("\n" .. line),
           ("%s: no line %s in\n%s"):format(name, line, text))
  end
end

expect("listener", "Request +1000 objects +%d+ bytes\n",
       "function <listener.lua:25> +1000 objects",
       "_G.events.on %-> upvalue 'listeners' of listener.lua:18 %-> " ..
       "%[1101%] %-> upvalue 'last' of listener.lua:45\n$")
expect("cache", "Object +10%d%d objects",
       "_G.app.page_of %-> upvalue 'pages' of cache.lua:12 %-> " ..
       '%["user:17"%]\n')
expect("coroutine", "coroutine in coroutine.lua:14 +200 objects",
       "_G.scheduler.waiting%[3%]\n$")

-- The same question on the command line.
local function why(expression, name)
  local command = ("cd '%s' && '%s' --why '%s' %s.lua 2>&1 >/dev/null"):format(
    folder, penumbra, expression, name)
  local pipe <close> = assert(io.popen(command))
  return pipe:read("a"), pipe:close()
end
local text, ok = why('app.page_of("user:17")', "cache")
assert(ok and text:find([[
^app.page_of%("user:17"%) is alive by _G.app.page_of %-> upvalue 'pages' of ]] ..
[[cache.lua:12 %-> %["user:17"%]
  %d+ bytes, keeps %d+, and is kept by Object alone
$]]), text)

-- The size is that of the object.
for expression, sizes in pairs {["app"] = {32, 512},
    ["(function() big = (\"x\"):rep(1000000) return big end)()"] = {1e6, 1.25e6},
    ["function() end"] = {16, 128}} do
  text, ok = why(expression, "cache")
  local size, keeps = text:match("\n  (%d+) bytes, keeps (%d+)")
  assert(ok and size, text)
  size, keeps = tonumber(size), tonumber(keeps)
  assert(size >= sizes[1] and size <= sizes[2] and keeps >= size, text)
end

text, ok = why("scheduler", "coroutine")
assert(ok and text:find("^scheduler is alive by _G.scheduler\n"), text)
text, ok = why("io.stdout", "cache")
assert(ok and text:find("is kept by registry alone\n$"), text)
text, ok = why("17", "cache")
assert(ok and text == "17: not an object\n", text)
text, ok = why("nothing.here", "cache")
assert(not ok and text:find("global 'nothing'"), text)
text, ok = why("1 +", "cache")
assert(not ok and text:find("near <eof>"), text)

-- The stutter of examples/stutter.lua, and its cure.
local function stutter(more)
  local name = os.tmpname()
  assert(os.execute(("cd '%s' && '%s' --report '%s' ../stutter.lua 400 %s >'%s.out'")
    :format(folder, penumbra, name, more, name)))
  local file <close> = assert(io.open(name))
  local text = file:read("a")
  os.remove(name)
  os.remove(name .. ".out")
  return text:match("<ul id=advice>.-</ul>")
end
assert(stutter(""):find("Whole collections stop the program.</b> There were 4,"))
assert(not stutter("mended"):find("Whole collections"))

-- gc.leaks tells what grows, where it is made and who keeps it. The same leaks
-- again, beside objects that come and go.
local gc = require "penumbra.gc"
local line_of = function(f) return debug.getinfo(f, "S").linedefined + 1 end

local function leaks_of(work, rounds)
  gc.leaks(true, 256)
  for round = 1, rounds do
    for n = 1, 50 do work((round - 1) * 50 + n) end
    if round % 4 == 0 then collectgarbage() end
  end
  local list = gc.leaks()
  gc.leaks(false)
  return list
end

local function check(list, name, maker, path)
  for i, leak in ipairs(list) do
    assert(leak.growth > 0 and leak.bytes > 0 and leak.count > 0)
    assert(not list[i - 1] or list[i - 1].growth >= leak.growth, "order")
    assert(leak.stack:find(leak.line, 1, true) and leak.object == nil)
  end
  for _, leak in ipairs(list) do
    if leak.name:find(name) and
       leak.line:find("leaks.lua:" .. line_of(maker) .. ")", 1, true) then
      assert(leak.path:find(path), leak.path)
      return
    end
  end
  for _, leak in ipairs(list) do print(leak.name, leak.line, leak.path) end
  error(("no %s from line %d"):format(name, line_of(maker)))
end

local recent, listeners, pages = {}, {}, {}
bus = {on = function(f) listeners[#listeners + 1] = f end}
app = {page_of = function(user) return pages[user] end}
scheduler = {waiting = {}}
Request = {}
Request.__index = Request

local function coming_and_going(n)
  recent[n % 500 + 1] = {n, {}}
end
local function new_request()
  return setmetatable({path = "/", body = "x"}, Request)
end
check(leaks_of(function(n)
  local request = new_request()
  coming_and_going(n)
  bus.on(function() return request end)
end, 60), "^Request$", new_request, "^_G.bus.on %-> upvalue 'listeners'")

local function new_page(user)
  pages[user] = {text = "Hello " .. user, hits = 0}
end
check(leaks_of(function(n)
  coming_and_going(n)
  new_page("user:" .. n)
end, 60), "^Object made at .*leaks.lua:%d+$", new_page,
"^_G.app.page_of %-> upvalue 'pages'")

local function session()
  coroutine.yield()
end
local function open_session()
  scheduler.waiting[#scheduler.waiting + 1] = coroutine.create(session)
  coroutine.resume(scheduler.waiting[#scheduler.waiting])
end
check(leaks_of(function(n)
  coming_and_going(n)
  open_session()
end, 60), "^coroutine in ", open_session, "^_G.scheduler.waiting%[%d+%]")

-- Without a leak the list is empty. Errors.
listeners, pages, scheduler.waiting = {}, {}, {}
local none = leaks_of(coming_and_going, 100)
assert(#none == 0, none[1] and none[1].line)
assert(not pcall(gc.leaks) and not pcall(gc.leaks, true, 0))
gc.leaks(true)
assert(#gc.leaks(3) == 0)
gc.leaks(false)
print "ok"
