-- SPDX-License-Identifier: MIT
-- Modules: require and the package library (manual, 6.3)

local function fails(f, ...) return select(2, pcall(f, ...)) end
local slash = package.config:sub(1, 1)
local function make_folder(name) os.execute("mkdir " .. name:gsub("/", slash)) end
local folder = os.tmpname(); os.remove(folder); make_folder(folder)
-- a text with another name for the folder, the same on every system
local function plain(text) return (text:gsub(folder, "DIR"):gsub("\\", "/")) end
local function write(name, text)
  local f <close> = assert(io.open(folder .. "/" .. name, "w")); f:write(text)
end

-- what is there
print(package.config == slash .. "\n;\n?\n!\n-\n")   --> true
print(package.loaded._G == _G, package.loaded.string == string, #package.searchers)
--> true true 4
print(type(package.path), type(package.cpath), type(package.preload))
--> string string table
print(require("string") == string, select("#", require("math")))
--> true 1
package.path = folder .. "/?.lua;" .. folder .. "/?/init.lua"
package.cpath = folder .. "/?.so"

-- loading files
write("one.lua", "print('loading', ...); return {n = 1}")
local m, where = require("one")
-->~ ^loading one .*/one%.lua$
print(m.n, plain(where))                          --> 1 DIR/one.lua
print(require("one") == m, package.loaded.one == m)             --> true true
write("nothing.lua", "")
print(require("nothing"))                         -->~ ^true .*/nothing%.lua$
write("self.lua", "package.loaded[...] = 'stored'")
print((require("self")))                          --> stored
write("off.lua", "return false")
print((require("off")), package.loaded.off)       --> false false
make_folder(folder .. "/sub"); make_folder(folder .. "/sub/pack")
write("sub/leaf.lua", "return 'leaf of ' .. ...")
write("sub/pack/init.lua", "return 'init'")
print((require("sub.leaf")), (require("sub.pack")))
--> leaf of sub.leaf init
write("broken.lua", "x = = 1")
print(plain(fails(require, "broken")))
--> error loading module 'broken' from file 'DIR/broken.lua':
-->  DIR/broken.lua:1: unexpected symbol near '='
write("raises.lua", "error('in module', 0)")
print(fails(require, "raises"), package.loaded.raises)
--> in module nil
print(plain(fails(require, "missing.mod")))
--> module 'missing.mod' not found:
-->  no field package.preload['missing.mod']
-->  no file 'DIR/missing/mod.lua'
-->  no file 'DIR/missing/mod/init.lua'
-->  no file 'DIR/missing/mod.so'
-->  no file 'DIR/missing.so'
-- a search in very many places, successful or not, has a long message
do
  local path, empty = package.path, {}
  for i = 1, 100 do empty[i] = folder .. "/nowhere" .. i .. "/?.lua" end
  package.path = table.concat(empty, ";") .. ";" .. path
  write("far.lua", "return 'found'")
  print((require("far")))                         --> found
  print(plain(package.searchpath("far", package.path)) == "DIR/far.lua") --> true
  print(select(2, fails(require, "missing.far"):gsub("no file", ""))) --> 104
  local late = table.remove(package.searchers, 1)
  table.insert(package.searchers, late)
  package.preload.late = function(...) return select("#", ...) .. ... end
  print(require("late"))                          --> 2late :preload:
  table.insert(package.searchers, 1, table.remove(package.searchers))
  package.path = path
end
print(package.searchpath("x", ""))                --> nil no file ''
print(package.searchpath("x", ";"))
--> nil no file ''
-->  no file ''
write("fake.so", "this is no library")
print((plain(fails(require, "fake")):gsub(":\n.*", "")))
--> error loading module 'fake' from file 'DIR/fake.so'

-- preload and searchers
package.preload.early = function(...) return {...} end
print(table.unpack((require("early"))))             --> early :preload:
table.insert(package.searchers, 2, function(n)
  if n == "made" then return function(...) return select("#", ...) .. (...) end, "data" end
  return "\n\tmaker does not know '" .. n .. "'"
end)
print(require("made"))                            --> 2made data
print((fails(require, "other"):find("maker does not know 'other'")) ~= nil)
--> true
table.remove(package.searchers, 2)
local searchers = package.searchers
package.searchers = nil
print(fails(require, "x"))
--> 'package.searchers' must be a table
package.searchers = searchers
local path = package.path
package.path = nil
print(fails(require, "x"))
--> 'package.path' must be a string
package.path = path

-- searchpath
print(plain(package.searchpath("one", package.path)))
--> DIR/one.lua
print(plain(package.searchpath("sub.leaf", package.path)))
--> DIR/sub/leaf.lua
print(plain(package.searchpath("sub-leaf", package.path, "-")))
--> DIR/sub/leaf.lua
print(plain(package.searchpath("sub.leaf", folder .. "/?.lua", ".", "/")))
--> DIR/sub/leaf.lua
print(package.searchpath("a.b", "x/?;y/?.z", ".", "!"))
--> nil no file 'x/a!b'
-->  no file 'y/a!b.z'
print(package.searchpath("a", ""))                -->~ ^nil

-- loadlib
print(select("#", package.loadlib("/nonexistent.so", "*")), (select(3, package.loadlib("/nonexistent.so", "f"))))
--> 3 open
os.execute((slash == "/" and "rm -r " or "rmdir /s /q ") .. folder)
