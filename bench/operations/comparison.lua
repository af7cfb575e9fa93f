-- SPDX-License-Identifier: MIT
-- Comparisons and tests.

local op = ...

local operands = {
  { "integers", "local a, b = 12345, 12346" },
  { "floats", "local a, b = 1234.5, 1235.5" },
  { "integer and float", "local a, b = 12345, 12345.5" },
  { "float and integer", "local a, b = 12345.5, 12346" },
  { "short strings", "local a, b = 'apple', 'apricot'" },
  { "long strings", "local a = ('x'):rep(200) .. 'a' local b = ('x'):rep(200) .. 'b'" },
}
for _, sort in ipairs(operands) do
  for _, sign in ipairs { "<", "<=", "==", "~=" } do
    op(sign .. ", " .. sort[1], sort[2] .. " local n = 0",
       ("if a %s b then n = n + 1 end"):format(sign))
  end
end
for _, constant in ipairs { "100", "100.0", "100.5", "-1" } do
  for _, sign in ipairs { "<", "<=", ">", ">=", "==" } do
    op("i " .. sign .. " " .. constant, "local n = 0",
       ("if i %s %s then n = n + 1 end"):format(sign, constant))
  end
end
for _, sign in ipairs { "<", "<=", "==", "~=" } do
  op("i " .. sign .. " a float variable", "local h, n = 1e5 + 0.5, 0",
     ("if i %s h then n = n + 1 end"):format(sign))
  op("a float " .. sign .. " an integer constant", "local h, n = 1.5, 0",
     ("if h %s 100 then n = n + 1 end"):format(sign))
end
op("<, an integer and a huge float", "local a, b, x = 5, 1e300", "x = a < b")
op("<, a large integer and a float",
   "local a, b, x = 1 << 60, 1e18", "x = a < b")
op("<, infinity", "local a, b, x = 5, math.huge", "x = a < b")
op("==, not a number", "local a, x = 0/0", "x = a == a")
op("==, equal long strings",
   "local a = ('x'):rep(1000) local b = ('x'):rep(1000) local x", "x = a == b")
op("==, long strings of other lengths",
   "local a = ('x'):rep(1000) local b = ('x'):rep(1001) local x", "x = a == b")
op("==, strings that are not equal", "local a, b, x = 'one', 'two'",
   "x = a == b")
op("==, a string constant", "local a, x = 'one'", "x = a == 'one'")
op("==, nil", "local a, x", "x = a == nil")
op("==, booleans", "local a, b, x = true, false", "x = a == b")
op("==, tables", "local a, b, x = {}, {}", "x = a == b")
op("==, functions", "local a, b, x = print, type", "x = a == b")
op("==, other types", "local a, b, x = {}, 'x'", "x = a == b")
op("<, strings with zeros",
   "local a, b, x = 'a\\0b\\0c', 'a\\0b\\0d'", "x = a < b")
op("<, long strings of 10 KB",
   "local a, b, x = ('ab'):rep(5000) .. 'x', ('ab'):rep(5000) .. 'y'",
   "x = a < b")
op("not", "local a, x = 5", "x = not a")
op("and", "local a, b, x = 5, 6", "x = a and b")
op("or", "local a, b, x = nil, 6", "x = a or b")
op("a and b or c", "local a, b, c, x = false, 5, 6", "x = a and b or c")
op("if with and", "local a, b, n = 1, 2, 0",
   "if a == 1 and b == 2 then n = n + 1 end")
op("if with or", "local a, b, n = 1, 2, 0",
   "if a == 2 or b == 2 then n = n + 1 end")
op("a chain of elseif", "local n = 0",
   "local m = i & 3; if m == 0 then n = n + 1 elseif m == 1 then n = n + 2 " ..
   "elseif m == 2 then n = n + 3 else n = n + 4 end")
op("a chain of elseif on strings", "local w, n = { 'add', 'sub', 'mul', 'div' }, 0",
   "local m = w[(i & 3) + 1]; if m == 'add' then n = n + 1 elseif m == 'sub' " ..
   "then n = n + 2 elseif m == 'mul' then n = n + 3 else n = n + 4 end")
op("greatest of three", "local a, b, c, x = 1, 2, 3",
   "x = a; if b > x then x = b end; if c > x then x = c end")
