-- SPDX-License-Identifier: MIT
-- To-be-closed variables (manual, 3.3.8)

local function fails(f, ...) return select(2, pcall(f, ...)) end
local function closer(name)
  return setmetatable({}, {__close = function(_, e) print("close " .. name, e) end})
end

do
  local a <close> = closer("a")
  local b <close> = closer("b")
  local none <close> = nil
  local off <close> = false
  print("body")                                   --> body
end
--> close b nil
--> close a nil

-- every way out
local function leave() local x <close> = closer("return"); return "result" end
print(leave())
--> close return nil
--> result
for i = 1, 2 do local x <close> = closer("loop" .. i) if i == 2 then break end end
--> close loop1 nil
--> close loop2 nil
do
  local i = 0
  ::again::
  do local x <close> = closer("goto"); i = i + 1; if i < 2 then goto again end end
end
--> close goto nil
--> close goto nil
print(pcall(function() local x <close> = closer("error"); error("E", 0) end))
--> close error E
--> false E

-- errors while closing replace the error
print(pcall(function()
  local outer <close> = closer("outer")
  local bad <close> = setmetatable({}, {__close = function(_, e) error("second after " .. e, 0) end})
  error("first", 0)
end))
--> close outer second after first
--> false second after first

-- values are kept while variables are closed
local function several() local x <close> = closer("several"); return 1, nil, 3 end
print(select("#", several()))
--> close several nil
--> 3

-- what may be closed
print(fails(function() local x <close> = {} end))
-->~ variable 'x' got a non%-closable value$
print(fails(function() local x <close> = 42 end))
-->~ variable 'x' got a non%-closable value$

-- order with upvalues, and tail position: a call in a closing block is no tail call
local function tail() local x <close> = closer("tail"); return print("called") end
tail()
--> called
--> close tail nil

-- a coroutine may yield while it closes
local co = coroutine.wrap(function()
  local x <close> = setmetatable({}, {__close = function() coroutine.yield("yielded in close") end})
  return "finished"
end)
print(co())                                       --> yielded in close
print(co())                                       --> finished

-- generic for closes its fourth value
for _ in next, {1}, nil, closer("for") do print("in loop") end
--> in loop
--> close for nil

-- Several variables of one block: in Lua and in C, with yields.
do
  local order = {}
  local function closing(name, f)
    return setmetatable({}, { __close = function(o, e)
      order[#order + 1] = name .. ":" .. tostring(e)
      if f then return f() end
    end })
  end
  local co = coroutine.wrap(function()
    do
      local a <close> = closing("a", function() coroutine.yield("ya") return 1, 2 end)
      local b <close> = closing("b", coroutine.yield)
      local c <close> = setmetatable({}, { __close = coroutine.yield })
      local d <close> = closing("d", function() coroutine.yield("yd") end)
    end
    for i = 1, 2 do local q <close> = closing("q" .. i) end
    return "end"
  end)
  print(co(), type(co()), co(), co(), co())         --> yd table nil ya end
  print(table.concat(order, " "))                   --> d:nil b:nil a:nil q1:nil q2:nil
  order = {}
  print(pcall(function()
    local x
    do
      local a <close> = closing("a")
      local b <close> = closing("b", function() error("boom", 0) end)
      local c <close> = closing("c")
    end
  end))                                             --> false boom
  print(table.concat(order, " "))                   --> c:nil b:nil a:boom

  -- A hook that begins in a __close does not see the end of the block again.
  local events = {}
  local function f()
    do
      local a <close> = closing("a", function()
        debug.sethook(function(event) events[#events + 1] = event end, "crl")
      end)
      local b <close> = closing("b")
    end
    local z = 1
    debug.sethook()
  end
  f()
  print(table.concat(events, " "))                  --> return line return line line call
end
