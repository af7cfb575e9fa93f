-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 480
--
-- A lexer of Lua, in Lua: decides by the next byte, matches names and numbers
-- by pattern, strings and comments of both kinds by search.  string.byte, find
-- and sub, chains of comparisons, tables of keywords.
-- Argument: how often the sample is read.

local passes = tonumber(arg and arg[1]) or 4800

local sample = [==[
-- A sample with a bit of everything.
local Account = { balance = 0, limit = 0x1F4, rate = 3.75e-2 }
Account.__index = Account

--[[ A long comment
     of two lines. ]]
function Account.new(owner, ...)
  local extra <const> = select("#", ...)
  local self = setmetatable({ owner = owner, log = {}, extra = extra }, Account)
  return self
end

function Account:deposit(amount)
  if amount <= 0 then
    error("amount must be \"positive\", not " .. amount, 2)
  elseif amount ~= math.floor(amount) and not self.fractions then
    return nil, 'whole amounts only\n'
  end
  self.balance = self.balance + amount // 1
  self.log[#self.log + 1] = string.format("%-20s %10.2f", self.owner, amount)
  return self.balance
end

local text = [[
A long string
with "quotes" and ]].."a tail"

local function primes(n)
  local found, i = {}, 2
  while #found < n do
    local prime = true
    for k = 2, i - 1 do
      if i % k == 0 then prime = false; break end
    end
    if prime then found[#found + 1] = i end
    i = i + 1
    goto continue
    ::continue::
  end
  return found
end

for index, value in ipairs(primes(10)) do
  print(index, value, index ~ value, value << 2 | index & 0xff, ~index >> 1)
end
local account <close> = Account.new("somebody", 1, 2.5, .5, 3., 0x.8p4)
repeat account:deposit(100) until account.balance >= 1000 or text == ""
]==]

local keywords = {}
for word in ([[
  and break do else elseif end false for function goto if in local nil not or
  repeat return then true until while]]):gmatch("%a+") do
  keywords[word] = true
end

-- Operators, the longest first for each first character.
local operators = {}
for operator in ([[
  ... .. . == = ~= ~ <= << < >= >> > // / :: : + - * % ^ # & |
  ( ) { } [ ] ; ,]]):gmatch("%S+") do
  local first = operator:byte()
  local list = operators[first] or {}
  operators[first] = list
  list[#list + 1] = operator
end

local NEWLINE, MINUS, BRACKET, BACKSLASH, DOT = 10, 45, 91, 92, 46

local function is_digit(byte) return byte and byte >= 48 and byte <= 57 end

local function is_name_start(byte)
  return byte >= 97 and byte <= 122 or byte >= 65 and byte <= 90 or byte == 95
end

-- The level of a long bracket that begins here, or nil.
local function long_level(text, at)
  local _, last, signs = text:find("^%[(=*)%[", at)
  return signs and #signs, last
end

local function read_long(text, at, level, first)
  local close, last = text:find("]" .. ("="):rep(level) .. "]", first + 1, true)
  if not close then error("unfinished long bracket at " .. at) end
  return text:sub(first + 1, close - 1), last + 1
end

local function read_string(text, at, quote)
  local i = at + 1
  while true do
    local byte = text:byte(i)
    if byte == quote then break end
    if not byte or byte == NEWLINE then error("unfinished string at " .. at) end
    i = i + (byte == BACKSLASH and 2 or 1)
  end
  return text:sub(at + 1, i - 1), i + 1
end

local function read_number(text, at)
  local _, last = text:find("^0[xX][%x.]*[pP]?[+-]?%d*", at)
  if not last then _, last = text:find("^[%d.]+[eE]?[+-]?%d*", at) end
  return text:sub(at, last), last + 1
end

local function read_operator(text, at, byte)
  local list = operators[byte]
  if not list then error("what is byte " .. byte .. "?") end
  for i = 1, #list do
    local operator = list[i]
    if text:sub(at, at + #operator - 1) == operator then
      return operator, at + #operator
    end
  end
end

local function skip_comment(text, at)
  local level, first = long_level(text, at + 2)
  if level then
    local _, after = read_long(text, at, level, first)
    return after
  end
  return text:find("\n", at, true) or #text + 1
end

-- Kind and text of the token at this place, and the place after it.
local function next_token(text, at)
  while true do
    at = text:find("%S", at)
    if not at then return nil end
    local byte, following = text:byte(at, at + 1)
    if is_name_start(byte) then
      local _, last = text:find("^[%w_]*", at)
      local name = text:sub(at, last)
      return keywords[name] and "keyword" or "name", name, last + 1
    elseif is_digit(byte) or byte == DOT and is_digit(following) then
      return "number", read_number(text, at)
    elseif byte == 34 or byte == 39 then
      return "string", read_string(text, at, byte)
    elseif byte == BRACKET and long_level(text, at) then
      local level, first = long_level(text, at)
      return "string", read_long(text, at, level, first)
    elseif byte == MINUS and following == MINUS then
      at = skip_comment(text, at)
    else
      return "operator", read_operator(text, at, byte)
    end
  end
end

local counts, sum = {}, 0
for _ = 1, passes do
  local at = 1
  while true do
    local kind, token, after = next_token(sample, at)
    if not kind then break end
    counts[kind] = (counts[kind] or 0) + 1
    sum = (sum * 31 + #token + (token:byte() or 0)) % 1000000007
    at = after
  end
end
print(string.format("checksum %d %d %d %d %d %d", counts.name, counts.keyword,
                    counts.number, counts.string, counts.operator, sum))
