-- SPDX-License-Identifier: MIT
-- require, package.path, searchers, preload, loaded, searchpath (manual 6.3).
local function write(name, text)
local f = assert(io.open(name, "w")) f:write(text) f:close()
end os.execute("mkdir -p sub/deep") package.path =
  "./?.lua;./?/init.lua;./sub/?.lua" package.cpath = "./?.so;./sub/?.so"
  write("modtable.lua",
  "return {name = ..., args = select('#', ...), path = select(2, ...)}")
  write("modnil.lua", "loaded_nil = (loaded_nil or 0) + 1")
  write("modfalse.lua", "loaded_false = (loaded_false or 0) + 1 return false")
  write("moderror.lua", "error('while loading')")
  write("modsyntax.lua", "x = = 1")
  write("sub/init.lua", "return 'sub package'")
  write("sub/deep/m.lua", "return 'deep ' .. ...")
  write("sub/other.lua", "return 'other in sub'")
  write("modself.lua", "package.loaded[...] = 'set by itself'")
  write("modloop1.lua", "return {two = require 'modloop2'}")
  write("modloop2.lua", "return {one = require 'modloop1'}")
  write("modnumber.lua", "return 42, 'extra'")
local m, where = require "modtable" print(m.name, m.args, m.path, where)
print(require "modtable" == m, select("#", require "modtable"),
  package.loaded.modtable == m) print(require "modnil", loaded_nil)
print(require "modnil", loaded_nil, package.loaded.modnil)
print(require "modfalse") print(require "modfalse", loaded_false)
print(pcall(require, "moderror")) print(pcall(require, "moderror"))
print(pcall(require, "modsyntax")) print(require "sub")
print(require "sub.deep.m") print(require "other") print(require "modself")
print(pcall(require, "modloop1")) print(require "modnumber")
print(pcall(require, "no.such.module")) package.preload.pre = function(...)
return {...} end m, where = require "pre"
print(m[1], m[2], where) package.loaded.faked = "faked"
print(require "faked") package.loaded.modtable = nil
print(require "modtable" ~= m)
print(package.searchpath("sub.deep.m", package.path))
print(package.searchpath("nope", "./?.lua;./?.x"))
print(package.searchpath("a-b", "?.q", "-", "+"))
print(package.searchpath("sub/other", "./?.lua"))
print(package.searchpath("sub.other", "./?.lua", "", ""))
print(pcall(package.searchpath, "x")) print(package.config)
print(#package.searchers, type(package.loaded), package.loaded._G == _G,
  package.loaded.string == string, type(package.preload), package.loadlib ~=
  nil) print(package.loadlib("./none.so", "f"))
print(package.loadlib("./none.so", "*"))
  table.insert(package.searchers, 2, function(name) if name == "virtual" then
  return function(n, extra) return n .. "/" .. tostring(extra) end, "extra" end
  return "\n\tno virtual '" .. name .. "'" end) print(require "virtual")
print(pcall(require, "nothing")) package.searchers[2] = function() return nil
end print(pcall(require, "nothing")) package.searchers[2] = function()
error("searcher error", 0) end
print(pcall(require, "nothing")) package.searchers = {}
print(pcall(require, "x")) package.searchers = nil
print(pcall(require, "x")) package.path = nil print(pcall(require, "y"))
print(pcall(require, 5)) print(pcall(require)) local names = {}
for k in pairs(package) do names[#names + 1] = k end table.sort(names)
print(table.concat(names, " "))
