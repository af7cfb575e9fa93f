-- SPDX-License-Identifier: MIT
-- Files closed by scope and by generic for.
local name = os.tmpname()
do local f <close> = assert(io.open(name, "w")) f:write("a\nb\nc\n") end
local kept
do local f <close> = assert(io.open(name)) kept = f
print(io.type(f), f:read "l") end
print(io.type(kept), pcall(kept.read, kept))
for line in io.lines(name) do io.write(line, " ") end print()
local iter, s, c, closer = io.lines(name)
print(type(iter), s, c, io.type(closer))
for line in iter, s, c, closer do print(line) break end print(io.type(closer))
print(pcall(function() for l in io.lines(name) do error("stop at " .. l, 0) end
  end))
print(pcall(function() local f <close> = io.open(name) error "inside" end))
os.remove(name)
