-- To-be-closed variables: every way out of a block, with every way in which a
-- closing function may end, in every place that may catch its error.
local log = {}
local function note(...)
  local parts = {}
  for i, v in ipairs {...} do parts[i] = tostring(v):gsub("table: 0x%x+", "TABLE") end
  log[#log + 1] = table.concat(parts, ":")
end

-- What the closing function does.
local closers = {
  nothing = function() end,
  yields = function(n) note("resumed", coroutine.yield("in close " .. n)) end,
  errors = function(n) error("close " .. n, 0) end,
  yields_then_errors = function(n) coroutine.yield("y" .. n) error("after " .. n, 0) end,
  errors_nil = function() error(nil) end,
  catches = function(n) note(pcall(error, "inner" .. n, 0)) end,
  handles = function(n) note(xpcall(error, function(m) return "h" .. m end, "e" .. n, 0)) end,
}
local function closable(n, how)
  return setmetatable({}, {__close = function(_, e)
    note("close", n, e)
    closers[how](n)
    note("closed", n)
  end})
end

-- How the block is left.
local exits = {
  falls_off = function(how)
    local a <close> = closable(1, how)
    local b <close> = closable(2, "nothing")
  end,
  returns = function(how)
    local a <close> = closable(1, how)
    local b <close> = closable(2, how)
    return "r1", "r2", "r3"
  end,
  breaks = function(how)
    for i = 1, 3 do
      local a <close> = closable(i, how)
      if i == 2 then break end
    end
    return "after break"
  end,
  goes_out = function(how)
    do
      local a <close> = closable(1, how)
      do
        local b <close> = closable(2, "nothing")
        goto out
      end
    end
    ::out::
    return "out"
  end,
  goes_back = function(how)
    local i = 0
    ::again::
    i = i + 1
    do
      local a <close> = closable(i, how)
      if i < 3 then goto again end
    end
    return i
  end,
  raises = function(how)
    local a <close> = closable(1, how)
    local b <close> = closable(2, how)
    error("body", 0)
  end,
  raises_table = function(how)
    local a <close> = closable(1, how)
    error({})
  end,
  raises_nil = function(how)
    local a <close> = closable(1, how)
    error(nil)
  end,
  yields = function(how)
    local a <close> = closable(1, how)
    note("in", coroutine.yield("body yields"))
    local b <close> = closable(2, how)
    return coroutine.yield("again")
  end,
  iterates = function(how)
    for i in function(_, i) i = (i or 0) + 1 if i < 3 then return i end end, nil, nil,
             closable("loop", how) do
      note("i", i)
    end
    return "iterated"
  end,
  iterates_raises = function(how)
    for i in function() error("next", 0) end, nil, nil, closable("loop", how) do end
  end,
  tail = function(how)
    local a <close> = closable(1, how)
    return (select("#", pcall(error)))
  end,
}

-- The callers.
local function drive(co)
  local sent = 0
  while true do
    local r = table.pack(coroutine.resume(co, sent))
    note("resume", table.unpack(r, 1, math.min(r.n, 3)))
    if coroutine.status(co) ~= "suspended" then return end
    sent = sent + 1
    if sent > 10 then note("too long") return end
  end
end
local callers = {
  plain = function(f, how) note("pcall", pcall(f, how)) end,
  handled = function(f, how)
    note("xpcall", xpcall(f, function(m) note("handler", m) return "H" end, how))
  end,
  coroutine = function(f, how) drive(coroutine.create(function() return f(how) end)) end,
  pcall_in_coroutine = function(f, how)
    drive(coroutine.create(function() return pcall(f, how) end))
  end,
  xpcall_in_coroutine = function(f, how)
    drive(coroutine.create(function()
      return xpcall(f, function(m) note("handler", m) return "H" end, how)
    end))
  end,
  closed = function(f, how)
    local co = coroutine.create(function() return f(how) end)
    note("resume", coroutine.resume(co))
    note("close", pcall(coroutine.close, co))
    note(coroutine.status(co))
  end,
  wrapped = function(f, how)
    local g = coroutine.wrap(function() return f(how) end)
    for i = 1, 6 do
      local ok, m = pcall(g, i)
      note("wrap", ok, m)
      if not ok then break end
    end
  end,
}

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return ipairs(names)
end
for _, caller in sorted(callers) do
  for _, exit in sorted(exits) do
    for _, how in sorted(closers) do
      log = {}
      callers[caller](exits[exit], how)
      print(caller, exit, how, table.concat(log, " "))
    end
  end
end
