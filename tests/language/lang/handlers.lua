-- SPDX-License-Identifier: MIT
-- A coroutine that is suspended in xpcall, and is closed then: its handlers are
-- gone with its calls, so a __close that raises is not reported to them.  It must
-- go on exactly as if the xpcall were a pcall.  What else is around the yield or
-- the close does not matter.

local log

local function closable(name, how)
  return setmetatable({}, {__close = function(_, e)
    log[#log + 1] = name .. " " .. tostring(e)
    if how == "error" then error("error of " .. name, 0) end
    if how == "operator" then local _ = nil + 1 end
    if how == "nested" then
      local ok, m = xpcall(error, function(m) return "seen " .. m end, name)
      log[#log + 1] = tostring(m)
      error("after " .. name, 0)
    end
  end})
end

local function forbidden(m)
  log[#log + 1] = "handler"
  return m
end

-- The protected calls around the yield; `call` is xpcall or pcall.
local around = {
  function(call, f) call(f) end,
  function(call, f) call(function() call(f) end) end,
  function(call, f) call(function() pcall(f) end) end,
  function(call, f) pcall(function() call(f) end) end,
  function(call, f)
    call(function() local _ = setmetatable({}, {__index = f}).x end)
  end,
  function(call, f)
    call(function() for _ in f do end end)
  end,
  function(call, f) -- in a coroutine within the one that is closed
    call(function()
      local co = coroutine.wrap(f)
      co()
      f()
    end)
  end,
}

local function body(shape, call, how, count)
  return function()
    local z <close> = count > 2 and closable("z", how) or nil
    around[shape](call, function()
      local a <close> = count > 0 and closable("a", how) or nil
      local b <close> = count > 1 and closable("b", how) or nil
      coroutine.yield()
    end)
  end
end

local closers = {
  coroutine.close,
  function(co) return pcall(coroutine.close, co) end,
  function(co) return xpcall(coroutine.close, forbidden, co) end,
  function(co)
    return coroutine.wrap(function() return coroutine.close(co) end)()
  end,
  function(co)
    local c <close> = setmetatable({}, {__close = function()
      log[#log + 1] = tostring((select(2, coroutine.close(co))))
    end})
  end,
}

local function run(shape, call, how, count, closer)
  log = {}
  local co = coroutine.create(body(shape, call, how, count))
  assert(coroutine.resume(co))
  local result = table.pack(closers[closer](co))
  for i = 1, result.n do log[#log + 1] = tostring(result[i]) end
  log[#log + 1] = coroutine.status(co)
  local ok, m = xpcall(error, function(m) return m .. "!" end, "next")
  assert(not ok and m == "next!")
  return table.concat(log, "\n")
end

local cases = 0
for shape = 1, #around do
  for _, how in ipairs {"error", "operator", "nested", "nothing"} do
    for count = 0, 3 do
      for closer = 1, #closers do
        local with_handler = run(shape, function(f)
          return xpcall(f, forbidden)
        end, how, count, closer)
        local plainly = run(shape, pcall, how, count, closer)
        assert(with_handler == plainly, with_handler)
        cases = cases + 1
      end
    end
  end
end
print(cases)                                      --> 560
