-- Functions whose constructors hold constants, dumped and loaded again.
local function check(name, code)
  for _, strip in ipairs {false, true} do
    local f = assert(load(code, "=c"))
    local g = assert(load(string.dump(f, strip), "=d", "b"))
    local one, two, again = f(), g(), g()
    local names = {}
    for k, v in pairs(one) do
      if two[k] ~= v then print("differs", name, k, v, two[k]) end
      names[#names + 1] = tostring(k) .. "=" .. tostring(v)
    end
    for k in pairs(two) do if one[k] == nil then print("more", name, k) end end
    two.changed = true
    if rawequal(two, again) or again.changed then print("shared", name) end
    table.sort(names)
    local text = table.concat(names, " ")
    print(name, strip, #names, #one, #two, #text, text:sub(1, 60))
  end
end

for _, count in ipairs {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 49, 50, 51, 100,
                        255, 256, 257, 300, 600} do
  local named, listed, mixed = {}, {}, {}
  for i = 1, count do
    named[i] = "k" .. i .. " = " .. i
    listed[i] = i % 3 == 0 and "'s" .. i .. "'" or tostring(i / 2)
    mixed[i] = i % 2 == 0 and named[i] or listed[i]
  end
  check("named " .. count, "return {" .. table.concat(named, ", ") .. "}")
  check("listed " .. count, "return {" .. table.concat(listed, ", ") .. "}")
  check("mixed " .. count, "return {" .. table.concat(mixed, ", ") .. "}")
end
check("values", "return {a = true, b = false, c = 'x', d = 1.5, e = -1, [1] = 'one', "
                .. "[2.5] = 'float', [true] = 'yes', ['with space'] = 2^53, [-1] = 0.0}")
check("nil", "return {a = nil, b = 1, nil, 2, nil}")
check("twice", "return {a = 1, a = 2, [1] = 'first', 'second'}")
check("long", "return {a = '" .. ("x"):rep(100) .. "', " .. ("y"):rep(60) .. " = 1}")
local f = load("local t = {} for i = 1, 3 do t[i] = {x = i, y = 2, z = {w = 3}} end return t")
local t = load(string.dump(f))()
for i = 1, 3 do print(t[i].x, t[i].y, t[i].z.w, t[i] ~= t[1], t[i].z == t[1].z) end

-- Constants of every length at which strings are read in another way.
for _, n in ipairs {0, 1, 39, 40, 41, 253, 254, 255, 256, 4095, 4096, 4097, 65535,
                    65536, 65537, 262144, 1000000} do
  local text = ("abcdefg"):rep(n // 7 + 1):sub(1, n)
  local f = load("return '" .. text .. "', {x = '" .. text:sub(1, 1000) .. "'}")
  for _, strip in ipairs {false, true} do
    local s, t = load(string.dump(f, strip))()
    print(n, #s, s == text, #t.x)
  end
end
-- A dump that ends anywhere is refused.
local whole = string.dump(load("local a = 'text' return {a, x = 1.5, 'more'}, function() end"))
for i = 0, #whole - 1 do
  local f, message = load(whole:sub(1, i), "=cut", "b")
  if f then print("accepted", i) end
end
