-- SPDX-License-Identifier: MIT
-- Names that an implementation might use for itself are the program's.
for _, name in ipairs {"gc", "penumbra", "events", "collector", "observe"} do
  local file <close> = io.open(name .. ".lua", "w")
  file:write("return 'the program\\'s own ", name, "', ...")
end
package.path = "./?.lua"
for _, name in ipairs {"gc", "penumbra", "events", "collector", "observe"} do
  print(_G[name], package.loaded[name], package.preload[name])
  print(require(name))
  os.remove(name .. ".lua")
end
-- nothing else is there
local names = {}
for name in pairs(_G) do names[#names + 1] = name end
for name in pairs(package.loaded) do names[#names + 1] = "loaded " .. name end
for _, library in ipairs {"string", "table", "math", "io", "os", "coroutine", "debug", "utf8", "package"} do
  for name in pairs(_G[library]) do names[#names + 1] = library .. "." .. name end
end
for name in pairs(debug.getregistry()) do
  names[#names + 1] = "registry " .. (type(name) == "userdata" and "userdata" or tostring(name))
end
table.sort(names)
print(table.concat(names, "\n"))
