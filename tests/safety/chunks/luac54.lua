-- SPDX-License-Identifier: MIT
--
-- luac54.lua -- makes chunks of PUC's `luac` 5.4 from a description
--
--     local luac = dofile("luac54.lua")(ROOT)
--     local bytes = luac { frame = 3, code = {{"LOADI", 0, 5}, ...} }
--
-- All fields of a function have a default:
--
--   code         instructions {name, fields...}: A, B, C, k; or A and Bx, A and
--                sBx, sJ, Ax, as the instruction has them.  A text is words
--   constants    values of Lua; or a text, which is written as it is
--   params, vararg, frame
--   upvalues     {{in_stack, index, kind}...}
--   functions    nested functions
--   lines        {differences...}     elsewhere    {{pc, line}...}
--   locals       {{name, start, end}...}           names of upvalues {...}

return function(root)

local numbers, count = {}, 0
for line in io.lines(root .. "/src/bytecode/luac54.def") do
  local name = line:match "^LUAC%((%w+),"
  if name then numbers[name], count = count, count + 1 end
end
assert(count == 83)

local with = {}
for name in ("LOADK LOADKX CLOSURE FORLOOP FORPREP TFORPREP TFORLOOP"):gmatch "%w+" do
  with[name] = function(op, a, bx) return op | a << 7 | (bx or 0) << 15 end
end
for name in ("LOADI LOADF"):gmatch "%w+" do
  with[name] = function(op, a, n) return op | a << 7 | n + 65535 << 15 end
end
function with.JMP(op, n) return op | n + 16777215 << 7 end
function with.EXTRAARG(op, n) return op | n << 7 end
local function plain(op, a, b, c, k)
  return op | (a or 0) << 7 | (k or 0) << 15 | (b or 0) << 16 | (c or 0) << 24
end

local function word(i)
  local op = assert(numbers[i[1]] or math.tointeger(i[1]), i[1])
  return string.pack("=I4", (with[i[1]] or plain)(op, table.unpack(i, 2)))
end

local function size(n)
  local out = string.char(n & 0x7f | 0x80)
  n = n >> 7
  while n > 0 do
    out, n = string.char(n & 0x7f) .. out, n >> 7
  end
  return out
end

local function text(s) return s and size(#s + 1) .. s or size(0) end

local function list(items, write)
  if type(items) == "string" then return items end
  local out = {}
  for i, item in ipairs(items or {}) do out[i] = write(item) end
  return size(#out) .. table.concat(out)
end

local function constant(v)
  local kind = math.type(v)
  if kind == "integer" then return "\x03" .. string.pack("=j", v) end
  if kind == "float" then return "\x13" .. string.pack("=n", v) end
  if type(v) == "boolean" then return v and "\x11" or "\x01" end
  return (#v <= 40 and "\x04" or "\x14") .. text(v)
end

local function code_bytes(code)
  if type(code) == "string" then return size(#code // 4) .. code end
  return list(code, word)
end

local function func(f)
  return text(f.source) .. size(0) .. size(0)
    .. string.char(f.params or 0, f.vararg or 0, f.frame or 4)
    .. code_bytes(f.code or {{"RETURN0", 0, 1}})
    .. list(f.constants, constant)
    .. list(f.upvalues, function(u) return string.char(table.unpack(u)) end)
    .. list(f.functions, func)
    .. list(f.lines, function(n) return string.char(n & 0xff) end)
    .. list(f.elsewhere, function(e) return size(e[1]) .. size(e[2]) end)
    .. list(f.locals, function(l) return text(l[1]) .. size(l[2]) .. size(l[3]) end)
    .. list(f.names, text)
end

return function(f)
  return "\27Lua\x54\0\x19\x93\r\n\x1a\n\4\8\8" .. string.pack("=jn", 0x5678, 370.5)
    .. string.char(type(f.upvalues) == "table" and #f.upvalues or 0) .. func(f)
end

end
