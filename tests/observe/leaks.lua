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
print "ok"
