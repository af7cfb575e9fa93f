-- SPDX-License-Identifier: MIT
-- Arithmetic and bit operators, by the types of their operands.

local op = ...

local operands = {
  { "integers", "local a, b = 12345, 678" },
  { "floats", "local a, b = 1234.5, 67.25" },
  { "integer and float", "local a, b = 12345, 67.25" },
  { "float and integer", "local a, b = 1234.5, 67" },
}
for _, sort in ipairs(operands) do
  for _, sign in ipairs { "+", "-", "*", "/", "//", "%", "^" } do
    op(sign .. ", " .. sort[1], sort[2] .. " local x",
       ("x = a %s b"):format(sign))
  end
end
for _, sign in ipairs { "+", "-", "*", "/", "//", "%" } do
  op(sign .. " with an integer constant", "local a, x = 12345",
     ("x = a %s 7"):format(sign))
  op(sign .. " with a float constant", "local a, x = 12345.5",
     ("x = a %s 0.5"):format(sign))
  op(sign .. ", a constant on the left", "local a, x = 12345",
     ("x = 1000 %s a"):format(sign))
end
op("//, negative", "local a, b, x = -12345, 678", "x = a // b")
op("%, negative", "local a, b, x = -12345, 678", "x = a % b")
op("^ 2", "local a, x = 1.5", "x = a ^ 2")
op("^ 0.5", "local a, x = 1.5", "x = a ^ 0.5")
op("unary -, integer", "local a, x = 17", "x = -a")
op("unary -, float", "local a, x = 1.5", "x = -a")

for _, sign in ipairs { "&", "|", "~", "<<", ">>" } do
  op(sign .. ", integers", "local a, b, x = 0x12345, 13",
     ("x = a %s b"):format(sign))
  op(sign .. " with a constant", "local a, x = 0x12345",
     ("x = a %s 5"):format(sign))
  op(sign .. ", floats", "local a, b, x = 12345.0, 13.0",
     ("x = a %s b"):format(sign))
  op(sign .. ", a float and a constant", "local x",
     ("x = (i + 0.0) %s 5"):format(sign))
end
op("unary ~", "local a, x = 17", "x = ~a")
op("unary ~, float", "local a, x = 17.0", "x = ~a")
op("+, numbers in strings", "local a, b, x = '10', '20'", "x = a + b")
op("*, a number in a string and a number", "local a, x = '10'", "x = a * 3")
op("-, a float in a string", "local a, x = '10.5'", "x = a - 1")
op("a polynomial", "local x, y = 0.5", "y = ((x * 3 + 2) * x - 1) * x + 0.25")
op("a linear congruence", "local x = 1", "x = (x * 16807) % 2147483647")
op("xorshift", "local x = 88172645463325252",
   "x = x ~ x << 13; x = x ~ x >> 7; x = x ~ x << 17")
op("sum of integers and floats", "local x = 0", "x = x + i * 0.5")
op("upvalue + 1", "local x = 0; local function f() x = x + 1 end", "f()")
