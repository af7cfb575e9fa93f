-- SPDX-License-Identifier: MIT
-- utf8.codepoint of bad text, where the function's own slot is its first result
local function f(s, ...) return utf8.codepoint(s, ...) end
print(pcall(f, "\0\1\xff", 2, -1, false)) print(pcall(f,"abc",1,3)) print(pcall(f,"a\xff",1,-1)) print(pcall(f,"ab\u{10ffff}\u{7fffffff}",1,-1)) print(pcall(f,"ab\u{10ffff}\u{7fffffff}",1,-1,true))
local ok, a = pcall(function() local x = utf8.codepoint("ab\xff", 1, 3) return x end) print(ok, a)
