-- SPDX-License-Identifier: MIT
-- What io.read("n") reads of every short text that looks like a numeral, and
-- what it leaves.
local letters = { "+", "-", "0", "7", "e", "b", "x", "p", ".", " " }
local texts = { "" }
local from = 1
for _ = 1, 4 do
  local to = #texts
  for i = from, to do
    for _, c in ipairs(letters) do texts[#texts + 1] = texts[i] .. c end
  end
  from = to + 1
end
for _, head in ipairs { "0x.", "0x7.", "0x7p", "0.7e", "7e+", "-0x", "0xe.b" } do
  for _, tail in ipairs(texts) do
    if #tail == 2 then texts[#texts + 1] = head .. tail end
  end
end
local name = os.tmpname()
local f = assert(io.open(name, "w"))
for _, text in ipairs(texts) do f:write(text, "!\n") end
f:close()
f = assert(io.open(name))
for _, text in ipairs(texts) do
  local n = f:read("n")
  print(text, n, math.type(n), f:read("l"))
end
f:close()
-- numerals of the maximum length, and longer ones
for length = 198, 203 do
  f = assert(io.open(name, "w"))
  f:write(("0"):rep(length - 1), "7 rest")
  f:close()
  f = assert(io.open(name))
  print(length, f:read("n"), f:read("a"))
  f:close()
end
os.remove(name)
