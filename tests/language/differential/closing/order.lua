-- SPDX-License-Identifier: MIT
-- To-be-closed variables: order, errors, kinds of exit (manual 3.3.8).
local log
local function tbc(name, action)
  return setmetatable({name = name}, {__close = function(o, e)
    log[#log + 1] = name .. "(" .. tostring(e) .. ")"
    if action then return action(o, e) end
  end})
end
local function run(name, f, ...)
  log = {}
  print(name, pcall(f, ...))
  print("", table.concat(log, " "))
end
run("block", function() do local a <close> = tbc "a" local b <close> = tbc "b"
  log[#log + 1] = "body" end log[#log + 1] = "after" end)
run("return", function() local a <close> = tbc "a" return 1, 2, 3 end)
run("return local", function() local v = 1 local a <close> =
  tbc("a", function() v = 2 end) return v end)
run("return upvalue", function() local t = {1} local a <close> =
  tbc("a", function() t[1] = 2 end) return t[1], t end)
run("return call", function() local a <close> = tbc "a" return
  (function() log[#log + 1] = "called" return "r" end)() end)
run("return varargs", function(...) local a <close> = tbc "a" return ... end, 1,
  nil, 3)
run("break", function() for i = 1, 3 do local a <close> = tbc("a" .. i) if i ==
  2 then break end end end)
run("goto out", function() do local a <close> = tbc "a" goto out end ::out::
  log[#log + 1] = "out" end)
run("goto back", function() local n = 0 ::top:: do local a <close> =
  tbc("a" .. n) n = n + 1 if n < 3 then goto top end end end)
run("goto continue", function() for i = 1, 3 do local a <close> = tbc("a" .. i)
  if i == 2 then goto continue end log[#log + 1] = "body" .. i ::continue:: end
  end)
run("while", function() local i = 0 while i < 2 do i = i + 1 local a <close> =
  tbc("a" .. i) end end)
run("repeat", function() local i = 0 repeat i = i + 1 local a <close> =
  tbc("a" .. i) until i == 2 end)
run("error", function() local a <close> = tbc "a" local b <close> = tbc "b"
  error("E", 0) end)
run("error in close", function() local a <close> = tbc "a" local b <close> =
  tbc("b", function() error("B", 0) end) local c <close> = tbc "c" end)
run("two errors", function() local a <close> = tbc("a", function() error("A", 0)
  end) local b <close> = tbc("b", function() error("B", 0) end) error("E", 0)
  end)
run("error on return", function() local a <close> =
  tbc("a", function() error("A", 0) end) return "value" end)
run("nil and false", function() local a <close> = nil local b <close> = false
  return "fine" end)
run("not closable", function() local a <close> = {} end)
run("not closable number", function() local a <close> = 42 end)
run("not closable later", function() local a <close> = tbc "a" local xyz <close>
  = "string" end)
run("metamethod gone", function() local o = tbc "a" local a <close> = o
  getmetatable(o).__close = nil end)
run("metamethod replaced", function() local o = tbc "a" local a <close> = o
  getmetatable(o).__close = function() log[#log + 1] = "new" end end)
run("metamethod not callable", function() local o = tbc "a" local a <close> = o
  getmetatable(o).__close = 5 end)
run("for", function() for i, v in function(_, c) c = (c or 0) + 1 if c < 3 then
  return c, c * 2 end end, nil, nil, tbc "for" do log[#log + 1] = "i" .. i end
  end)
run("for break", function() for i in function() return 1 end, nil, nil, tbc
  "for" do break end end)
run("for error", function() for i in function() error("iter", 0) end, nil, nil,
  tbc "for" do end end)
run("for return", function() for i in function() return 1 end, nil, nil, tbc
  "for" do return "from loop" end end)
run("for not closable", function() for i in next, {}, nil, 5 do end end)
run("nested for", function() for i in function(_, c) if not c then return 1 end
  end, nil, nil, tbc "outer" do for j in function(_, c) if not c then return 1
  end end, nil, nil, tbc "inner" do log[#log + 1] = "body" end end end)
run("captured", function() local f do local a <close> = tbc "a" f = function()
  return a.name end end return f() end)
run("tail is no tail", function() local function g() local a <close> = tbc "a"
  return (function() return #log end)() end return g() end)
run("in coroutine", function() local co = coroutine.wrap(function() local a
  <close> = tbc "a" coroutine.yield(1) return 2 end) return co(), co() end)
run("many", function() local a <close> = tbc "1" local b <close> = tbc "2"
  local c <close> = tbc "3" local d <close> = tbc "4" local e <close> = tbc "5"
  end)
run("nested functions", function()
  local a <close> = tbc "a";
  (function()
    local b <close> = tbc "b";
    (function() local c <close> = tbc "c" error("deep", 0) end)()
  end)()
end)
run("pcall inside", function() local a <close> =
  tbc("a", function() log[#log + 1] = tostring(pcall(error, "inner")) end)
  error("outer", 0) end)
run("value of error", function() local a <close> =
  tbc("a", function(_, e) error({wrapped = e}) end) error("x", 0) end)
run("multiple", function() local a, b <close>, c = 1, tbc "b", 3 return a, c
  end)
run("close calls close", function() local a <close> =
  tbc("a", function() local z <close> = tbc "z" log[#log + 1] = "in" end) end)
run("xpcall", function() return xpcall(function() local a <close> = tbc "a"
  error "E" end, function(m) log[#log + 1] = "handler" return m end) end)
