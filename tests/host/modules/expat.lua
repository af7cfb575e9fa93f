-- SPDX-License-Identifier: MIT
-- package: lua-expat
-- module: lxp
-- LuaExpat: a parser in C that calls Lua from inside its own callbacks.
local lxp = require "lxp"

local function document(n)
  local t = {"<?xml version='1.0'?>\n<root xmlns:p='urn:p'>"}
  for i = 1, n do
    t[#t + 1] = ("<item id='%d' p:kind='k%d'>text &amp; %d"
                 .. "<![CDATA[<raw>]]><!--c--></item>"):format(i, i % 7, i)
  end
  t[#t + 1] = "<?pi data?></root>"
  return table.concat(t)
end

local function tree(text, step)
  local root = {}
  local stack = {root}
  local counts = {comments = 0, cdata = 0}
  local p = lxp.new({
    StartElement = function(_, name, attributes)
      local node = {name = name, attributes = attributes}
      table.insert(stack[#stack], node)
      stack[#stack + 1] = node
    end,
    EndElement = function() stack[#stack] = nil end,
    CharacterData = function(_, s)
      local top = stack[#stack]
      if type(top[#top]) == "string" then top[#top] = top[#top] .. s
      else table.insert(top, s) end
    end,
    Comment = function() counts.comments = counts.comments + 1 end,
    StartCdataSection = function() counts.cdata = counts.cdata + 1 end,
    ProcessingInstruction = function(_, target, data)
      counts.pi = target .. "/" .. data
    end,
  }, "|")
  for i = 1, #text, step do
    assert(p:parse(text:sub(i, i + step - 1)))
  end
  assert(p:parse())
  p:close()
  return root[1], counts
end

for _, step in ipairs {7, 64, 100000} do
  local root, counts = tree(document(300), step)
  print(#root, root.name, root[300][1], root[300].attributes.id,
        root[7].attributes["urn:p|kind"], counts.comments, counts.cdata,
        counts.pi)
end

-- Errors: of the document, of the callback, of the parser's state.
local p = lxp.new {}
print(p:parse("<a><b></a>"))
print(pcall(p.close, p))
print(pcall(lxp.new, {NoSuchCallback = print}))
local thrown = {}
p = lxp.new {StartElement = function() error(thrown) end}
local ok, e = pcall(p.parse, p, "<a/>")
print(ok, e == thrown)
p = lxp.new {StartElement = function(q) print("stopped", q:stop()) end}
print(pcall(p.parse, p, "<a/>"))

-- Hundreds of unfinished parsers, whose callbacks refer back to the parser.
local alive = setmetatable({}, {__mode = "k"})
for i = 1, 500 do
  local q
  q = lxp.new {StartElement = function() return q:pos() end}
  alive[q] = true
  q:parse("<r><x>")
  if i % 100 == 0 then collectgarbage() end
end
p = nil
collectgarbage() collectgarbage()
local left = 0
for _ in pairs(alive) do left = left + 1 end
print("parsers left", left <= 1)

local lom = require "lxp.lom"
local t = lom.parse("<a x='1'><b>text</b></a>")
print(t.tag, t.attr.x, t[1].tag, t[1][1])
local totable = require "lxp.totable"
print(totable.parse("<a><b>c</b></a>")[1][0])
