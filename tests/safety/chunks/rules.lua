-- SPDX-License-Identifier: MIT
--
-- rules.lua -- for each rule of docs/verifier.md, chunks that break only that one
--
--     penumbra rules.lua ROOT
--
-- A case names its rule, the message, and a function (assemble.lua).  A rule of
-- the page without a case fails, and so does a message of the verifier that no
-- case expects.  Where the list of opcodes says what may stand in a field, the
-- cases are made from it: for each opcode a chunk that is accepted, and the same
-- one with one bad field.

local root = arg[1]
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local Chunk = dofile(here .. "/assemble.lua")(root)
local NIL, template, raw = Chunk.NIL, Chunk.template, Chunk.raw

local tried, count, failures = {}, 0, 0
local expected = {} -- messages

local function fail(...)
  failures = failures + 1
  print(string.format(...))
end

local function bytes_of(f) return type(f) == "string" and f or Chunk.bytes(f) end

local function accepted(what, f)
  local loaded, message = load(bytes_of(f), "=x", "b")
  if not loaded then fail("%s: refused: %s", what, message) end
end

-- The chunk must be refused with one of the messages.
local function refused(rule, messages, f, what)
  if type(messages) == "string" then messages = {messages} end
  local loaded, message = load(bytes_of(f), "=x", "b")
  tried[rule], count = true, count + 1
  local found = false
  for _, m in ipairs(messages) do
    expected[m] = true
    found = found or message == "x: bad binary format (" .. m .. ")"
  end
  if loaded or not found then
    fail("%s%s: %s, not '%s'", rule, what and " (" .. what .. ")" or "",
      loaded and "accepted" or message, table.concat(messages, "' or '"))
  end
end

-- -- The header --------------------------------------------------------------

accepted("the smallest function", {})

for _, case in ipairs {
  {"H1", "not a binary chunk", {signature = "\27Lub"}},
  {"H2", "version mismatch", {version = "\x53"}},
  {"H3", "format mismatch", {format = "\1"}},
  {"H4", "corrupted chunk", {data = "\x19\x93\r\n\x1a\r"}},
  {"H5", "Instruction size mismatch", {instruction = "\8"}},
  {"H5", "lua_Integer size mismatch", {integer_size = "\4"}},
  {"H5", "lua_Number size mismatch", {number_size = "\4"}},
  {"H6", "made for machines with the other order of bytes",
    {integer = string.pack("=i8", 0x5678):reverse()}},
  {"H7", "integer format mismatch", {integer = string.pack("=i8", 0x5679)}},
  {"H8", "float format mismatch", {number = string.pack("=n", 370.25)}},
  {"H9", "not made by Penumbra, but by another Lua", {mark = "Pexumbra"}},
  {"H10", "made by another version of Penumbra", {penumbra = "\0"}},
  {"H11", "corrupted chunk", {upvalues = "\1"}},
} do
  refused(case[1], case[2], Chunk.bytes({}, case[3]))
end

-- -- Parts of a function -----------------------------------------------------

local whole = Chunk.bytes {source = "@x", constants = {"k", 1, 2.5},
  locals = {{"a", 0, 1}}, lines = {0, {1}, {0}}}
accepted("a function with all parts", whole)
for i = 1, #whole - 1 do refused("C1", "truncated chunk", whole:sub(1, i)) end

local huge = "\xff\xff\xff\xff\x0f"
for _, field in ipairs {"code", "constants", "upvalues", "functions", "locals",
                        "heads"} do
  refused("C2", "integer overflow", {[field] = huge}, field)
end
refused("C2", "integer overflow", {constants = {raw("\5" .. ("\xff"):rep(9))}})
refused("C2", "integer overflow", {first_line = 1 << 31})
refused("C2", "integer overflow", {last_line = 1 << 31})

local deep = {}
for _ = 1, 199 do deep = {functions = {deep}} end
accepted("200 levels", deep)
refused("C3", "functions nested too deep", {functions = {deep}})

refused("C4", "no code", {code = "\0"})
refused("C5", "invalid constant", {constants = {raw "\7"}})
refused("C6", "bad format for constant string", {constants = {raw "\5\0"}})

local TABLE = "bad format for constant table"
local function names(n)
  local fields = {}
  for i = 1, n do
    fields[2 * i - 1], fields[2 * i] = "n" .. i, i
  end
  return fields
end
local function items(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end
local function with_template(...) return {constants = {template(...)}} end
accepted("a template of everything", with_template(32, items(32), names(64)))
refused("C7", TABLE, with_template(0, {}, {}))
refused("C8", TABLE, with_template(0, {}, names(65)))
refused("C8", TABLE, with_template(33, items(33), {}))
refused("C8", TABLE, with_template(33, items(1), {}))
refused("C9", TABLE, with_template(0, {}, {false, 1}))
refused("C9", TABLE, with_template(0, {}, {("n"):rep(100), 1}))
refused("C10", TABLE, with_template(2, {NIL, 1}, {}))
refused("C10", TABLE, with_template(0, {}, {"n", NIL}))
refused("C10", TABLE, with_template(0, {}, {"n", template(0, {}, {"m", 1})}))

local LARGE = "constant tables are too large"
accepted("slots for 25 items", with_template(25, {}, {}))
refused("C11", LARGE, with_template(26, {}, {}))
refused("C11", LARGE, with_template(1, items(2), {}))
refused("C11", LARGE,
  {constants = {template(20, {}, {}), template(6, {}, {})}}, "in sum")
accepted("the same in two functions", {constants = {template(20, {}, {})},
  functions = {{constants = {template(20, {}, {})}}}})

refused("C12", "too many upvalues", {upvalues = Chunk.size(256)})

local RANGE = "variable out of range"
accepted("variables", {locals = {{"a", 0, 1}, {"b", 0, 1}, {"c", 1, 1}}})
refused("C13", RANGE, {locals = {{"a", 1, 1}, {"b", 0, 1}}})
refused("C14", RANGE, {locals = {{"a", 2, 1}}})
refused("C14", RANGE, {locals = {{"a", 0, 2}}})
refused("C15", "variable without a name", {locals = {{false, 0, 1}}})
refused("C16", "more variables than registers",
  {locals = {{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 1}}})
accepted("one variable after another", {frame = 1,
  code = {{"LOADNIL"}, {"LOADNIL"}, {"RETURN0"}},
  locals = {{"a", 0, 1}, {"b", 1, 2}, {"c", 2, 3}}})

local two = {{"LOADNIL"}, {"RETURN0"}}
accepted("lines", {code = two, lines = {0, {1, (1 << 31) - 256}, {0, 255}}})
refused("C17", "invalid lines", {code = two, lines = {32, {1}, {0, 0}}})
refused("C17", "invalid lines", {code = two, lines = {0, {1, -1}, {0, 0}}})
refused("C17", "invalid lines",
  {code = two, lines = {0, {1, (1 << 31) - 255}, {0, 0}}})

refused("C18", "too many loops", {heads = {{0, 256}, {0, 256}}})
refused("C19", "loop out of range", {heads = {{1, 256}}})
refused("C20", "no room for parameters", {params = 3})

local function nested(in_stack, index)
  return {upvalues = {{1, 0}}, functions = {{upvalues = {{in_stack, index}}}}}
end
accepted("an upvalue of a register", nested(1, 1))
accepted("an upvalue of an upvalue", nested(0, 0))
refused("C21", "upvalue from nowhere", nested(1, 2))
refused("C21", "upvalue from nowhere", nested(0, 1))

-- -- Fields of instructions --------------------------------------------------

-- Registers 0 to 5 are assigned, 6 to 8 are not.
local SHORT, INTEGER, FLOAT, TABLE_K, LONG = 0, 1, 2, 3, 4
local constants = {"name", 4, 2.0, template(0, {}, {"name", 1}), ("x"):rep(99)}
local START = {"LOADNIL", 0, 5}

local good = {w = 6, r = 1, k = INTEGER, n = INTEGER, m = INTEGER, f = FLOAT,
  e = FLOAT, s = SHORT, x = SHORT, i = 2, g = 2, q = 2, h = 2, d = 5, c = 5,
  u = 2, v = 0, p = 0, t = TABLE_K, j = 2, ["_"] = 0, b = 1}

-- What must come after an instruction with the operands a and b.
local after = {
  GETFIELD_ADD = function(a) return {"ADD_RR", 7, 1, a} end,
  GETFIELD_SUB = function(a) return {"SUB_RR", 7, 1, a} end,
  GETFIELD_MUL = function(a) return {"MUL_RR", 7, 1, a} end,
  GETFIELD_SUBL = function(a) return {"SUB_RR", 7, a, 1} end,
  GETTABLE_ADD = function(a) return {"ADD_RR", 7, 1, a} end,
  GETTABLE_MUL_ADD = function(a)
    return {"MUL_RR_ADD", 7, 1, a}, {"ADD_RR", 7, 1, 7}
  end,
  GETTABLE_SET = function(a) return {"SETTABLE", 1, 1, a} end,
  DUPTABLE_SET = function(a) return {"SETFIELD", a, 1, 0, SHORT} end,
  ADD_RI_GET = function(a) return {"GETTABLE", 7, 1, a} end,
  MUL_RR_ADD = function(a) return {"ADD_RR", 7, 1, a} end,
  MUL_RR_ADDL = function(a) return {"ADD_RR", 7, a, 1} end,
  MUL_RR_SUB = function(a) return {"SUB_RR", 7, 1, a} end,
  LENAPPEND = function(a, b)
    return {"ADD_RI", a, a, 1}, {"SETTABLE", b, a, 2}
  end,
}

local function with_code(code, more)
  local f = {frame = 9, code = code, constants = constants,
    upvalues = {{1, 0}}, functions = {{upvalues = {{1, 1}}}}}
  for k, v in pairs(more or {}) do f[k] = v end
  return f
end

-- The code of a function with the instruction; nil: to be tried by hand.
local function around(i)
  local name = i[1]
  if name == "LOADFALSESKIP" then
    return {START, i, {"LOADTRUE", 7}, {"RETURN0"}}
  elseif name == "SETTABLE_FOR" then
    return {START, {"LOADI", 6, 1}, {"FORPREP", 4, 0, 0, ">6"}, i,
            {"FORLOOP", 4, 0, 0, ">4"}, {"RETURN0"}}
  elseif name:find "FOR1$" then
    return {START, {"FORPREP1", 4, 0, 0, ">5"}, i,
            {"FORLOOP1", 4, 0, 0, ">3"}, {"RETURN0"}}
  elseif name:find "^RETURN" then
    return {START, i}
  elseif name == "TAILCALL" then
    return {START, i, {"RETURN", i[2], 0, 0}}
  elseif name == "TFORPREP" then
    return {START, {"TFORPREP", i[2], i[3], i[4], ">3"}, {"TFORCALL", 1, 1},
            {"TFORLOOP", 1, 0, 0, ">3"}, {"CLOSE", 4}, {"RETURN0"}}
  elseif name:find "^FOR" or name:find "^TFOR" or name:find "^VARARG" then
    return nil
  end
  local code = {START, i}
  if name == "TBC" then
    code[3], code[4] = {"CLOSE", i[2]}, {"RETURN0"}
    return code
  elseif name == "CLOSURE" then
    code[3], code[4] = {"CLOSE", 0}, {"RETURN0"}
    return code
  end
  for _, more in ipairs(after[name] and {after[name](i[2], i[3])} or {}) do
    code[#code + 1] = more
  end
  code[#code + 1] = {"LOADTRUE", 7}
  code[#code + 1] = {"LOADTRUE", 7}
  code[#code + 1] = {"RETURN0"}
  return code
end

-- The instruction with operands that are accepted.
local function sample(op)
  local i = {op.name}
  for n = 1, #op.operands do i[n + 1] = good[op.operands:sub(n, n)] end
  if op.name == "ADD_RR_FOR1" then i[2] = 0
  elseif op.name:find "EQS$" then i[3] = SHORT
  elseif op.name == "CLOSURE" or op.name:find "^DUPTABLE" then i[4] = 6
  elseif op.name == "NEWTABLE" then i[4] = 6
  elseif op.name == "SETLIST" then i[5] = 0
  elseif op.name == "SELF" then i[2] = 6
  elseif op.name == "MOVE2" then i[2] = 6
  elseif op.name == "LOADNIL" then i[3] = 1
  elseif op.name == "CALL" then i[4] = 2
  elseif op.name == "TAILCALL" then i[4] = 0
  elseif op.name == "RETURN" then i[2], i[4] = 1, 0
  elseif op.name:find "^DIV_RI2" then i[4] = 4
  end
  return i
end

local OUTSIDE = {"register out of range, or of a loop", "register out of range",
  "registers out of range"}
local UNWRITTEN = "register read before it is written"
local NO_K, NO_TYPE = "constant out of range", "constant of the wrong type"
local OPERAND = "operand out of range"

-- For each letter: the rule, the messages, and bad operands.
local bad = {
  w = {{"I5", OUTSIDE, 9, 255}},
  r = {{"P1", UNWRITTEN, 7}, {"I5", {UNWRITTEN, table.unpack(OUTSIDE)}, 9, 255}},
  k = {{"I6", NO_K, 5, 255}, {"I8", NO_TYPE, TABLE_K}},
  n = {{"I6", NO_K, 5}, {"I7", NO_TYPE, FLOAT, SHORT, TABLE_K}},
  f = {{"I6", NO_K, 5}, {"I7", NO_TYPE, INTEGER, SHORT, TABLE_K}},
  m = {{"I6", NO_K, 5}, {"I7", NO_TYPE, FLOAT, SHORT, TABLE_K}},
  e = {{"I6", NO_K, 5}, {"I7", NO_TYPE, INTEGER, SHORT, TABLE_K}},
  s = {{"I6", NO_K, 5}, {"I7", NO_TYPE, INTEGER, LONG, TABLE_K},
       {"I4", "hint in new code", 0x10000}},
  x = {{"I6", NO_K, 5}, {"I7", NO_TYPE, INTEGER, LONG, TABLE_K}},
  g = {{"I13", OPERAND, 0, -1, -128}},
  q = {{"I14", OPERAND, 0, 3, -4, -128}},
  h = {{"I15", OPERAND, 64, -1}},
  t = {{"I6", NO_K, 5}, {"I7", NO_TYPE, SHORT, INTEGER}},
  v = {{"I9", "upvalue out of range", 1, 255}},
  p = {{"I10", "function out of range", 1, 0xffffffff}},
  ["_"] = {{"I3", "unused field is not zero", 1, 255}},
  j = {{"P2", "jump out of range", 100, -10, 0x7fffffff, -0x80000000}},
  b = {{"I5", {UNWRITTEN, table.unpack(OUTSIDE)}, 9, 255}},
}

local function try_field(op, n, rule, messages, value)
  local i = sample(op)
  if op.name:find "_FOR" and rule == "P1" then value = 8 end
  i[n + 1] = value
  refused(rule, messages, with_code(around(i)),
    ("%s, operand %d = %d"):format(op.name, n, value))
end

for _, op in ipairs(Chunk.opcode_list) do
  local code = around(sample(op))
  if code then accepted(op.name, with_code(code)) end
  for n = 1, code and #op.operands or 0 do
    local letter = op.operands:sub(n, n)
    -- What a RETURN returns is tried by hand, and a TFORPREP has its own jump.
    local skip = op.name == "TFORPREP" and letter == "j"
      or op.name == "CLOSE" and letter == "r"
      or op.name == "JMP" and n > 1
    for _, case in ipairs(not skip and bad[letter] or {}) do
      for v = 3, #case do
        local value = case[v]
        if op.format == "E" and value > 1000 then value = 0x7fffff end
        if op.format == "E" and value < -1000 then value = -0x800000 end
        try_field(op, n, case[1], case[2], value)
      end
    end
  end
end

refused("I1", "no such opcode",
  with_code {#Chunk.opcode_list << 8, {"RETURN0"}})
refused("I1", "no such opcode", with_code {0xff00, {"RETURN0"}})
for _, op in ipairs(Chunk.opcode_list) do
  if op.words == 2 then
    refused("I2", "code ends early", with_code {START, op.number << 8}, op.name)
  end
end

-- -- What instructions demand ------------------------------------------------

-- Refuses code after START; `more` has other fields of the function.
local function wrong(rule, message, code, more)
  table.insert(code, 1, START)
  refused(rule, message, with_code(code, more), code[2][1])
end
local function right(code, more)
  table.insert(code, 1, START)
  accepted(code[2][1] .. " that is right", with_code(code, more))
end

-- A function with variable arguments; registers 0 to 5 are assigned.
local VARARG = {vararg = true}
local function wrong_vararg(rule, message, code)
  table.insert(code, 1, {"VARARGPREP", 0})
  table.insert(code, 2, START)
  refused(rule, message, with_code(code, VARARG), code[3] and code[3][1])
end
local function right_vararg(code)
  table.insert(code, 1, {"VARARGPREP", 0})
  table.insert(code, 2, START)
  accepted("variable arguments", with_code(code, VARARG))
end

local SEVERAL = "registers out of range"
for _, i in ipairs {
  {"LOADNIL", 7, 2}, {"CLOSE", 9}, {"SETLIST", 6, 4, 0, 0}, {"CONCAT", 6, 5, 5},
  {"FORPREP", 6, 0, 0, 5}, {"FORPREP1", 6, 0, 0, 5}, {"FORLOOP", 6, 0, 0, -2},
  {"FORLOOP1", 6, 0, 0, -2}, {"FORCOPY1", 6, 0, 0, -2},
  {"TFORPREP", 6, 0, 0, 5}, {"TFORLOOP", 5, 0, 0, -2}, {"TFORCALL", 3, 1},
  {"TFORCALL", 0, 6}, {"CALL", 5, 4, 1}, {"CALL", 5, 0, 5}, {"CALLM", 5, 5, 1},
  {"CALLM", 5, 1, 6}, {"TAILCALL", 5, 5, 0}, {"RETURN", 5, 6, 0},
  {"NEWTABLE", 0, 0, 10, 0}, {"DUPTABLE", 0, 0, 10, TABLE_K},
  {"CLOSURE", 0, 0, 10, 0},
} do
  wrong("I5", SEVERAL, {i, {"RETURN0"}})
end
wrong_vararg("I5", SEVERAL, {{"VARARG", 5, 6}, {"RETURN", 0, 1, 2}})

for name in pairs(after) do
  local i = sample(Chunk.opcodes[name])
  if name ~= "LENAPPEND" then
    wrong("I11", "half a pair", {i, {"LOADTRUE", 8}, {"RETURN0"}})
  end
end
for _, name in ipairs {"SETTABLE_FOR", "SETTABLE_FOR1", "SETTABLEK_FOR1",
                       "ADD_RR_FOR1"} do
  local code = around(sample(Chunk.opcodes[name]))
  local at = #code - 2
  table.insert(code, at + 1, {"LOADTRUE", 8})
  code[at - 1][5], code[at + 2][5] = ">" .. at + 3, ">" .. at
  refused("I11", "half a pair", with_code(code), name)
end
wrong("I11", "half a pair",
  {{"GETFIELD_ADD", 6, 1, 0, SHORT}, {"ADD_RR", 7, 6, 6}, {"RETURN0"}})
wrong("I11", "half a pair",
  {{"GETTABLE_SET", 6, 1, 2}, {"SETTABLE", 6, 1, 6}, {"RETURN0"}})

local STORE = "LENAPPEND without its store"
wrong("I12", STORE, {{"LENAPPEND", 6, 1}, {"ADD_RI", 6, 6, 1}, {"RETURN0"}})
wrong("I12", STORE, {{"LENAPPEND", 6, 1}, {"ADD_RI", 6, 6, 2},
                     {"SETTABLE", 1, 6, 2}, {"RETURN0"}})
wrong("I12", STORE, {{"LENAPPEND", 6, 1}, {"ADD_RI", 6, 6, 1},
                     {"SETTABLE", 2, 6, 2}, {"RETURN0"}})
wrong("I12", STORE, {{"LENAPPEND", 1, 1}, {"ADD_RI", 1, 1, 1},
                     {"SETTABLE", 1, 1, 2}, {"RETURN0"}})

local numbers = {constants = {0, -4, 3.0, 2.0 ^ -1074, -2.0, 2.0 ^ 1023, 0.0}}
for _, case in ipairs {
  {"I13", "MOD_RI", 0, -1, -128}, {"I13", "IDIV_RI", 0, -1, -128},
  {"I13", "MOD_RN", 0, 1}, {"I13", "IDIV_RN", 0, 1},
  {"I14", "MOD_RI2", 0, 3, -4, -128}, {"I14", "DIV_RI2", 0, 3, -4, -128},
  {"I14", "DIV_RF2", 2, 3, 4, 5, 6},
  {"I15", "SHL_RI", 64, -1}, {"I15", "SHR_RI", 64, -1},
  {"I16", "CONCAT", 1, 0},
} do
  for n = 3, #case do
    wrong(case[1], OPERAND, {{case[2], 6, 1, case[n]}, {"RETURN0"}}, numbers)
  end
end
right {{"CONCAT_RR", 6, 1, 2, 9}, {"RETURN0"}}
wrong("I16", OPERAND, {{"CONCAT_RR", 6, 1, 2, 10}, {"RETURN0"}})
for _, name in ipairs {"JEQS", "JNEQS"} do
  for _, k in ipairs {LONG, INTEGER} do
    wrong("I17", NO_TYPE, {{name, 1, k, 0, ">3"}, {"RETURN0"}})
  end
end

right {{"NEWTABLE", 6, 7, 6, 100}, {"RETURN0"}}
wrong("I18", OPERAND, {{"NEWTABLE", 6, 0, 6, 125}, {"RETURN0"}})
wrong("I18", OPERAND, {{"NEWTABLE", 6, 8, 6, 0}, {"RETURN0"}})
wrong("I18", OPERAND, {{"NEWTABLE", 6, 33, 6, 0}, {"RETURN0"}})
wrong("I18", OPERAND, {{"NEWTABLE", 6, 255, 6, 0}, {"RETURN0"}})
wrong("I18", OPERAND, {{"SETLIST", 1, 2, 0, 125}, {"RETURN0"}})

local function generic(prepare, call, loop)
  return {prepare or {"TFORPREP", 1, 0, 0, ">3"}, call or {"TFORCALL", 1, 1},
          loop or {"TFORLOOP", 1, 0, 0, ">3"}, {"CLOSE", 4}, {"RETURN0"}}
end
right(generic())
wrong("I19", OPERAND, generic(nil, {"TFORCALL", 1, 0}))

local ANOTHER = "a return of another kind of function"
right {{"RETURN", 1, 3, 1}}
wrong("I20", OPERAND, {{"RETURN", 1, 3, 4}})
wrong("I20", ANOTHER, {{"RETURN", 1, 3, 2}})
wrong("I20", OPERAND, {{"TAILCALL", 1, 1, 4}, {"RETURN", 1, 0, 0}})
wrong("I20", ANOTHER, {{"TAILCALL", 1, 1, 2}, {"RETURN", 1, 0, 0}})
right_vararg {{"RETURN", 1, 3, 2}}
wrong_vararg("I20", ANOTHER, {{"RETURN", 1, 3, 0}})
wrong_vararg("I21", OPERAND, {{"RETURN0"}, {"RETURN", 1, 1, 2}})
wrong_vararg("I21", OPERAND, {{"RETURN1", 1}, {"RETURN", 1, 1, 2}})

refused("I22", "no VARARGPREP", with_code({START, {"RETURN", 1, 1, 2}}, VARARG))
local PLACE = "VARARGPREP where it should not be"
refused("I22", PLACE, with_code {{"VARARGPREP", 0}, {"RETURN0"}})
refused("I22", PLACE, with_code({{"VARARGPREP", 1}, {"RETURN", 0, 1, 2}}, VARARG))
wrong_vararg("I22", PLACE, {{"VARARGPREP", 0}, {"RETURN", 1, 1, 2}})
wrong("I23", "VARARG in a function without", {{"VARARG", 1, 2}, {"RETURN0"}})

local NO_LOOP = "TFORCALL without TFORLOOP"
wrong("I24", NO_LOOP, generic(nil, nil, {"TFORLOOP", 0, 0, 0, ">3"}))
wrong("I24", NO_LOOP, generic(nil, nil, {"LOADTRUE", 8}))
local NO_RETURN = "TAILCALL without RETURN"
right {{"TAILCALL", 1, 1, 0}, {"RETURN", 1, 0, 0}}
wrong("I25", NO_RETURN, {{"TAILCALL", 1, 1, 0}, {"RETURN0"}})
wrong("I25", NO_RETURN, {{"TAILCALL", 1, 1, 0}, {"RETURN", 2, 0, 0}})
wrong("I25", NO_RETURN, {{"TAILCALL", 1, 1, 0}, {"RETURN", 1, 1, 0}})

local UNENDED = "code does not end with a return"
wrong("I26", UNENDED, {{"LOADTRUE", 6}})
wrong("I26", UNENDED, {{"RETURN0"}, {"JMP", ">2"}})
do -- a constant whose number looks like a return
  local number, many = Chunk.opcodes.RETURN0.number << 8, {}
  for i = 1, number + 1 do many[i] = NIL end
  wrong("I26", UNENDED, {{"LOADKX", 6, 0, 0, number}}, {constants = many})
end

-- -- Paths -------------------------------------------------------------------

right {{"JT", 0, 0, 0, ">4"}, {"LOADI", 6, 1}, {"LOADI", 6, 2}, {"MOVE", 7, 6},
       {"RETURN0"}}
wrong("P1", UNWRITTEN, {{"JT", 0, 0, 0, ">4"}, {"LOADI", 6, 1},
                        {"MOVE", 7, 6}, {"RETURN0"}})
wrong("P1", UNWRITTEN, {{"JTSET", 6, 0, 0, ">4"}, {"MOVE", 7, 6}, {"RETURN0"}})
right {{"MOVE2", 6, 1, 6}, {"RETURN0"}}
wrong("P1", UNWRITTEN, {{"MOVE2", 6, 1, 7}, {"RETURN0"}})
wrong("P1", UNWRITTEN, {{"MOVE2", 6, 7, 6}, {"RETURN0"}})
-- Registers that are lost.
for _, i in ipairs {{"CALL", 1, 0, 1}, {"CALLM", 1, 1, 2}, {"CONCAT", 1, 1, 2},
                    {"CONCAT_RR", 1, 3, 4, 2}, {"CONCAT_RR", 1, 3, 4, 0},
                    {"NEWTABLE", 1, 0, 2, 0}, {"DUPTABLE", 1, 0, 2, TABLE_K}} do
  right {i, {"MOVE", 6, 1}, {"RETURN0"}}
  wrong("P1", UNWRITTEN, {i, {"MOVE", 6, 2}, {"RETURN0"}})
end
wrong("P1", UNWRITTEN, {{"CLOSURE", 2, 0, 3, 0}, {"MOVE", 6, 3}, {"CLOSE", 0},
                        {"RETURN0"}})
-- The body of a loop, and what comes after it.
wrong("P1", UNWRITTEN, {{"TFORPREP", 0, 0, 0, ">4"}, {"MOVE", 6, 5},
  {"TFORCALL", 0, 1}, {"TFORLOOP", 0, 0, 0, ">3"}, {"CLOSE", 3}, {"RETURN0"}})
wrong("P1", UNWRITTEN, {{"TFORPREP", 0, 0, 0, ">3"}, {"TFORCALL", 0, 1},
  {"TFORLOOP", 0, 0, 0, ">3"}, {"CLOSE", 3}, {"MOVE", 6, 4}, {"RETURN0"}})
wrong("P1", UNWRITTEN, {{"FORPREP1", 0, 0, 0, ">5"}, {"MOVE", 6, 4},
  {"FORLOOP1", 0, 0, 0, ">3"}, {"RETURN0"}})
wrong("P1", UNWRITTEN, {{"FORPREP1", 0, 0, 0, ">4"},
  {"FORLOOP1", 0, 0, 0, ">3"}, {"MOVE", 6, 5}, {"RETURN0"}})
-- The second time around.
right {{"MOVE", 6, 1}, {"CALL", 2, 0, 1}, {"JT", 0, 0, 0, ">2"}, {"RETURN0"}}
wrong("P1", UNWRITTEN, {{"MOVE", 6, 1}, {"CALL", 1, 0, 0},
                        {"JT", 0, 0, 0, ">2"}, {"RETURN0"}})
wrong("P1", UNWRITTEN, {{"MOVE", 6, 1}, {"JT", 0, 0, 0, ">2"}, {"RETURN0"}},
  {heads = {{1, 1}}})
-- A place that only a jump backward leads to.
right {{"JMP", ">4"}, {"MOVE", 6, 1}, {"JT", 0, 0, 0, ">3"}, {"RETURN0"}}
wrong("P1", UNWRITTEN, {{"JMP", ">4"}, {"MOVE", 6, 7}, {"JT", 0, 0, 0, ">3"},
                        {"RETURN0"}})

wrong("P2", "jump out of range", {{"LOADFALSESKIP", 6}, {"RETURN0"}})
local INTO = "jump into an instruction"
wrong("P3", INTO, {{"JMP", 1}, {"LOADKX", 6, 0, 0, 0}, {"RETURN0"}})
wrong("P3", INTO, {{"LOADKX", 6, 0, 0, 0}, {"JMP", -2}, {"RETURN0"}})
wrong("P3", INTO, {{"LOADKX", 6, 0, 0, 0}, {"JMP", -2}, {"RETURN0"}},
  {heads = {{2, 256}}})
wrong("P3", INTO, {{"LOADFALSESKIP", 6}, {"LOADKX", 6, 0, 0, 0}, {"RETURN0"}})
wrong("P4", "loop without a beginning", {{"JMP", ">2"}, {"RETURN0"}},
  {heads = {}})

-- A numeric loop; its registers are 4, 5, 6 and 7.
local function numeric(body, kind, before)
  local prepare = (kind or "1") == "" and "FORPREP" or "FORPREP1"
  local code = {{"LOADI", 6, 1}}
  for _, i in ipairs(before or {}) do code[#code + 1] = i end
  local start = #code + 3 -- START comes first
  code[#code + 1] = {prepare, 4, 0, 0, ">" .. start + #body + 1}
  for _, i in ipairs(body) do code[#code + 1] = i end
  local loop = kind == "copy" and "FORCOPY1" or "FORLOOP" .. (kind or "1")
  code[#code + 1] = {loop, 4, 0, 0, ">" .. start}
  code[#code + 1] = {"CLOSE", 0}
  code[#code + 1] = {"RETURN0"}
  return code
end
for _, kind in ipairs {"", "1", "copy"} do
  right(numeric({{"MOVE", 8, 7}}, kind))
  local IN = "jump into a loop"
  wrong("P5", IN, numeric({{"MOVE", 8, 1}}, kind, {{"JT", 0, 0, 0, ">5"}}))
  local code = numeric({{"MOVE", 8, 1}}, kind)
  table.insert(code, 5, {"JT", 0, 0, 0, ">4"})
  wrong("P5", IN, code)
end
refused("P6", "jump to the start of a vararg function", with_code(
  {{"VARARGPREP", 0}, START, {"JMP", ">1"}, {"RETURN", 0, 1, 2}}, VARARG))

local TO_OPEN = "jump to open values"
right_vararg {{"VARARG", 1, 0}, {"RETURN", 1, 0, 2}}
wrong_vararg("P7", TO_OPEN, {{"JT", 0, 0, 0, ">5"}, {"VARARG", 1, 0},
                             {"RETURN", 1, 0, 2}})
wrong_vararg("P7", TO_OPEN, {{"VARARG", 1, 0}, {"RETURN", 1, 0, 2},
                             {"JMP", ">4"}, {"RETURN", 1, 1, 2}})
wrong("P8", "TFORLOOP without TFORCALL", {{"JT", 0, 0, 0, ">5"},
  {"TFORPREP", 1, 0, 0, ">4"}, {"TFORCALL", 1, 1}, {"TFORLOOP", 1, 0, 0, ">4"},
  {"CLOSE", 4}, {"RETURN0"}})

local function captures(...)
  local upvalues = {}
  for i, r in ipairs {...} do upvalues[i] = {1, r} end
  return {functions = {{upvalues = upvalues}}}
end
local CLOSURE = {"CLOSURE", 8, 0, 9, 0}
right({CLOSURE, {"CLOSE", 0}, {"RETURN0"}}, captures(8, 0))
wrong("P9", UNWRITTEN, {CLOSURE, {"CLOSE", 0}, {"RETURN0"}}, captures(6))

local LOST = "open variable or register of a loop lost"
for _, i in ipairs {{"CALL", 1, 0, 1}, {"CALLM", 1, 1, 2}, {"CONCAT", 1, 1, 2},
                    {"CONCAT_RR", 0, 3, 4, 2}, {"NEWTABLE", 0, 0, 2, 0},
                    {"DUPTABLE", 0, 0, 2, TABLE_K}} do
  wrong("P10", LOST, {CLOSURE, i, {"CLOSE", 0}, {"RETURN0"}}, captures(2))
  wrong("P10", LOST, {{"TBC", 2}, i, {"CLOSE", 0}, {"RETURN0"}})
end
wrong("P10", LOST, {{"TBC", 5}, {"CLOSURE", 0, 0, 2, 0}, {"CLOSE", 0},
                    {"RETURN0"}}, captures(0))
wrong_vararg("P10", LOST, {{"TBC", 2}, {"VARARG", 1, 0}, {"RETURN", 1, 0, 3}})
wrong("P10", LOST, {{"CLOSURE", 6, 0, 7, 0}, {"TFORPREP", 0, 0, 0, ">4"},
  {"TFORCALL", 0, 1}, {"TFORLOOP", 0, 0, 0, ">4"}, {"CLOSE", 0}, {"RETURN0"}},
  captures(5))

local NO_END, NO_START = "loop without an end", "loop without a beginning"
wrong("P11", NO_END, {{"FORPREP1", 0, 0, 0, ">5"}, {"LOADTRUE", 8},
                      {"LOADTRUE", 8}, {"RETURN0"}})
wrong("P11", NO_END, {{"FORPREP1", 0, 0, 0, ">3"}, {"RETURN0"}})
wrong("P11", NO_END, {{"FORPREP1", 0, 0, 0, ">2"}, {"RETURN0"}},
  {heads = {{1, 256}}})
wrong("P11", NO_START, {{"FORLOOP1", 0, 0, 0, ">2"}, {"RETURN0"}})
wrong("P11", NO_START, {{"FORPREP1", 0, 0, 0, ">4"},
                        {"FORLOOP1", 1, 0, 0, ">3"}, {"RETURN0"}})
wrong("P11", NO_START, {{"FORPREP1", 0, 0, 0, ">4"},
                        {"FORLOOP", 0, 0, 0, ">3"}, {"RETURN0"}})
wrong("P11", NO_START, {{"FORPREP", 0, 0, 0, ">4"},
                        {"FORLOOP1", 0, 0, 0, ">3"}, {"RETURN0"}})
wrong("P11", NO_START, {{"FORPREP1", 0, 0, 0, ">5"}, {"LOADTRUE", 8},
                        {"FORLOOP1", 0, 0, 0, ">4"}, {"RETURN0"}})
wrong("P11", NO_START, {{"FORPREP1", 0, 0, 0, ">5"},
                        {"FORLOOP1", 0, 0, 0, ">3"}, {"LOADTRUE", 8},
                        {"RETURN0"}})
-- The second loop ends after the first one.
wrong("P11", NO_END, {{"FORPREP1", 0, 0, 0, ">6"}, {"LOADNIL", 4, 2},
  {"FORPREP1", 4, 0, 0, ">7"}, {"FORLOOP1", 0, 0, 0, ">3"},
  {"FORLOOP1", 4, 0, 0, ">5"}, {"RETURN0"}})
-- The second loop has registers of the first one.
wrong("P11", NO_END, {{"FORPREP1", 0, 0, 0, ">7"},
  {"LOADNIL", 4, 1}, {"FORPREP1", 3, 0, 0, ">6"}, {"FORLOOP1", 3, 0, 0, ">5"},
  {"FORLOOP1", 0, 0, 0, ">3"}, {"RETURN0"}})

local CAPTURED = "register of a loop captured"
for _, kind in ipairs {"", "1", "copy"} do
  for r = 4, 6 do
    wrong("P12", UNWRITTEN, numeric({{"MOVE", 8, r}}, kind))
    wrong("P12", OUTSIDE, numeric({{"MOVE", r, 1}}, kind))
    wrong("P12", OUTSIDE, numeric({{"LOADNIL", r, 0}}, kind))
    wrong("P12", OUTSIDE, numeric({{"LOADNIL", 3, r - 3}}, kind))
    wrong("P12", LOST, numeric({{"NEWTABLE", 0, 0, r, 0}}, kind))
    wrong("P12", {UNWRITTEN, CAPTURED}, numeric({CLOSURE}, kind), captures(r))
    wrong("P12", CAPTURED, numeric({}, kind, {CLOSURE}), captures(r))
  end
end
local changes = {
  {OUTSIDE, {{"LOADTRUE", 7}}}, {OUTSIDE, {{"LOADNIL", 7, 1}}}, {LOST, {{"NEWTABLE", 0, 0, 7, 0}}},
  {OUTSIDE, {{"NEWTABLE", 7, 0, 8, 0}}}, {LOST, {{"CALL", 7, 0, 1}}},
  {CAPTURED, {CLOSURE}},
}
for _, change in ipairs(changes) do
  wrong("P13", change[1], numeric(change[2], "1"), captures(7))
  right(numeric(change[2], "copy"), captures(7))
  right(numeric(change[2], ""), captures(7))
end
wrong("P13", CAPTURED,
  numeric({}, "1", {{"LOADI", 7, 1}, {"CLOSURE", 8, 0, 9, 0}}), captures(7))

wrong("P14", NO_END, generic {"TFORPREP", 1, 0, 0, ">4"})
wrong("P14", NO_END, generic {"TFORPREP", 0, 0, 0, ">3"})
wrong("P14", NO_END, {{"TFORCALL", 1, 1}, {"TFORLOOP", 1, 0, 0, ">4"},
  {"TFORPREP", 1, 0, 0, ">2"}, {"CLOSE", 0}, {"RETURN0"}})
wrong("P15", "TFORLOOP without TFORCALL", {{"LOADNIL", 0, 5},
  {"TFORLOOP", 1, 0, 0, ">4"}, {"RETURN0"}})

do -- an AUX word that looks like a TFORCALL
  local code = {}
  for i = 1, 2000 do code[i] = {"LOADTRUE", 8} end
  code[#code + 1] = {"SETLIST", 1, 2, 0, Chunk.opcodes.TFORCALL.number << 8}
  code[#code + 1] = {"TFORLOOP", 1, 0, 0, ">" .. #code + 3}
  code[#code + 1] = {"RETURN0"}
  wrong("P15", "TFORLOOP without TFORCALL", code)
end

local NOT_MADE = "open values used, but not made"
wrong("P16", NOT_MADE, {{"RETURN", 1, 0, 0}})
wrong("P16", NOT_MADE, {{"SETLIST", 1, 0, 0, 0}, {"RETURN0"}})
wrong("P16", NOT_MADE, {{"CALLM", 1, 0, 1}, {"RETURN0"}})
wrong("P16", NOT_MADE, {{"TAILCALL", 1, 0, 0}, {"RETURN", 1, 0, 0}})
right_vararg {{"VARARG", 2, 0}, {"CALLM", 1, 0, 1}, {"RETURN", 0, 1, 2}}
wrong_vararg("P16", NOT_MADE, {{"VARARG", 1, 0}, {"CALLM", 1, 0, 1},
                               {"RETURN", 0, 1, 2}})
wrong_vararg("P16", NOT_MADE, {{"VARARG", 1, 0}, {"RETURN", 2, 0, 2}})
wrong_vararg("P16", NOT_MADE, {{"VARARG", 1, 0}, {"SETLIST", 1, 0, 0, 0},
                               {"RETURN", 0, 1, 2}})
wrong_vararg("P16", UNWRITTEN, {{"VARARG", 8, 0}, {"CALLM", 6, 0, 1},
                                {"RETURN", 0, 1, 2}})
local UNUSED = "open values not used"
wrong_vararg("P17", UNUSED, {{"VARARG", 1, 0}, {"LOADTRUE", 8},
                             {"RETURN", 0, 1, 2}})
wrong("P17", UNUSED, {{"CALLM", 1, 1, 0}, {"RETURN0"}})
right {{"CALLM", 1, 1, 0}, {"RETURN", 1, 0, 0}}

local LEFT = "variables are left open"
for _, open in ipairs {CLOSURE, {"TBC", 2}} do
  for _, i in ipairs {{"RETURN0"}, {"RETURN1", 1}, {"RETURN", 1, 2, 0}} do
    wrong("P18", LEFT, {open, i}, captures(1))
  end
  right({open, {"RETURN", 1, 2, 1}}, captures(1))
end
right({CLOSURE, {"TAILCALL", 1, 1, 1}, {"RETURN", 1, 0, 0}}, captures(0))
wrong("P19", LEFT, {CLOSURE, {"TAILCALL", 1, 1, 0}, {"RETURN", 1, 0, 0}},
  captures(0))
wrong("P19", LEFT, {{"TBC", 0}, {"TAILCALL", 1, 1, 1}, {"RETURN", 1, 0, 1}})

local ORDER = "variables to be closed are not in order"
right {{"TBC", 1}, {"TBC", 2}, {"RETURN", 1, 2, 1}}
wrong("P20", ORDER, {{"TBC", 2}, {"TBC", 1}, {"RETURN", 1, 2, 1}})
wrong("P20", ORDER, {{"TBC", 2}, {"TBC", 2}, {"RETURN", 1, 2, 1}})
do
  local code = generic()
  table.insert(code, 1, {"TBC", 5})
  code[2][5], code[4][5] = ">4", ">4"
  wrong("P20", ORDER, code)
end

accepted("a chain of jumps", Chunk.chain(2, 10000, 255))
refused("P21", "too many ways through the code", Chunk.chain(200, 10000, 255))

-- -- Chunks of PUC's luac ----------------------------------------------------

local luac = dofile(here .. "/luac54.lua")(root)

-- A chunk that gives a result, and the same one with a fault.
local function gives(result, f)
  local loaded, message = load(luac(f), "=x", "b")
  local got = loaded and loaded()
  if got ~= result or math.type(got) ~= math.type(result) then
    fail("a chunk of luac: %s, not %s", loaded and got or message, result)
  end
end
local function spoilt(rule, message, f) refused(rule, message, luac(f)) end

local RETURN = {"RETURN1", 0, 2}
gives(7, {code = {{"LOADI", 0, 7}, RETURN}})
spoilt("L1", "invalid constant", {constants = "\x81\x02"})
spoilt("L1", "bad format for constant string", {constants = "\x81\x04\x80"})
spoilt("L1", "truncated chunk", {constants = "\x81\x04\x85abc"})
spoilt("L1", "integer overflow", {constants = ("\x7f"):rep(10) .. "\xff"})
spoilt("L1", "no code", {code = {}})
spoilt("L1", "too many upvalues", {upvalues = "\x02\x80"})
do
  local nested = {}
  for _ = 1, 200 do nested = {functions = {nested}} end
  gives(nil, nested)
  spoilt("L1", "functions nested too deep", {functions = {nested}})
end

gives(1, {code = {{"LOADI", 0, 1}, RETURN}, lines = {5, 0}})
gives(1, {code = {{"LOADI", 0, 1}, RETURN}, lines = {5, -128}, elsewhere = {{1, 9}}})
spoilt("L2", "invalid lines", {lines = {5, 0}})
spoilt("L2", "invalid lines", {lines = {-5}})
spoilt("L2", "invalid lines", {lines = {0}, elsewhere = {{0, 0x7fffffff}}})
spoilt("L2", "invalid lines", {lines = {0}, elsewhere = {{1, 5}}})

gives(nil, {locals = {{"a", 0, 1}}})
spoilt("L3", "variable out of range", {locals = {{"a", 0, 2}}})
spoilt("L3", "variable out of range", {locals = {{"a", 2, 2}}})
spoilt("L3", "too many upvalues", {names = {"a"}})

for _, w in ipairs {83, 127} do
  spoilt("L4", "no such opcode", {code = {{w}, RETURN}})
end

-- x + 5; x + 3.5; if 1 < 2 then; a long table
local HALF = "half an instruction"
gives(7, {code = {{"LOADI", 0, 2}, {"ADDI", 0, 0, 127 + 5}, {"MMBINI", 0, 127 + 5, 6}, RETURN}})
gives(5.5, {code = {{"LOADI", 0, 2}, {"ADDK", 0, 0, 0}, {"MMBINK", 0, 0, 6}, RETURN}, constants = {3.5}})
gives(-3, {code = {{"LOADI", 0, 2}, {"ADDI", 0, 0, 127 - 5}, {"MMBINI", 0, 127 + 5, 7}, RETURN}})
gives(8, {code = {{"LOADI", 0, 2}, {"SHRI", 0, 0, 127 - 2}, {"MMBINI", 0, 127 + 2, 16}, RETURN}})
gives(true, {code = {{"LOADI", 0, 1}, {"LTI", 0, 127 + 2, 0, 1}, {"JMP", 1}, {"LFALSESKIP", 0}, {"LOADTRUE", 0}, RETURN}})
gives(false, {code = {{"LOADI", 0, 3}, {"LTI", 0, 127 + 2, 0, 1}, {"JMP", 1}, {"LFALSESKIP", 0}, {"LOADTRUE", 0}, RETURN}})
for _, code in ipairs {
  {{"LOADI", 0, 2}, {"ADDI", 0, 0, 127 + 5}, RETURN},
  {{"LOADI", 0, 2}, {"LTI", 0, 127 + 5, 0, 1}, RETURN},
  {{"LOADI", 0, 2}, {"LTI", 0, 127 + 5, 0, 1}},
  {{"NEWTABLE", 0}, RETURN},
  {{"LOADKX", 0}, RETURN},
  {{"MMBIN", 0, 0, 6}, RETURN},
  {{"EXTRAARG", 0}, RETURN},
  {{"SETLIST", 0, 1, 0, 1}, RETURN},
} do
  spoilt("L5", HALF, {code = code})
end

local OUT, INTO = "jump out of range", "jump into an instruction"
spoilt("L6", OUT, {code = {{"JMP", 1}, {"RETURN0"}}})
spoilt("L6", OUT, {code = {{"JMP", -2}, {"RETURN0"}}})
spoilt("L6", OUT, {code = {{"FORPREP", 0, 0}, {"RETURN0"}}})
spoilt("L6", OUT, {code = {{"FORLOOP", 0, 2}, {"RETURN0"}}})
spoilt("L6", OUT, {code = {{"TFORPREP", 0, 1}, {"RETURN0"}}})
spoilt("L6", OUT, {code = {{"LFALSESKIP", 0}, {"RETURN0"}}})
spoilt("L7", INTO, {code = {{"JMP", 1}, {"NEWTABLE", 0}, {"EXTRAARG", 0}, {"RETURN0"}}})
do
  local words = string.pack("=I4", 7 | 0 << 7):rep(8388608)
  local jump = string.pack("=I4", 56 | 8388608 + 16777215 << 7)
  spoilt("L8", "control structure too long",
    {code = jump .. words .. string.pack("=I4", 71 | 1 << 16)})
end

local LARGE = "too many registers"
local sum = {{"LOADI", 0, 2}, {"ADDK", 0, 0, 0}, {"MMBINK", 0, 0, 6, 1}, RETURN}
gives(1002, {code = sum, constants = {1000}, frame = 254})
spoilt("L9", LARGE, {code = sum, constants = {1000}, frame = 255})
spoilt("L10", "constant out of range", {code = sum, constants = {}})
local long = {{"NEWTABLE", 0}, {"EXTRAARG", 0}, {"LOADI", 1, 5},
              {"SETLIST", 0, 1, 0}, {"GETI", 0, 0, 1}, RETURN}
gives(5, {code = long})
long[4] = {"SETLIST", 0, 255, 0}
spoilt("L11", "operand out of range", {code = long, frame = 255})

-- -- All rules, all messages -------------------------------------------------

local function read_all(name)
  local f <close> = assert(io.open(root .. "/" .. name, "rb"))
  return f:read "a"
end

local page = read_all "docs/verifier.md"
local rules = {}
for rule in page:gmatch "\n| ([HCIPL]%d+) |" do
  rules[rule] = true
  if not tried[rule] then fail("rule %s has no case", rule) end
end
for rule in pairs(tried) do
  if not rules[rule] then fail("rule %s is not in docs/verifier.md", rule) end
end

for _, file in ipairs {"src/bytecode/verify.c", "src/bytecode/verify_flow.c",
    "src/bytecode/verify_demands_impl.h", "src/bytecode/undump.c",
    "src/bytecode/luac_read.c", "src/bytecode/luac_translate.c"} do
  local text = read_all(file):gsub("/%*.-%*/", "")
  local function check(message)
    if message:find "^[%u%l]" and not message:find "%.h$"
       and not message:find "%%" and message ~= "binary string"
       and not expected[message] then
      fail("%s: no case for '%s'", file, message)
    end
  end
  for message in text:gmatch 'refuse%(f,%s*"(.-)"%)' do check(message) end
  for message in text:gmatch 'undump_error%([%w>.-]+,%s*"(.-)"%)' do
    check(message)
  end
  for message in text:gmatch 'return%s*"(.-)";' do check(message) end
  for message in text:gmatch '[?:]%s*"(.-)"' do check(message) end
  for message in text:gmatch ',%s*"([^"]-mismatch)"' do check(message) end
end

print(("%d cases, %d failures"):format(count, failures))
os.exit(failures == 0 and 0 or 1)
