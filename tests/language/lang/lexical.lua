-- SPDX-License-Identifier: MIT
-- Lexical conventions (manual, 3.1)

local function syntax(code) return select(2, load(code, "=c")) end

-- strings
print("a\tb" == "a	b", 'single "double"', "double 'single'")
--> true single "double" double 'single'
print("\65\066\x43\u{44}\u{20AC}", #"\u{7FFFFFFF}", "\z
       after blanks")                             --> ABCD€ 6 after blanks
print(#"\a\b\f\n\r\t\v\\\"\'", "a\
b" == "a\nb")                                     --> 10 true
print([[long]] .. [==[with ]] inside]==], #[[

two]])                                            --> longwith ]] inside 4
print([[
first newline skipped]])                          --> first newline skipped
print(#"\0\0", "\x00" == "\0", "\1231" == "{1")   --> 2 true true

-- comments
--[[ a long
comment ]] print("after comment") --[==[ another ]] still ]==] --> after comment
print(1) -- to the end                            --> 1
---[[ not long: it starts with three hyphens
print(2)                                          --> 2

-- names and keywords
local _, a1, goto_, End = 1, 2, 3, 4
print(_ + a1 + goto_ + End)                       --> 10
print(syntax("local end = 1"))
--> c:1: <name> expected near 'end'
print(syntax("local 1a = 1"))
--> c:1: malformed number near '1a'

-- errors
print(syntax("x = 'abc"))
--> c:1: unfinished string near <eof>
print(syntax("x = 'abc\n'"))
--> c:1: unfinished string near ''abc'
print(syntax("x = [[abc"))
--> c:1: unfinished long string (starting at line 1) near <eof>
print(syntax("--[[abc"))
--> c:1: unfinished long comment (starting at line 1) near <eof>
print(syntax("x = [=abc"))
--> c:1: invalid long string delimiter near '[='
print(syntax([[x = "\q"]]))          --> c:1: invalid escape sequence near '"\q'
print(syntax([[x = "\xZZ"]]))
--> c:1: hexadecimal digit expected near '"\xZ'
print(syntax([[x = "\300"]]))
--> c:1: decimal escape too large near '"\300"'
print(syntax([[x = "\u{110000000}"]]))
--> c:1: UTF-8 value too large near '"\u{110000000'
print(syntax([[x = "\u123"]]))       --> c:1: missing '{' near '"\u1'
print(syntax([[x = "\u{12"]]))       --> c:1: missing '}' near '"\u{12"'
print(syntax("x = 3x"))              --> c:1: malformed number near '3x'
print(syntax("x = 0x"))              --> c:1: malformed number near '0x'
print(syntax("x = 1e"))              --> c:1: malformed number near '1e'
print(syntax("x = 1..2"))            --> c:1: malformed number near '1..2'
print(syntax("x = @"))               --> c:1: unexpected symbol near '@'
print(syntax("x = \1"))              --> c:1: unexpected symbol near '<\1>'
print(syntax("x = }"))               --> c:1: unexpected symbol near '}'
print(syntax("x = 1 y"))             --> c:1: syntax error near <eof>
print(syntax("if x then\n\nfoo("))   --> c:3: unexpected symbol near <eof>
print(syntax("if x then\n\n"))
--> c:3: 'end' expected (to close 'if' at line 1) near <eof>
print(syntax("f(\n"))                --> c:2: unexpected symbol near <eof>
print(syntax("x = (1"))              --> c:1: ')' expected near <eof>
print(syntax("a.1 = 2"))             --> c:1: syntax error near '.1'
print(syntax("a + 1"))               --> c:1: syntax error near '+'
print(syntax("f() = 1"))             --> c:1: syntax error near '='
print(syntax("return return"))       --> c:1: unexpected symbol near 'return'
print(syntax("for i do end"))        --> c:1: '=' or 'in' expected near 'do'
print(syntax("local x <foo> = 1"))   --> c:1: unknown attribute 'foo'
print(syntax("x = function() ... end")) --> c:1: unexpected symbol near '...'
print(syntax("x = function() return ... end"))
--> c:1: cannot use '...' outside a vararg function near '...'
print(syntax("break"))               --> c:1: break outside loop at line 1
print(syntax("goto l"))
--> c:1: no visible label 'l' for <goto> at line 1
print(syntax("::l:: ::l::"))
--> c:1: label 'l' already defined on line 1
print(syntax("goto l; local a; ::l:: print(a)"))
--> c:1: <goto l> at line 1 jumps into the scope of local 'a'
print(syntax("local x <const> = 1; x = 2"))
--> c:1: attempt to assign to const variable 'x'
print(syntax("local a <close>, b <close> = 1"))
--> c:1: multiple to-be-closed variables in local list
