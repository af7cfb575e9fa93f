-- SPDX-License-Identifier: MIT
-- package: lua-yaml
-- module: lyaml
-- lyaml: the parser calls Lua's memory functions between events; the emitter
-- is a closure.
local lyaml = require "lyaml"

local function show(v, seen)
  if type(v) ~= "table" then return tostring(v) end
  local keys = {}
  for k, x in pairs(v) do keys[#keys + 1] = tostring(k) .. "=" .. show(x) end
  table.sort(keys)
  return "{" .. table.concat(keys, ",") .. "}"
end

local doc = lyaml.load [[
list: [1, 2.5, "three", true, ~]
map: {a: 1, b: {c: [x, y]}}
base: &base {name: shared}
ref: *base
text: |
  two
  lines
]]
print(show(doc), doc.base == doc.ref)
print(show(lyaml.load("--- 1\n--- two\n", {all = true})))
print(pcall(lyaml.load, "a: [1, 2"))
print(lyaml.dump {{1, 2, {x = "y"}}})
local n = 0
for i = 1, 5 do
  local t = {}
  for k = 1, 20 do t[k] = {id = k, name = "n" .. k, tags = {"a", "b" .. i}} end
  local back = lyaml.load(lyaml.dump {t})
  n = n + #back + #back[20].tags[2]
end
print(n)

-- Events, with unfinished parsers.
local yaml = require "yaml"
for i = 1, 300 do
  local parser = yaml.parser("[a, {b: c}, &x d, *x]")
  for _ = 1, i % 7 do parser() end
end
collectgarbage()
local events = {}
for event in yaml.parser("{k: [v]}") do events[#events + 1] = event.type end
print(table.concat(events, " "))
local scanner = {}
for token in yaml.scanner("- a") do scanner[#scanner + 1] = token.type end
print(table.concat(scanner, " "))
