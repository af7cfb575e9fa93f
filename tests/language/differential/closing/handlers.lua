-- SPDX-License-Identifier: MIT
-- Which message handlers see an error of a __close, when a coroutine that is
-- suspended inside xpcall is closed.  The handlers of the coroutine are gone
-- with its calls; those of the closer are not asked, because close returns the
-- error.  All combinations of protected calls around the yield, of ways in which
-- the coroutine comes to its end, and of closers.

local out = {}
local function log(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = tostring(t[i]) end
  out[#out + 1] = table.concat(t, " ")
end

local function handler(name)
  return function(m)
    log("handler", name, m)
    return "<" .. name .. " " .. tostring(m) .. ">"
  end
end

-- What raises when it is closed, by a C function or by Lua.
local function closable(name, how)
  return setmetatable({}, {__close = function(_, e)
    log("close", name, e)
    if how == "error" then error("E" .. name, 0) end
    if how == "arithmetic" then local _ = nil + 1 end
    if how == "xpcall" then
      log("inside", xpcall(error, handler("inside " .. name), "X" .. name))
      error("after " .. name, 0)
    end
  end})
end

local function nested(f) -- two handlers
  return xpcall(xpcall, handler "outer", f, handler "inner")
end
local around = {
  none = function(f) return f() end,
  pcall = function(f) return pcall(f) end,
  xpcall = function(f) return xpcall(f, handler "own") end,
  nested = nested,
  both = function(f) return xpcall(function() return pcall(f) end, handler "own") end,
  bad = function(f) return xpcall(f, function() error "again" end) end,
  meta = function(f)
    return xpcall(function()
      return setmetatable({}, {__index = function() return f() end}).x
    end, handler "own")
  end,
}

local ends = {
  suspended = function() coroutine.yield("y") end,
  failed = function() error("fails", 0) end,
  failed_later = function() coroutine.yield("y") error("fails", 0) end,
  returned = function() return "r" end,
}

local function body(wrapper, finish, how, count)
  return function()
    log("ended", around[wrapper](function()
      local a <close> = count > 0 and closable("a", how) or nil
      local b <close> = count > 1 and closable("b", how) or nil
      ends[finish]()
      return "end"
    end))
  end
end

local closers = {
  plain = function(co) log("closed", coroutine.close(co)) end,
  pcall = function(co) log("closed", pcall(coroutine.close, co)) end,
  xpcall = function(co)
    log("closed", xpcall(coroutine.close, handler "closer", co))
  end,
  coroutine = function(co)
    log("closed", coroutine.wrap(function()
      return xpcall(coroutine.close, handler "closer", co)
    end)())
  end,
  twice = function(co)
    log("closed", coroutine.close(co))
    log("closed", coroutine.close(co))
    log("resumed", coroutine.resume(co))
  end,
  again = function(co) -- resumed instead of closed
    log("resumed", coroutine.resume(co))
    log("closed", coroutine.status(co), coroutine.close(co))
  end,
  scope = function(co) -- closed while another error is on its way
    log("scope", xpcall(function()
      local c <close> = setmetatable({}, {__close = function()
        log("closed", coroutine.close(co))
      end})
      error("S", 0)
    end, handler "scope"))
  end,
}

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return ipairs(names)
end

-- Lua 5.4.4 still asks the handler of an xpcall in which the coroutine was
-- suspended.  tests/language/lang/handlers.lua has these cases.
local function differs(wrapper, finish, closer)
  local suspended = finish == "suspended" or finish == "failed_later"
  return wrapper ~= "none" and wrapper ~= "pcall" and wrapper ~= "both" and
         suspended and closer ~= "again"
end

local function try(wrapper, finish, closer, how, count)
  log("case", wrapper, finish, closer, how, count)
  local co = coroutine.create(body(wrapper, finish, how, count))
  log("resumed", coroutine.resume(co))
  closers[closer](co)
  log("status", coroutine.status(co))
  -- Nothing is left behind: the next handlers are the right ones.
  log("next", xpcall(error, handler "next", "N"))
end

for _, wrapper in sorted(around) do
  for _, finish in sorted(ends) do
    for _, closer in sorted(closers) do
      for _, how in ipairs {"error", "arithmetic", "xpcall", "nothing"} do
        for count = differs(wrapper, finish, closer) and 3 or 1, 2 do
          try(wrapper, finish, closer, how, count)
        end
      end
    end
  end
end

-- A wrapped coroutine closes itself when it fails.
for _, wrapper in sorted(around) do
  for _, how in ipairs {"error", "xpcall", "nothing"} do
    local f = coroutine.wrap(body(wrapper, "failed_later", how, 2))
    log("wrap", wrapper, how)
    log(pcall(f))
    log(xpcall(f, handler "caller"))
    log(pcall(f))
  end
end

for _, line in ipairs(out) do print(line) end
