-- SPDX-License-Identifier: MIT
-- The web server runs this for every request: tables, strings, patterns,
-- closures, a persistent cache, a coroutine, a finalizer.
local kept = package.loaded.kept or {count = 0, finalized = 0, cache = {}}
package.loaded.kept = kept
kept.count = kept.count + 1
local r = lighty.r
local path = r.req_attr["uri.path"]
local id = tonumber(path:match("(%d+)$")) or 0

local rows = {}
for i = 1, 60 do
  rows[i] = {id = id + i, name = ("row %d of %s"):format(i, path)}
end
table.sort(rows, function(a, b) return a.name < b.name end)
kept.cache[kept.count % 500 + 1] = rows
setmetatable({}, {__gc = function() kept.finalized = kept.finalized + 1 end})

local walk = coroutine.wrap(function()
  for _, row in ipairs(rows) do coroutine.yield(row.name) end
end)
local out = {"<html><body><h1>", path, "</h1>"}
for _ = 1, 60 do out[#out + 1] = "<p>" .. walk() .. "</p>\n" end
out[#out + 1] = "</body></html>\n"

r.resp_header["Content-Type"] = "text/html"
if path == "/failure" then error("asked for") end
if path == "/count" then
  out = {tostring(kept.count > 100 and kept.finalized > 10 and #kept.cache > 0)}
end
r.resp_body:set(out)
return 200
