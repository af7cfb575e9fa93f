-- SPDX-License-Identifier: MIT
--
-- assemble.lua -- makes binary chunks from a description
--
--     local Chunk = dofile("assemble.lua")(ROOT)
--     local bytes = Chunk.bytes { frame = 3, code = {{"LOADI", 0, 5}, ...} }
--
-- A function is described by a table.  All its fields have a default:
--
--   code         a list of instructions {name, operands...} and of words.
--                An operand of a jump may be the text ">n": the n-th item
--   constants    a list: values, Chunk.NIL, Chunk.template(...)
--   params, vararg, frame, source, first_line, last_line
--   upvalues     {{in_stack, index, kind, name}...}
--   functions    nested functions
--   locals       {{name, start, end}...}
--   lines        {shift, {bases...}, {offsets...}}
--   heads        {{pc, lost}...}; else those of all jumps backward
--
-- Instead of each list there may be a text, which is then written as it is.
-- The opcodes and their formats are those of src/bytecode/opcodes.def.

return function(root)

local Chunk = {NIL = setmetatable({}, {__name = "nil"})}

-- -- Opcodes -----------------------------------------------------------------

local opcodes, opcode_list = {}, {}
for line in io.lines(root .. "/src/bytecode/opcodes.def") do
  local name, format, operands = line:match "^OP%(([%w_]+), (%u+), ([%l_]+),"
  local pair, first = line:match "^PAIR%(([%w_]+), ([%w_]+),"
  if pair then
    name, format = pair, opcodes[first].format
    operands = opcodes[first].operands
  end
  if name then
    local op = {name = name, number = #opcode_list, format = format,
                operands = operands, words = format:find "X" and 2 or 1}
    opcodes[name], opcode_list[#opcode_list + 1] = op, op
  end
end
Chunk.opcodes, Chunk.opcode_list = opcodes, opcode_list

local function byte(n) return n & 0xff end

-- The words of an instruction.
local encode = {}
function encode.ABC(op, a, b, c)
  return op << 8 | byte(a) | byte(b) << 16 | byte(c) << 24
end
function encode.AD(op, a, d) return op << 8 | byte(a) | (d & 0xffff) << 16 end
function encode.E(op, e)
  return op << 8 | byte(e) | (e >> 8 & 0xffff) << 16
end
function encode.ABCX(op, a, b, c, x) return encode.ABC(op, a, b, c), x end
function encode.ADX(op, a, d, x) return encode.AD(op, a, d), x end

-- -- Pieces ------------------------------------------------------------------

local function size(n)
  local bytes = {}
  repeat
    bytes[#bytes + 1] = string.char(n & 0x7f | (n > 0x7f and 0x80 or 0))
    n = n >> 7
  until n == 0
  return table.concat(bytes)
end
Chunk.size = size

local function text(s) return s and size(#s + 1) .. s or size(0) end
Chunk.text = text

-- A list as its length and its elements, or the text that stands for it.
local function list(elements, write)
  if type(elements) == "string" then return elements end
  local bytes = {size(#elements)}
  for i, e in ipairs(elements) do bytes[i + 1] = write(e) end
  return table.concat(bytes)
end

local function constant(v)
  if v == Chunk.NIL then return "\0" end
  if type(v) == "boolean" then return v and "\2" or "\1" end
  if math.type(v) == "integer" then return "\3" .. string.pack("=i8", v) end
  if math.type(v) == "float" then return "\4" .. string.pack("=n", v) end
  if type(v) == "string" then return "\5" .. text(v) end
  return v.raw
end
Chunk.constant = constant

-- A table constant; `fields` is a list of names and values.
function Chunk.template(slots, items, fields)
  local bytes = {"\6", size(slots), size(#items), size(#fields // 2)}
  for _, v in ipairs(items) do bytes[#bytes + 1] = constant(v) end
  for i = 1, #fields, 2 do
    bytes[#bytes + 1] = text(fields[i] or nil) .. constant(fields[i + 1])
  end
  return {raw = table.concat(bytes)}
end

function Chunk.raw(bytes) return {raw = bytes} end

-- -- Code --------------------------------------------------------------------

-- The words of the code, and the pc of each item.
local function words_of(code)
  local pcs, at = {}, 0
  for i, item in ipairs(code) do
    pcs[i] = at
    at = at + (type(item) == "table" and opcodes[item[1]].words or 1)
  end
  pcs[#code + 1] = at
  local words = {}
  for i, item in ipairs(code) do
    if type(item) ~= "table" then
      words[#words + 1] = item
    else
      local op, operands = opcodes[item[1]], {0, 0, 0, 0}
      for n = 2, #item do
        local v = item[n]
        if type(v) == "string" then
          v = pcs[tonumber(v:match ">(%d+)")] - pcs[i] - 1
        end
        operands[n - 1] = v
      end
      for _, w in ipairs {encode[op.format](op.number,
                                            table.unpack(operands))} do
        words[#words + 1] = w & 0xffffffff
      end
    end
  end
  return words, pcs
end

-- Each jump backward that is not one of a `for` loop.
local function heads_of(code)
  local _, pcs = words_of(code)
  local heads = {}
  for i, item in ipairs(code) do
    local name = type(item) == "table" and item[1] or ""
    if name:find "^J" then
      local target = item[#item]
      local to = type(target) == "string" and tonumber(target:match ">(%d+)")
      if to and to <= i then heads[#heads + 1] = {pcs[to], 256} end
    end
  end
  return heads
end

-- -- Functions ---------------------------------------------------------------

local function lines(l)
  if type(l) == "string" then return l end
  if not l then return "\0" end
  local bytes = {"\1", string.char(l[1])}
  for _, base in ipairs(l[2]) do bytes[#bytes + 1] = string.pack("=i4", base) end
  for _, o in ipairs(l[3]) do bytes[#bytes + 1] = string.char(o) end
  return table.concat(bytes)
end

local function each_word(words)
  return list(words, function(w) return string.pack("=I4", w) end)
end

local function func(f)
  local code = f.code or {{"RETURN0"}}
  return table.concat {
    f.source and "\1" .. text(f.source) or "\0",
    size(f.first_line or 0), size(f.last_line or 0),
    string.char(f.params or 0, f.vararg and 1 or 0, f.frame or 2),
    type(code) == "string" and code or each_word((words_of(code))),
    list(f.constants or {}, constant),
    list(f.upvalues or {}, function(u)
      return string.char(u[1], u[2], u[3] or 0) .. text(u[4])
    end),
    list(f.functions or {}, func),
    list(f.locals or {}, function(l)
      return text(l[1] or nil) .. size(l[2]) .. size(l[3])
    end),
    lines(f.lines),
    list(f.heads or (type(code) == "table" and heads_of(code)) or {},
         function(h) return size(h[1]) .. size(h[2]) end),
  }
end

Chunk.func = func

-- The parts of the header, in order.
function Chunk.header(change)
  local sample = string.dump(function() end, true)
  local parts = {
    {"signature", sample:sub(1, 4)}, {"version", sample:sub(5, 5)},
    {"format", sample:sub(6, 6)}, {"data", sample:sub(7, 12)},
    {"instruction", sample:sub(13, 13)}, {"integer_size", sample:sub(14, 14)},
    {"number_size", sample:sub(15, 15)}, {"integer", sample:sub(16, 23)},
    {"number", sample:sub(24, 31)}, {"mark", sample:sub(32, 39)},
    {"penumbra", sample:sub(40, 40)}, {"upvalues", sample:sub(41, 41)},
  }
  for i, part in ipairs(parts) do parts[i] = change[part[1]] or part[2] end
  return table.concat(parts)
end

function Chunk.bytes(f, header)
  local upvalues = type(f.upvalues) == "table" and #f.upvalues or 0
  header = header or {}
  header.upvalues = header.upvalues or string.char(upvalues)
  return Chunk.header(header) .. func(f)
end

-- A function that is slow to verify.  Behind a chain of jumps there are parts,
-- each of which loses one register more than the one before it, and leads back
-- to the beginning of the chain.  A part is reached from the one before it, but
-- only by a jump forward and one back.  So it is found when the chain has been
-- visited again, and the chain must be visited once more.
function Chunk.chain(parts, links, frame)
  local code = {{"LOADNIL", 0, frame - 1}}
  for i = 2, links + 1 do code[i] = {"JT", 0, 0, 0, ">" .. i + 1} end
  local first, size = #code + 1, 4
  local forth = first + 1 + size * parts
  code[first] = {"JMP", ">" .. forth}
  for i = 1, parts do
    local at, register = first + 1 + size * (i - 1), frame - 1 - i
    code[at] = {"LOADNIL", register, 0}
    code[at + 1] = {"CALL", register, 0, 0}
    code[at + 2] = {"JT", 0, 0, 0, ">2"}
    code[at + 3] = {"JMP", ">" .. forth + i}
    code[forth + i - 1] = {"JMP", ">" .. at}
  end
  code[forth + parts] = {"RETURN0"}
  return {frame = frame, code = code}
end

return Chunk
end
