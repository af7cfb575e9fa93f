-- Numerals of nearly 200 characters and just over, where a buffer may end, and
-- the characters that may follow an exponent.
local try = dofile("try.lua")

local function short(v)
  v = type(v) == "number" and string.format("%.17g", v) or tostring(v)
  if #v > 90 then v = v:sub(1, 40) .. "..." .. #v .. "..." .. v:sub(-40) end
  return v
end

local makers = {
  digits = function(n) return ("7"):rep(n) end,
  zeros = function(n) return ("0"):rep(n - 1) .. "7" end,
  fraction = function(n) return "1." .. ("3"):rep(n - 2) end,
  small = function(n) return "." .. ("0"):rep(n - 2) .. "5" end,
  exponent = function(n) return "1e" .. ("0"):rep(n - 3) .. "5" end,
  hex = function(n) return "0x" .. ("f"):rep(n - 2) end,
  hex_zeros = function(n) return "0x" .. ("0"):rep(n - 3) .. "a" end,
  hex_fraction = function(n) return "0x." .. ("8"):rep(n - 3) end,
  hex_power = function(n) return "0x1p" .. ("0"):rep(n - 5) .. "4" end,
  minus = function(n) return "-" .. ("3"):rep(n - 1) end,
  spaces = function(n) return (" "):rep(n - 2) .. "42" end,
  spaces_after = function(n) return "42" .. (" "):rep(n - 2) end,
}
local names = {}
for name in pairs(makers) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  for _, n in ipairs {20, 30, 31, 32, 33, 63, 64, 65, 127, 128, 198, 199, 200, 201,
                      202, 255, 256, 257, 400} do
    local text = makers[name](n)
    local f, message = load("return " .. text, "=n")
    print(name, n, short(tonumber(text)), short(f and f() or message))
    print("", pcall(function() return short(text + 0) end))
    print("", short(math.tointeger(text)), short(select(2, load("return " .. text .. "x", "=n"))))
  end
end

-- Characters after digits, points, exponents.
local heads = {"0x1", "0x", "0x.", "0x1.", "0x1p", "0x1p+", "0x1p4", "0x1P-4",
               "0x1e", "0x1e+", "1e", "1e+", "1e5", "1E-5", "1.", ".", "1..", "3",
               "08", "0xep1", "0x.1p1", "1p1", "0x1.8p0", "9e", "0b1"}
local tails = {"", "a", "f", "g", "p", "e", "x", "_", "0", "9", ".", "..", "+", "-",
               "+1", "-1", "p1", "e1", " ", "e+1", "p-1", "L", "\0"}
for _, head in ipairs(heads) do
  for _, tail in ipairs(tails) do
    local text = head .. tail
    local f, message = load("return " .. text, "=n")
    local ok, value = pcall(f or function() return message end)
    print(("%q"):format(text), short(tonumber(text)), ok, short(value))
  end
end

-- Integers at the limits, in every base.
for base = 2, 36 do
  for _, text in ipairs {"", "0", "1", "z", "Z", "-1", "- 1", "10", "1 ", "g", "9a",
                         ("1"):rep(63), ("1"):rep(64), ("1"):rep(65)} do
    io.write(tostring(tonumber(text, base)), " ")
  end
  print(base)
end
for _, text in ipairs {"9223372036854775807", "9223372036854775808",
                       "-9223372036854775808", "-9223372036854775809",
                       "0x7fffffffffffffff", "0x8000000000000000",
                       "0xffffffffffffffff", "0x10000000000000000",
                       "922337203685477580", "9223372036854775799",
                       "9223372036854775809"} do
  local f = load("return " .. text)
  print(text, tonumber(text), f(), math.type(f()), math.type(text + 0))
end
try("base 1", tonumber, "1", 1)
try("base 37", tonumber, "1", 37)
