-- SPDX-License-Identifier: MIT
-- A parser and printer for a data format, with error positions.
local parse
local escapes = {n = "\n", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/"}
local function fail(s, i, what) local line = 1
for _ in s:sub(1, i - 1):gmatch "\n" do line = line + 1 end
error(("line %d: expected %s near %q"):format(line, what, s:sub(i, i + 5)), 0)
end local function skip(s, i) return s:match("^%s*()", i) end local
function str(s, i) local out = {} i = i + 1 while true do
local plain, j = s:match('^([^"\\]*)()', i) out[#out + 1] = plain
local c = s:sub(j, j) if c == '"' then
return table.concat(out), j + 1 elseif c == "\\" then
local e = s:sub(j + 1, j + 1)
if e == "u" then out[#out + 1] = utf8.char(tonumber(s:match("^%x%x%x%x", j + 2)
  or fail(s, j, "hex"), 16)) i = j + 6 else out[#out + 1] = escapes[e] or
  fail(s, j, "escape") i = j + 2 end else fail(s, j, "end of string") end end
end function parse(s, i) i = skip(s, i or 1) local c = s:sub(i, i)
if c == "{" then local t = {} i = skip(s, i + 1) if s:sub(i, i) == "}" then
return t, i + 1 end while true do if s:sub(i, i) ~= '"' then fail(s, i, "key")
end local k, v k, i = str(s, i) i = skip(s, i)
if s:sub(i, i) ~= ":" then fail(s, i, "':'")
end v, i = parse(s, i + 1) t[k] = v i = skip(s, i) c = s:sub(i, i)
if c == "}" then return t, i + 1 elseif c ~= "," then fail(s, i, "',' or '}'")
end i = skip(s, i + 1) end elseif c == "[" then local t = {} i = skip(s, i + 1)
if s:sub(i, i) == "]" then return t, i + 1 end while true
do t[#t + 1], i = parse(s, i) i = skip(s, i) c = s:sub(i, i) if c == "]" then
return t, i + 1 elseif c ~= "," then fail(s, i, "',' or ']'") end i = i + 1
end elseif c == '"' then return str(s, i) end
local n, j = s:match("^(-?%d+%.?%d*[eE]?[+-]?%d*)()", i) if n then
return tonumber(n) or fail(s, i, "number"), j end
for word, value in pairs {["true"] = true, ["false"] = false} do
if s:sub(i, i + #word - 1) == word then return value, i + #word end
end fail(s, i, "value") end
local function dump(v) if type(v) == "table" then local r = {}
if #v > 0 or next(v) == nil then for i, x in ipairs(v) do r[i] = dump(x) end
return "[" .. table.concat(r, ",") .. "]" end local keys = {} for k in pairs(v)
do keys[#keys + 1] = k end table.sort(keys) for i, k in ipairs(keys)
do r[i] = ("%q:%s"):format(k, dump(v[k])) end
return "{" .. table.concat(r, ",") .. "}" elseif type(v) == "string" then
return ("%q"):format(v) end return tostring(v) end
for _, s in ipairs
  {'{"a": [1, 2.5, -3e2, {"b": "c\\n\\u00e4"}], "d": true, "e": {}}', "[]",
  "[[[[1]]]]", '"x"', "12", "{", '{"a" 1}', "[1, 2", '["\\q"]', "[1,]",
  "\n\n[1, nope]", '{"a": "unfinished', '[1e5, 0.1, -0, 123456789012345678901]'}
do print(pcall(function() return dump((parse(s))) end)) end
