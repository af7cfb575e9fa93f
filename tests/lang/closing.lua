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
