-- What the tests of the debugger debug.  A line's last comment is its name.
local t = setmetatable({1, 2, 3, name = "x", nested = {a = 1}, ["two words"] = 2},
                       {__name = "Thing", __index = {inherited = true}})
local count = 0
local big = {}
for i = 1, 1000 do big[i] = i * i end
for i = 1, 600 do big["key" .. i] = i end

local function inner(a, ...)
  local b = a * 2
  count = count + 1                                     -- inner
  return b, ...                                         -- inner return
end

local function outer(x)
  local y = inner(x, "va", x)                           -- call
  local z = y + 1                                       -- after call
  return z
end

for i = 1, 6 do
  local r = outer(i)                                    -- loop
  io.write("r ", r, "\n")
end

local co = coroutine.create(function(a)
  local y = a + 1                                       -- coroutine
  local got = coroutine.yield(y)                        -- yield
  return got * 2                                        -- resumed
end)
print(coroutine.resume(co, 10))                         -- resume
print(coroutine.resume(co, 20))                         -- resume again

local function protected()
  error('caught "error"\n\\ of two lines')               -- caught
end
print(pcall(protected))                                 -- after pcall

local chunk = load("local p = ...\nlocal q = p + 1\nreturn q")
print(chunk(41))                                        -- chunk

function global_function(a) return a + 1 end            -- global function
print(global_function(1))

local hooked = 0
debug.sethook(function() hooked = hooked + 1 end, "l")
local function step_here()
  local a = 1                                           -- step one
  local b = 2                                           -- step two
  return a + b                                          -- step three
end
step_here()
debug.sethook()
print("hooked", hooked)

local reloaded = 0
local function reload_me()
  reloaded = reloaded + 1                               -- reload
  return "old"
end
io.write("before ", reload_me(), "\n")
io.write("after ", reload_me(), "\n")                   -- reload again
local object = setmetatable({}, {__add = function(a, b)
  return 5                                              -- add
end})
print(object + 1, #big, t.inherited)
local closed
do
  local c <close> = setmetatable({}, {__close = function() closed = true end})
  closed = false                                        -- scope
end
print("closed", closed)
error({code = 7})                                       -- uncaught
