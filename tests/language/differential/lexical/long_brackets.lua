-- SPDX-License-Identifier: MIT
-- Long brackets, comments, line ends (manual 3.1).
local function show(text)
  local f, message = load(text, "=text")
  if not f then print(message) return end
  print(string.format("%q", (f())))
end

show "return [[\nfirst newline is skipped]]"
show "return [[\r\nfirst newline is skipped]]"
show "return [[\n\rfirst newline is skipped]]"
show "return [[\r\rsecond is kept]]"
show "return [[a\r\nb\rc\n\rd\n\ne]]"
show "return [==[ ]] ]=] ]===] ]==]"
show "return [=[[[nested]]]=]"
show "return [===[\n]==]\n]===]"
show "return [[\\n\\z\\x41]]"
show "return 'a' --[[ comment ]] .. 'b' --[==[ another\n]]\n]==] .. 'c'"
show "--[=[ x ]] ]=] return 'after'"
show "--[ not long\nreturn 'line comment'"
show "--[==\nreturn 'line comment too'"
show "return 'x' -- no end of line"
show "return 1 --[[ unfinished"
show "return [[ unfinished"
show "return [==[ unfinished ]=]"
show "return [= wrong"
show "return [==wrong"
show "\n\nreturn [[\n\n"
show "return\r\n\n\r\n\n[[\n]] + +"
show "return 'a\\\r\nb\\\n\rc\\\nd\\\re'"
show "return '\\z \r\n\t\f\v x'"
show ""
show "return"
print(select("#", load("return", "=t")()))
