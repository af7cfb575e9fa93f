-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 5
--
-- JSON: code written in Lua repeatedly encodes and decodes a document of nested
-- objects, arrays, strings with escapes and numbers.
-- Argument: number of round trips.

local trips = tonumber(arg and arg[1]) or 50

-- Encoding -------------------------------------------------------------------

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n",
                  ["\t"] = "\\t", ["\r"] = "\\r" }

local function escape(char)
  return escapes[char] or string.format("\\u%04x", char:byte())
end

local encode_value

local function encode_string(out, text)
  out[#out + 1] = '"' .. text:gsub('[%c"\\]', escape) .. '"'
end

local function encode_array(out, array)
  out[#out + 1] = "["
  for i = 1, #array do
    if i > 1 then out[#out + 1] = "," end
    encode_value(out, array[i])
  end
  out[#out + 1] = "]"
end

-- Sorts the keys, so that the text is the same everywhere.
local function encode_object(out, object)
  local keys = {}
  for key in pairs(object) do keys[#keys + 1] = key end
  table.sort(keys)
  out[#out + 1] = "{"
  for i = 1, #keys do
    if i > 1 then out[#out + 1] = "," end
    encode_string(out, keys[i])
    out[#out + 1] = ":"
    encode_value(out, object[keys[i]])
  end
  out[#out + 1] = "}"
end

function encode_value(out, value)
  local kind = type(value)
  if kind == "string" then
    encode_string(out, value)
  elseif kind == "number" then
    out[#out + 1] = string.format("%.14g", value)
  elseif kind == "boolean" then
    out[#out + 1] = tostring(value)
  elseif #value > 0 or next(value) == nil then
    encode_array(out, value)
  else
    encode_object(out, value)
  end
end

local function encode(value)
  local out = {}
  encode_value(out, value)
  return table.concat(out)
end

-- Decoding: each function takes a position and returns value and next one. --

local unescapes = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }

local function unescape_code(hex) return string.char(tonumber(hex, 16)) end
local function unescape_char(char) return unescapes[char] or char end

local decode_value

local function skip_space(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function decode_string(text, at)
  local from = at + 1
  local stop = from
  while true do
    stop = text:find('["\\]', stop)
    if text:byte(stop) == 34 then break end
    stop = stop + 2
  end
  local piece = text:sub(from, stop - 1)
  if piece:find("\\", 1, true) then
    piece = piece:gsub("\\u00(%x%x)", unescape_code)
    piece = piece:gsub("\\(.)", unescape_char)
  end
  return piece, stop + 1
end

local function decode_number(text, at)
  local digits = text:match("^-?%d+%.?%d*[eE]?[-+]?%d*", at)
  return tonumber(digits), at + #digits
end

local function decode_array(text, at)
  local array = {}
  at = skip_space(text, at + 1)
  if text:sub(at, at) == "]" then return array, at + 1 end
  while true do
    array[#array + 1], at = decode_value(text, at)
    at = skip_space(text, at)
    if text:sub(at, at) == "]" then return array, at + 1 end
    at = at + 1
  end
end

local function decode_object(text, at)
  local object, key = {}, nil
  at = skip_space(text, at + 1)
  if text:sub(at, at) == "}" then return object, at + 1 end
  while true do
    key, at = decode_string(text, skip_space(text, at))
    at = skip_space(text, at) + 1
    object[key], at = decode_value(text, at)
    at = skip_space(text, at)
    if text:sub(at, at) == "}" then return object, at + 1 end
    at = at + 1
  end
end

function decode_value(text, at)
  at = skip_space(text, at)
  local char = text:sub(at, at)
  if char == '"' then return decode_string(text, at) end
  if char == "{" then return decode_object(text, at) end
  if char == "[" then return decode_array(text, at) end
  if char == "t" then return true, at + 4 end
  if char == "f" then return false, at + 5 end
  return decode_number(text, at)
end

local function decode(text) return (decode_value(text, 1)) end

-- The document ---------------------------------------------------------------

local function make_document()
  local items = {}
  for i = 1, 400 do
    items[i] = {
      id = i, name = "item " .. i, price = i * 0.25, sold = i % 3 == 0,
      tags = { "tag" .. i % 7, "a \"quoted\" one", "line\nbreak\ttab" },
      place = { x = i * 10, y = -i, z = i / 8 },
      notes = i % 5 == 0 and {} or { { by = "reader", stars = i % 6 } },
    }
  end
  return { title = "catalog", items = items, version = 3 }
end

local text = encode(make_document())
local first, sum = text, 0
for _ = 1, trips do
  text = encode(decode(text))
  sum = (sum * 31 + #text) % 1000000007
end
assert(text == first)
print(string.format("checksum %d %d", #text, sum))
