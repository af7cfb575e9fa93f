-- Hooks that raise errors, inside coroutines and outside, and what follows.
local function raising(n)
  local count = 0
  return function(event, line)
    count = count + 1
    if count == n then
      debug.sethook()
      error("hook " .. event, 0)
    end
  end
end

local function work(x)
  local t = {}
  for i = 1, 3 do
    t[i] = math.max(i, x)
  end
  local s = select("#", table.unpack(t))
  return s + x
end

local masks = {"c", "r", "l", "crl", ""}
for _, mask in ipairs(masks) do
  for n = 1, 12 do
    local count = mask == "" and 1 or 0
    -- In the main thread.
    local ok, message = pcall(function()
      debug.sethook(raising(n), mask, count)
      local r = work(2)
      debug.sethook()
      return r
    end)
    debug.sethook()
    print("main", mask, n, ok, message)
    -- The coroutine has the hook.
    local co = coroutine.create(function(x)
      local before = work(x)
      local ok, message = pcall(work, 3)
      local got = coroutine.yield(before, ok, message)
      return work(got)
    end)
    debug.sethook(co, raising(n), mask, count)
    print("co", coroutine.resume(co, 1))
    print("co", coroutine.status(co), coroutine.resume(co, 5))
    print("co", coroutine.status(co), coroutine.close(co))
    -- A wrapped coroutine, with a to-be-closed variable.
    local log = {}
    local wrapped = coroutine.wrap(function()
      local self <const> = coroutine.running()
      local c <close> = setmetatable({}, {__close = function(_, e)
        log[#log + 1] = tostring(e)
      end})
      debug.sethook(self, raising(n), mask, count)
      local r = work(4)
      debug.sethook(self)
      return r
    end)
    print("wrap", pcall(wrapped))
    print("", table.concat(log, " "))
    -- A thread does not have the hooks of another.
    local inner = coroutine.wrap(function() return work(6), (debug.gethook()) == nil end)
    print("other", pcall(function()
      debug.sethook(raising(n), mask, count)
      local a, b = inner()
      debug.sethook()
      return a, b
    end))
    debug.sethook()
    print("again", work(7))
  end
end

-- A hook that calls functions, resumes coroutines and raises in them.
for _, mask in ipairs(masks) do
  local events, busy = 0, false
  debug.sethook(function(event)
    events = events + 1
    local co = coroutine.wrap(function() error("inside " .. event, 0) end)
    local ok, message = pcall(co)
    if message ~= "inside " .. event then print("lost", message) end
  end, mask, mask == "" and 3 or 0)
  local r = work(1)
  debug.sethook()
  print(mask, r, events > 0)
end

-- What a hook can find out about itself and the function that it interrupts.
for _, mask in ipairs {"l", "c", "r"} do
  local seen = {}
  debug.sethook(function(event)
    local me, other = debug.getinfo(1, "nSt"), debug.getinfo(2, "nSl")
    seen[#seen + 1] = table.concat({event, tostring(me.name), me.namewhat, me.what,
                                    tostring(other and other.name),
                                    tostring(other and other.namewhat)}, ",")
  end, mask)
  work(1)
  debug.sethook()
  for i = 1, math.min(#seen, 6) do print(mask, seen[i]) end
end
