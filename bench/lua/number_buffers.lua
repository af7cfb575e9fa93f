-- SPDX-License-Identifier: MIT
-- group: allocation
-- quick: 22
--
-- Buffers of numbers: arrays of a few thousand floats are made, filtered into
-- new ones, and dropped; a window of them stays alive.  Large arrays without
-- references, which grow element by element.
-- Argument: number of rounds.

local rounds = tonumber(arg and arg[1]) or 220
local length = 4096
local window = 64

local function tone(frequency, phase)
  local out = {}
  for i = 1, length do
    local t = (i * frequency + phase) % 64
    out[i] = (t < 32 and t or 64 - t) / 16.0 - 1.0
  end
  return out
end

local function smooth(samples)
  local out = {}
  local last = samples[1]
  for i = 1, #samples do
    last = last * 0.5 + samples[i] * 0.5
    out[#out + 1] = last
  end
  return out
end

local function half(samples)
  local out, n = {}, 0
  for i = 1, #samples - 1, 2 do
    n = n + 1
    out[n] = (samples[i] + samples[i + 1]) * 0.5
  end
  return out
end

local function mix(a, b)
  local out = {}
  for i = 1, math.min(#a, #b) do out[i] = a[i] * 0.75 + b[i] * 0.25 end
  return out
end

local recent = {}
local sum = 0.0
for round = 1, rounds do
  for k = 1, 8 do
    local signal = smooth(tone(k, round))
    local slot = (round * 8 + k) % window + 1
    local old = recent[slot]
    if old then signal = mix(signal, old) end
    recent[slot] = signal
    local small = half(half(signal))
    sum = sum + small[round % #small + 1]
  end
end
print(string.format("checksum %.6f", sum))
