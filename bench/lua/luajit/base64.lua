-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 9
--
-- ../base64.lua for LuaJIT: its bit library in place of the operators.
-- Argument: number of round trips.

local bit = require("bit")
local band, bor = bit.band, bit.bor
local lshift, rshift = bit.lshift, bit.rshift

local trips = tonumber(arg and arg[1]) or 90

local alphabet =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local letters, values = {}, {}
for i = 0, 63 do
  letters[i] = alphabet:sub(i + 1, i + 1)
  values[alphabet:byte(i + 1)] = i
end

local function encode_group(a, b, c)
  local bits = bor(lshift(a, 16), lshift(b or 0, 8), c or 0)
  return letters[rshift(bits, 18)] .. letters[band(rshift(bits, 12), 63)] ..
         (b and letters[band(rshift(bits, 6), 63)] or "=") ..
         (c and letters[band(bits, 63)] or "=")
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
  local bits = bor(lshift(values[a], 18), lshift(values[b], 12),
                   lshift(values[c] or 0, 6), values[d] or 0)
  local first, second = rshift(bits, 16), band(rshift(bits, 8), 255)
  if not values[c] then return string.char(first) end
  if not values[d] then return string.char(first, second) end
  return string.char(first, second, band(bits, 255))
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
