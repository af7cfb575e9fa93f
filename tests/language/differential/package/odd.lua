-- SPDX-License-Identifier: MIT
-- Odd arguments, and what is said about them: package

local try = dofile("try.lua")

try("require", require)
try("require", require, "nope.mod")
try("searchpath", package.searchpath, "x", "?.lua;/a/?.lua")
try("searchpath", package.searchpath, "a.b", "?.lua", ".", "_")
try("searchpath", package.searchpath, "x")
try("loadlib", package.loadlib, "/nonexistent.so", "f")
try("loadlib", package.loadlib, "x")
try("config", function() return package.config end)
try("loaded", function() local r = {} for k in pairs(package.loaded) do r[#r+1]
  = k end table.sort(r) return table.concat(r, " ") end)
try("searchers", function() return #package.searchers end)
try("searchers bad", function() local old = package.searchers package.searchers
  = nil local ok, e = pcall(require, "zz") package.searchers = old return ok, e
  end)
try("path bad", function() local old = package.path package.path = nil local ok
  , e = pcall(require, "zz") package.path = old return ok, e end)
try("preload", function() package.preload.pp = function(...) return ... end
  return require "pp", select(2, require "pp") end)
try("preload false", function() package.preload.pf = function(...) return false
  end return require "pf" end)
try("preload nil", function() package.preload.pn = function(...) end return
  require "pn" end)
