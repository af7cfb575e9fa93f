-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 9
--
-- Base 64, encoding and decoding, with shifts and masks of integers: bytes come
-- from string.byte several at a time, letters go through a table into
-- table.concat.  Needs the operators of Lua 5.3; luajit/base64.lua is the same
-- program with LuaJIT's bit library.
-- Argument: number of round trips.

local trips = tonumber(arg and arg[1]) or 90

local alphabet =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local letters, values = {}, {}
for i = 0, 63 do
  letters[i] = alphabet:sub(i + 1, i + 1)
  values[alphabet:byte(i + 1)] = i
end

local function encode_group(a, b, c)
  local bits = a << 16 | (b or 0) << 8 | (c or 0)
  return letters[bits >> 18] .. letters[bits >> 12 & 63] ..
         (b and letters[bits >> 6 & 63] or "=") ..
         (c and letters[bits & 63] or "=")
end

local function encode(text)
  local out, n = {}, 0
  for i = 1, #text, 3 do
    n = n + 1
    out[n] = encode_group(text:byte(i, i + 2))
  end
  return table.concat(out)
end

local function decode_group(a, b, c, d)
  local bits = values[a] << 18 | values[b] << 12 | (values[c] or 0) << 6 |
               (values[d] or 0)
  if not values[c] then return string.char(bits >> 16) end
  if not values[d] then return string.char(bits >> 16, bits >> 8 & 255) end
  return string.char(bits >> 16, bits >> 8 & 255, bits & 255)
end

local function decode(text)
  local out, n = {}, 0
  for i = 1, #text, 4 do
    n = n + 1
    out[n] = decode_group(text:byte(i, i + 3))
  end
  return table.concat(out)
end

local function make_text(length)
  local seed, pieces = 12345, {}
  for i = 1, length do
    seed = (seed * 16807) % 2147483647
    pieces[i] = string.char(seed % 256)
  end
  return table.concat(pieces)
end

local text = make_text(40001)
local sum = 0
for _ = 1, trips do
  local coded = encode(text)
  assert(decode(coded) == text)
  for i = 1, #coded, 101 do sum = (sum * 31 + coded:byte(i)) % 1000000007 end
  text = text:sub(2) .. text:sub(1, 1)
end
assert(encode("any carnal pleas") == "YW55IGNhcm5hbCBwbGVhcw==")
print(string.format("checksum %d", sum))
