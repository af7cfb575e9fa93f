-- SPDX-License-Identifier: MIT
-- find, match, gmatch: positions and captures (manual 6.4.1).
print(("hello"):find "l", ("hello"):find("l", 4), ("hello"):find("l", 5),
  ("hello"):find("xyz"))
print(("hello"):find "", ("hello"):find("", 6), ("hello"):find("", 7),
  ("hello"):find("", -1), ("hello"):find("", -10), (""):find "")
print(("a.b"):find(".", 1, true), ("a.b"):find("%.", 1),
  ("a+b"):find("+", 1, true), ("a.b"):find(".", 2, true), ("a\0b"):find("\0"),
  ("a\0b"):find("\0b", 1, true), ("a\0b"):find("%z"))
print(("hello"):find("(l)(l)"), ("hello"):find("()ll()"),
  ("hello"):match("(h)(.)(.*)"), ("hello"):match(".-(l+)"),
  ("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
print(("hello"):match("x"), ("hello"):match("()"), ("hello"):match("l*"),
  ("hello"):match("", 3), ("hello"):match("^h"), ("hello"):match("^e"),
  ("hello"):match("o$"), ("hello"):match("l$"), ("$"):match("$"),
  ("a$b"):match("a$b"), ("a^b"):match("a^b"))
for w in ("one two  three"):gmatch("%a+") do io.write("[", w, "]") end print()
for k, v in ("a=1, b=2, c=3"):gmatch("(%w+)=(%w+)") do io.write(k, ":", v, ";")
end print() for p in ("abc"):gmatch("()") do io.write(p, " ") end print()
for w in ("abc"):gmatch("") do io.write("<", w, ">") end print()
for w in ("a,b,,c"):gmatch("([^,]*)") do io.write("<", w, ">") end print()
for w in ("hello"):gmatch("^h") do io.write(w) end print()
for w in ("abcabc"):gmatch("b", 3) do io.write(w) end print()
for w in ("abc"):gmatch(".", -1) do io.write(w) end print()
for a in ("abc"):gmatch(".", 10) do io.write(a) end print()
local subjects = {"", "a", "aaa", "abc", "aab", "bbb", "a1b2", "  x  ", "[x]",
  "%d", "a-b", "x\0y", "THE (quick) fox", "2024-01-15", "foo.bar.baz",
  "f(a(b)c)d"}
local patterns = {"a", "a*", "a+", "a-", "a?", "^a*$", ".", ".*", ".-", ".+",
  "[abc]", "[^abc]", "[a-c]+", "[%a]", "[%a_][%w_]*", "%d+", "%D+", "%s", "%S+",
  "%w", "%W", "%p", "%P", "%u", "%l", "%x", "%c", "%g", "%z", "[%]]", "[]]",
  "[^]]", "[a-]", "[-a]", "[%-a]", "%b()", "%bxy", "%f[%a]%a+", "%f[%A]",
  "(a)(b)?", "(a*)(b*)", "((a)(b))", "()a()", "(a*(.)%w(%s*))",
  "^(%d%d%d%d)-(%d%d)-(%d%d)$", "(.)%1", "(a)%1", "%%", "%.", "x*$", "^", "$",
  "^$", "a$", "%a-%d", "[^%s]+", "[%d%a]+", "[\0-\31]", "[a%]b]", "(%a)%s*%1"}
for _, p in ipairs(patterns) do for _, s in ipairs(subjects) do
print(("%q %q"):format(p, s), s:find(p)) print("", s:match(p)) end end
for _, p in ipairs {"(", ")", "(()", "%", "[", "[a", "[^", "[%", "%b", "%bx",
  "%f", "%fa", "%1", "(%1)", "(a)%2", "a**", "(a)%", "[a-%", "[a-]", "[]",
  "[^]", "(" .. ("a"):rep(5), ("(a)"):rep(33), ("()"):rep(32), "%0", "^^", "$$",
  "**", "+", "-", "?", "a-?", "[[]", "[]]", "%g(", "(.", "a)"} do
print(p, pcall(string.find, "aaaa[]b", p))
print(p, pcall(string.match, "aaaa[]b", p)) end
print(pcall(string.find, ("x"):rep(250), ("x?"):rep(6) .. "y"))
print(("a"):rep(1000):match("^(.-)b"))
print(#("x"):rep(300000):match(".-$"), #("x"):rep(300000):match("x*"))
print(pcall(string.match, ("x"):rep(300000), ("x?"):rep(300000)))
print(("x"):find("x", -100), ("x"):find("x", 100), ("xx"):find("x", 2.0),
  pcall(string.find, "x", "x", 1.5)) print(pcall(string.find, "x", nil))
print((" "):rep(5):find("^ *$"), ("a.b.c"):gsub("%.", "/"),
  ("x = 1"):match("^%s*(%S+)%s*=%s*(.-)%s*$"))
