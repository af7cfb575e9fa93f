-- SPDX-License-Identifier: MIT
-- Patterns: find, match, gmatch, gsub (manual, 6.4 and 6.4.1)

local function fails(f, ...) return select(2, pcall(f, ...)) end

-- find
print(("hello world"):find("wor"), ("hello"):find("xyz"))       --> 7 nil
print(("hello world"):find("wor"))                --> 7 9
print(("hello"):find("l"), ("hello"):find("l", 4))--> 3 4 4
print(("hello"):find(""), ("hello"):find("", 6), ("hello"):find("", 7))
--> 1 6 nil
print(("hello"):find("", 6))                      --> 6 5
print(("a.b"):find(".", 1, true), ("a+b"):find("+b", 1, true))  --> 2 2 3
print(("hello"):find("l", -2))                    --> 4 4
print(("a\0b"):find("\0"), ("a\0b"):find("%z"))   --> 2 2 2
print(("key = value"):find("(%w+)%s*=%s*(%w+)"))  --> 1 11 key value
print(("abc"):find("b()"))                        --> 2 2 3
print(("aaab"):find("a*b"), ("b"):find("^a"))     --> 1 nil
print(("a)b"):find(")"))                          --> 2 2

-- match
print(("2024-05-06"):match("(%d+)-(%d+)-(%d+)"))  --> 2024 05 06
print(("hello"):match("l+"), ("hello"):match("(h)(x?)(e)"))     --> ll h  e
print(("hello"):match(".", -1), ("hello"):match("xyz"), ("hello"):match("()ll()"))
--> o nil 3 5
print(("  trim  "):match("^%s*(.-)%s*$") .. "|")  --> trim|
print(("key=val"):match("^(%w+)=(%w*)$"))         --> key val
print(("abc"):match("^b"), ("abc"):match("b", 2), ("abc"):match("^b", 2))
--> nil b b
print(("a$b"):match("a$b"), ("ab$"):match("b%$$"), ("ab"):match("b$"))
--> a$b b$ b
print(("x^y"):match("x^y"))                       --> x^y

-- classes, sets
print(("aZ5_ \t!"):gsub("%a", "A"))               --> AA5_  ! 2
print(("aZ5_ !"):gsub("%A", "-"))                 --> aZ---- 4
print(("aZ5_ !"):gsub("[%a%d]", "."))             --> ..._ ! 3
print(("aZ5_ !"):gsub("[^%a%d]", "."))            --> aZ5... 3
print(("hello"):gsub("[a-h]", string.upper))      --> HEllo 2
print(("a-b]c^"):gsub("[]-^]", "?"))              --> a-b?c? 2
print(("a-z"):gsub("[a-]", "x"), ("[x]"):gsub("[%[%]]", ""))     --> xxz x 2
print(("0x1F g"):gsub("%x", "."))                 --> .x.. g 3
print(("a,b;c."):gsub("%p", ""), ("A b"):gsub("%l", ""), ("A b"):gsub("%u", ""))
--> abc A   b 1
print(("a b\tc"):gsub("%s", "_"), ("a\1b"):gsub("%c", "^"), ("a b"):gsub("%g", ""))
--> a_b_c a^b   2

-- repetitions
print(("aaa"):match("a-"), ("aaa"):match("a-$"), ("aaab"):match("a-b"))
-->  aaa aaab
print(("<b>x</b>"):match("<.->"), ("<b>x</b>"):match("<.*>"))
--> <b> <b>x</b>
print(("color colour"):gsub("colou?r", "C"))      --> C C 2
print(("aaa"):gsub("a?", "x"), ("aaa"):gsub("a*", "x"))          --> xxx x 1
print(("abc"):gsub("", "-"), ("abc"):gsub("b*", "-"))
--> -a-b-c- -a-c- 3

-- %b, %f, back references
print(("f(a(b)c)d"):match("%b()"), ("((x)"):match("%b()"))       --> (a(b)c) (x)
print(("THE (quick) fox"):find("%((%a+)%)"))      --> 5 11 quick
print(("THE (quick) fox"):gsub("%f[%a]%a+", "W")) --> W (W) W 3
print(("[[x]]"):match("%f[%[]()"), ("ab"):match("b%f[%z]"))      --> 1 b
print(("'a' \"b\""):gsub("(['\"])(.-)%1", "<%2>"))--> <a> <b> 2
print(("abab"):match("^(ab)%1$"), ("abcd"):match("^(ab)%1$"))    --> ab nil

-- gmatch
for w in ("one two  three"):gmatch("%a+") do io.write("<", w, ">") end print()
--> <one><two><three>
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do io.write(k, v, " ") end print()
--> a1 b2
for p in ("abc"):gmatch("()") do io.write(p, " ") end print()    --> 1 2 3 4
for w in ("^a^b"):gmatch("^a") do io.write(w, " ") end print()   --> ^a
for w in ("abcdef"):gmatch("%a", 4) do io.write(w) end print()   --> def
for w in ("abcdef"):gmatch("%a", -2) do io.write(w) end print()  --> ef
print(("abc"):gmatch("x")())                      -->

-- gsub: replacement by string, table, function
print(("hello world"):gsub("o", "0"), ("hello"):gsub("l", "L", 1))
--> hell0 w0rld heLlo 1
print(("hello"):gsub("(l)(l)", "%2%1%0%%"))       --> hellll%o 1
print(("abc"):gsub("%w", "%0%0"), ("abc"):gsub("(%w)", "<%1>"))
--> aabbcc <a><b><c> 3
print(("abc"):gsub("()", "%1"))                   --> 1a2b3c4 4
print(("$name is $age"):gsub("%$(%w+)", {name = "Bob", age = 42}))
--> Bob is 42 2
print(("$x $y"):gsub("%$(%w+)", {x = false}))     --> $x $y 2
print(("abc"):gsub("%w", function(c) if c == "b" then return "B" end end))
--> aBc 3
print(("a b"):gsub("(%w) (%w)", function(x, y) return y .. x end))  --> ba 1
print(("abc"):gsub("b", 5), ("abc"):gsub("^a", "x"), ("aaa"):gsub("^a", "x"))
--> a5c xbc xaa 1
print(("abc"):gsub("", "x", 0), ("abc"):gsub(".", "x", -1))      --> abc abc 0
print(("x"):rep(5000):gsub("x", "yy") == ("y"):rep(10000))       --> true

-- a match that fails is not retried at each place of a run
local run = ("x"):rep(200000)
print((run .. "."):find("%a+%d"), (run .. "1"):find("%a+%d$")) --> nil 1 200001
print(run:find("x+y"), (run:gsub("x+$", "")) == "")            --> nil true
print((" a  b \t c  "):gsub("%s+$", "") == " a  b \t c")        --> true
print((";ab1"):find("%a+%d"), (";;ab;ab1"):match("()%a+%d"))   --> 2 6
print(("aab"):find("(a+)%1b"), ("aaab"):match("(a+)b%1"))      --> 1 nil
print(("xaaxaay"):match("(a+)x()%1y"))                         --> aa 5
print(("ab=1;abc;cd=2"):gsub("(%a+)=(%d)", "%2=%1"))           --> 1=ab;abc;2=cd 2
for a, b in ("ab;ab1 c2;d"):gmatch("(%a+)(%d)") do print(a, b) end
--> ab 1
--> c 2

-- captures that were opened or closed on a failed path
print(("aaab"):match("(a-)(a)(b)"))                            --> aa a b
print(("abab1"):match("((%a)(%a))(%d)"))                       --> ab a b 1
print(("aXbX1"):match("(.-)(X)()(%d)"))                        --> aXb X 5 1
print(("ab"):match("((a?)b?)(.-)$") == "ab")                   --> true
print(("abc"):match("(a(.-)c)()"))                             --> abc b 4

-- all but one character
print(("a,b,,c"):gsub("[^,]*", "<%0>"))       --> <a>,<b>,<>,<c> 4
print(("a]b]"):gsub("[^]]+", "x"), ("^^a"):gsub("[^^]+", "x")) --> x]x] ^^x 1
print(("%a%"):gsub("[^%%]+", "x"), (""):match("[^,]*") == "")  --> %x% true
print(("a\0b\0"):gsub("[^\0]+", "x") == "x\0x\0")              --> true

-- errors
print(fails(string.find, "a", "%"))
--> malformed pattern (ends with '%')
print(fails(string.find, "a", "[a"))
--> malformed pattern (missing ']')
print(fails(string.find, "a", "[a%"))
--> malformed pattern (missing ']')
print(fails(string.find, "a", "%bx"))
--> malformed pattern (missing arguments to '%b')
print(fails(string.find, "a", "%f"))
--> missing '[' after '%f' in pattern
print(fails(string.find, "a", "(a"))              --> unfinished capture
print(fails(string.match, "a", "a)"))             --> invalid pattern capture
print(fails(string.find, "a", "%1"))              --> invalid capture index %1
print(fails(string.find, "aa", "(a%1)"))          --> invalid capture index %1
print(fails(string.find, "a", ("(a?)"):rep(33)))  --> too many captures
print(fails(string.find, "a", ("a?"):rep(300) .. "b") == nil)      --> true
print(fails(string.match, ("a"):rep(300), ("a?"):rep(201)))
--> pattern too complex
print(fails(string.gsub, "a", "a", "%2")) --> invalid capture index %2
print(fails(string.gsub, "a", "a", "%x"))
--> invalid use of '%' in replacement string
print(fails(string.gsub, "a", "a", {a = {}}))
--> invalid replacement value (a table)
print(fails(string.gsub, "a", "a", function() return print end))
--> invalid replacement value (a function)
print(fails(string.gsub, "a", "a"))
--> bad argument #3 to 'string.gsub' (string/function/table expected, got no value)

-- parsed patterns are cached: many of them, in turn, some longer and some
-- shorter than those that they replace, and used while others are in use
local wrong = 0
local function expect(want, got) if want ~= got then wrong = wrong + 1 end end
for round = 1, 2 do
  for n = 100, 300 do
    local word = "w" .. n
    local text = "-" .. word .. word:sub(-1) .. "-"
    expect(word, text:match(word))
    expect(word .. word:sub(-1), text:match(word .. "+"))
    expect(word:sub(1, -2), text:match(word .. "-"))
    expect(word .. word:sub(-1), text:match("[w" .. n .. "]+"))
    expect("-", text:match("[^w" .. n .. "]+"))
    expect(n .. word:sub(-1), text:match("%l(%d+)-"))
  end
end
local words = {}
for word, digits in ("ab1 cd22 ef333"):gmatch("(%a+)(%d+)") do
  for n = 1, 100 do expect(n, tonumber(("x" .. n):match("%a(" .. n .. ")$"))) end
  words[#words + 1] = word .. "/" .. digits
end
print(wrong, table.concat(words, " "))            --> 0 ab/1 cd/22 ef/333
print(("a1 b2 c3"):gsub("(%a)(%d)", function(a, b)
  for n = 1, 100 do (a .. n):find("[%a]" .. n .. "[%d]*") end
  return b .. a
end))                                             --> 1a 2b 3c 3
local long = "(%a+)%s+(%a+)%s+(%a+)%s+(%a+)%s*[%a%d]+"
print(#long > 32, ("one two three four five6"):match(long))
--> true one two three four
print(("a b c d e f g h"):gsub("(%a) (%a) (%a) (%a)%s*()%f[%z%a][^%s]?", "%4%5"))
--> d9 f g h 1
local count = 0
for a, b in ("k = v; kk = vv"):gmatch("%s*([%a_][%w_]*)%s*=%s*([%a_][%w_]*)%s*;?") do
  count = count + #a + #b
  collectgarbage()
end
print(count)                                      --> 6

-- a pattern with an error fails each time, and only when the error is reached
for _ = 1, 2 do
  print(fails(string.find, "ab", "a["), ("xb"):find("a["))
end
--> malformed pattern (missing ']') nil
--> malformed pattern (missing ']') nil
print(("b"):match("a+)"), fails(string.match, "a", "a+)"))
--> nil invalid pattern capture

-- what follows a repetition
print(("aaab"):match("a+ab"), ("aaab"):match("a+b"), ("aaab"):match("a*(b)"))
--> aaab aaab b
print(("12ab"):match("%d+%a"), ("12ab"):match("%w+%a"), ("12."):match("%w+%p$"))
--> 12a 12ab 12.
print(("a.b.c"):match("^(.+)%."), ("a.b.c"):match("^(.-)%."))    --> a.b a
print(("x = 10 -- y"):match("^(%w+)%s*=%s*(%d+)%s*$"))           --> nil
print(("[[a]]"):match("[]]+"), ("a]b"):match("[^]]+"), ("a%b"):match("[%%]"))
--> ]] a %
