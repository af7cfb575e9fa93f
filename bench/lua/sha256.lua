-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 190
--
-- SHA-256 (FIPS 180-4) of messages of several lengths: rotations, exclusive ors
-- and additions of 32-bit words in 64-bit integers, with local variables and a
-- short array.  Needs the operators of Lua 5.3; luajit/sha256.lua is the same
-- program with LuaJIT's bit library.
-- Argument: kilobytes to digest.

local kilobytes = tonumber(arg and arg[1]) or 1900
local mask = 0xffffffff

-- The constants are the first 32 bits of the fractional parts of roots of
-- primes.
local function root_bits(prime, exponent)
  local root = prime ^ exponent
  return math.floor((root - math.floor(root)) * 2.0 ^ 32)
end

local round_constants, initial = {}, {}
local candidate = 2
while #round_constants < 64 do
  local is_prime = true
  for i = 2, math.floor(candidate ^ 0.5) do
    if candidate % i == 0 then is_prime = false end
  end
  if is_prime then
    round_constants[#round_constants + 1] = root_bits(candidate, 1 / 3)
    if #initial < 8 then initial[#initial + 1] = root_bits(candidate, 0.5) end
  end
  candidate = candidate + 1
end

local function rotate(x, n) return (x >> n | x << (32 - n)) & mask end

local function expand(w, text, at)
  for i = 1, 16 do
    local a, b, c, d = text:byte(at, at + 3)
    w[i] = a << 24 | b << 16 | c << 8 | d
    at = at + 4
  end
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    local s0 = rotate(x, 7) ~ rotate(x, 18) ~ x >> 3
    local s1 = rotate(y, 17) ~ rotate(y, 19) ~ y >> 10
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) & mask
  end
end

local function compress(state, w)
  local a, b, c, d = state[1], state[2], state[3], state[4]
  local e, f, g, h = state[5], state[6], state[7], state[8]
  for i = 1, 64 do
    local s1 = rotate(e, 6) ~ rotate(e, 11) ~ rotate(e, 25)
    local choice = e & f ~ ~e & g
    local t1 = h + s1 + choice + round_constants[i] + w[i]
    local s0 = rotate(a, 2) ~ rotate(a, 13) ~ rotate(a, 22)
    local majority = a & b ~ a & c ~ b & c
    h, g, f, e = g, f, e, (d + t1) & mask
    d, c, b, a = c, b, a, (t1 + s0 + majority) & mask
  end
  state[1], state[2] = (state[1] + a) & mask, (state[2] + b) & mask
  state[3], state[4] = (state[3] + c) & mask, (state[4] + d) & mask
  state[5], state[6] = (state[5] + e) & mask, (state[6] + f) & mask
  state[7], state[8] = (state[7] + g) & mask, (state[8] + h) & mask
end

-- A one bit, zeros, and the length in bits fill the last block.
local function pad(text)
  local length, out = #text * 8, {}
  for i = 8, 1, -1 do
    out[i] = string.char(length % 256)
    length = math.floor(length / 256)
  end
  return text .. "\128" .. ("\0"):rep(-(#text + 9) % 64) .. table.concat(out)
end

local function sha256(text)
  text = pad(text)
  local state, w = {}, {}
  for i = 1, 8 do state[i] = initial[i] end
  for at = 1, #text, 64 do
    expand(w, text, at)
    compress(state, w)
  end
  local out = {}
  for i = 1, 8 do out[i] = string.format("%08x", state[i]) end
  return table.concat(out)
end

assert(sha256("abc") ==
  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")

local block = ("0123456789abcdef"):rep(64)
local digest = ""
for i = 1, kilobytes do digest = sha256(block .. digest .. i) end
print("checksum " .. digest)
