-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: coroutine

local try = dofile("try.lua")

try("create", coroutine.create)
try("create", coroutine.create, 1)
try("wrap", coroutine.wrap, nil)
try("resume", coroutine.resume)
try("resume", coroutine.resume, 1)
try("status", coroutine.status, 1)
try("running", function() local c, m = coroutine.running() return type(c), m
  end)
try("isyieldable", coroutine.isyieldable)
try("isyieldable", coroutine.isyieldable, 1)
try("yield", coroutine.yield)
try("close", coroutine.close, coroutine.create(print))
try("close", coroutine.close, 1)
try("close run", function() return coroutine.close(coroutine.running()) end)
try("dead", function() local c = coroutine.create(function() end) coroutine.
  resume(c) return coroutine.resume(c) end)
try("dead wrap", function() local c = coroutine.wrap(function() end) c() return
  c() end)
try("err", function() local c = coroutine.create(error) return coroutine.resume
  (c, "x") end)
try("err tbl", function() local c = coroutine.create(error) return coroutine.
  resume(c, {}) end)
try("wrap err", function() return coroutine.wrap(function() error("x") end)()
  end)
try("wrap err tbl", function() return coroutine.wrap(function() error({}) end)(
  ) end)
try("self resume", function() local c c = coroutine.create(function() return
  coroutine.resume(c) end) return coroutine.resume(c) end)
try("self wrap", function() local c c = coroutine.wrap(function() return c()
  end) return c() end)
try("normal", function() local a, b a = coroutine.create(function() return
  coroutine.resume(b) end) b = coroutine.create(function() return coroutine.
  status(a), coroutine.resume(a) end) return coroutine.resume(a) end)
try("close err", function() local c = coroutine.create(function() local x <
  close> = setmetatable({}, {__close=function() error("in close") end})
  coroutine.yield() end) coroutine.resume(c) return coroutine.close(c) end)
try("close normal", function() local a a = coroutine.create(function() local b
  = coroutine.create(function() return coroutine.close(a) end) return coroutine
  .resume(b) end) return coroutine.resume(a) end)
try("yield across", function() local c = coroutine.create(function() table.sort
  ({3,2,1}, coroutine.yield) end) return coroutine.resume(c) end)
try("yield gsub", function() local c = coroutine.wrap(function() return string.
  gsub("a", "a", coroutine.yield) end) return c() end)
try("yield meta", function() local c = coroutine.wrap(function() return
  setmetatable({}, {__add=function(a, b) return coroutine.yield(b) end}) + 7
  end) return c(), c(9) end)
try("yield for", function() local c = coroutine.wrap(function() for x in
  coroutine.yield do return x end end) return c(), c(5) end)
try("yield pcall", function() local c = coroutine.wrap(function() return pcall(
  coroutine.yield, 1) end) return c(), c(2) end)
try("wrap close", function() local c = coroutine.wrap(function() local x <close
  > = setmetatable({}, {__close=function(_, e) print("closing", e) end}) error(
  "boom") end) return c() end)
