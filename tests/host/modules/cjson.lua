-- SPDX-License-Identifier: MIT
-- package: lua-cjson
-- module: cjson
-- cjson: numbers, nesting, buffers, errors in the middle of a structure.
local cjson = require "cjson"

local function sorted(t)
  if type(t) ~= "table" then return tostring(t) end
  local keys = {}
  for k, v in pairs(t) do keys[#keys + 1] = tostring(k) .. "=" .. sorted(v) end
  table.sort(keys)
  return "{" .. table.concat(keys, ",") .. "}"
end

print(cjson.encode({1, 2, 3, "x", true, cjson.null}))
print(sorted(cjson.decode(
  '{"a":[1,2,{"b":null}],"c":1e3,"d":"\\u00e9\\n","e":-0.5}')))
print(cjson.encode(2 ^ 53), cjson.encode(1 / 3), cjson.encode("\0\1\"\\/"))
print(pcall(cjson.decode, '{"a":'), pcall(cjson.decode, "[1,]"))
print(pcall(cjson.encode, {[1] = 1, [1000] = 2}), pcall(cjson.encode, print))
print(pcall(cjson.encode, 0 / 0))

local deep = "1"
for i = 1, 900 do deep = "[" .. deep .. "]" end
print(#cjson.encode(cjson.decode(deep)), pcall(cjson.decode, ("["):rep(2000)))

-- Round trips with a lot of garbage.
local sum = 0
for round = 1, 10 do
  local list = {}
  for i = 1, 200 do
    list[i] = {id = i, name = "item " .. i, tags = {"a" .. i, "b"},
               on = i % 2 == 0}
  end
  local text = cjson.encode(list)
  local back = cjson.decode(text)
  for _, v in ipairs(back) do sum = sum + v.id + #v.tags[1] + #v.name end
end
print(sum)

-- Separate instances have their own settings, kept in a userdata.
local other = cjson.new()
other.encode_sparse_array(true)
other.encode_number_precision(3)
print(other.encode({[1] = 1.23456, [30] = 2}))
print(cjson.encode(1.23456))
other = nil
collectgarbage()
local safe = require "cjson.safe"
print(safe.decode("{"), safe.encode({print}))
print(cjson.decode("[]") ~= nil, cjson.encode(cjson.decode('{"x":{}}')))
