-- SPDX-License-Identifier: MIT
-- package: lua-filesystem
-- module: lfs
-- LuaFileSystem: directory iterators are userdata with __gc and __close.
local lfs = require "lfs"

local base = os.tmpname()
os.remove(base)
assert(lfs.mkdir(base))
print(lfs.attributes(base, "mode"), (lfs.mkdir(base)))
for i = 1, 50 do
  local f <close> = assert(io.open(base .. "/file" .. i, "w"))
  f:write(("x"):rep(i))
end

local function names(dir)
  local list = {}
  for name in lfs.dir(dir) do list[#list + 1] = name end
  table.sort(list)
  return list
end
local list = names(base)
print(#list, list[1], list[2], list[3], list[#list])

local size = 0
for _, name in ipairs(list) do
  local a = assert(lfs.attributes(base .. "/" .. name))
  if a.mode == "file" then size = size + a.size end
end
print("size", size)

-- Unfinished iterators: closed by the loop, and by the collector.
local function descriptors()
  local open = 0
  for _ in lfs.dir("/proc/self/fd") do open = open + 1 end
  return open
end
local before = descriptors()
for round = 1, 2000 do
  for name in lfs.dir(base) do if name then break end end
  if round % 10 == 0 then local iterator, dir = lfs.dir(base); iterator(dir) end
end
collectgarbage()
print("descriptors stay few", descriptors() < before + 20)

do
  local iterator, dir = lfs.dir(base)
  iterator(dir)
  dir:close()
  print(pcall(iterator, dir))
end
print(pcall(lfs.dir, base .. "/none") == false)
print((select(2, lfs.attributes(base .. "/none"))) ~= nil)

lfs.touch(base .. "/file1", 1000000, 2000000)
print(lfs.attributes(base .. "/file1", "access"),
      lfs.attributes(base .. "/file1", "modification"))
assert(lfs.link(base .. "/file2", base .. "/link", true))
print(lfs.symlinkattributes(base .. "/link", "mode"),
      lfs.symlinkattributes(base .. "/link", "target") == base .. "/file2")

-- Locks on a file of io, whose userdata comes from our library.
local f = assert(io.open(base .. "/file3", "w"))
print(lfs.lock(f, "w"), lfs.unlock(f), lfs.setmode(f, "binary"))
f:close()
print(pcall(lfs.lock, f, "w"))
local lock = assert(lfs.lock_dir(base))
print((lfs.lock_dir(base)))
lock:free()

local here = lfs.currentdir()
lfs.chdir(base)
print(lfs.currentdir() == base or lfs.currentdir():find(base, 1, true) ~= nil)
lfs.chdir(here)

for _, name in ipairs(names(base)) do
  if name ~= "." and name ~= ".." then os.remove(base .. "/" .. name) end
end
print(lfs.rmdir(base), lfs.attributes(base) == nil)
