-- SPDX-License-Identifier: MIT
-- package: lua-zlib
-- module: zlib
-- buffers: unchecked
-- lua-zlib: streams are closures over userdata with __gc.
local zlib = require "zlib"
local text = {}
for i = 1, 5000 do text[i] = "line " .. i % 77 .. "\n" end
text = table.concat(text)

local packed, eof, bytes_in, bytes_out = zlib.deflate(9)(text, "finish")
print(#packed < #text / 5, eof, bytes_in, bytes_out == #packed)
local back, ended, i, o = zlib.inflate()(packed)
print(back == text, ended, i == #packed, o == #text)

-- In pieces.
local stream, parts = zlib.inflate(), {}
for at = 1, #packed, 13 do
  parts[#parts + 1] = (stream(packed:sub(at, at + 12)))
end
print(table.concat(parts) == text)

local gz = zlib.deflate(6, 15 + 16)(text, "finish")
print(gz:sub(1, 2) == "\31\139", zlib.inflate(15 + 32)(gz) == text)

for round = 1, 300 do
  local d = zlib.deflate()
  d("left in the middle " .. round)
  if round % 3 == 0 then zlib.inflate()(packed:sub(1, 40)) end
end
collectgarbage()
print(pcall(zlib.inflate(), "this is no deflate stream"))
print(zlib.crc32()("hello"), zlib.adler32()("hello"))
local c = zlib.crc32()
c("hel")
print(c("lo") == zlib.crc32()("hello"), type(zlib.version()))
