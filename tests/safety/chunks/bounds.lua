-- SPDX-License-Identifier: MIT
--
-- bounds.lua -- chunks that ask for much time or memory; see bounds.c
--
-- The limits are those of docs/verifier.md.

local Chunk = dofile(ROOT .. "/tests/safety/chunks/assemble.lua")(ROOT)
local NIL, template, size = Chunk.NIL, Chunk.template, Chunk.size

local MEMORY_PER_BYTE, MEMORY_CONSTANT = 160, 2 << 20
local TIME_RATIO = 12

local function times(n, what)
  local list = {}
  for i = 1, n do list[i] = what end
  return list
end

-- -- Memory ------------------------------------------------------------------

local function ending(code)
  code[#code + 1] = {"RETURN0"}
  return code
end

local function words(n) return size(n) .. ("\0"):rep(4 * n) end

-- Each word of code is a jump to the one after it, in a frame of many registers.
local function targets(n, constants)
  return {frame = 255, code = ending(times(n, {"JMP", 0})),
          constants = constants}
end

local function starts(n)
  local heads = {}
  for i = 1, n do heads[i] = {i - 1, 256} end
  return {frame = 255, code = ending(times(n, {"LOADNIL"})), heads = heads}
end

local small = {code = {{"RETURN0"}}}
local shapes = {
  {"templates with slots", {constants = times(2000, template(25, {}, {}))}},
  {"templates with many slots", {constants = times(3, template(1 << 28, {}, {})),
    code = words(3000)}},
  {"templates with slots for all words",
    {code = ending(times(2000, {"LOADNIL"})),
     constants = times(1000, template(50, {}, {}))}},
  {"templates with slots for all words, each",
    {code = ending(times(2000, {"LOADNIL"})),
     constants = times(1000, template(50000, {}, {}))}},
  {"one template with slots for all words",
    {code = ending(times(20000, {"LOADNIL"})),
     constants = {template(500000, {}, {})}}},
  {"templates of one name", {constants = times(5000, template(0, {}, {"n", 1}))}},
  {"templates of many names", {constants = times(200,
    template(0, {}, times(128, "n")))}},
  {"constants of one byte", {constants = times(50000, NIL)}},
  {"announced constants", {constants = size(1 << 30) .. ("\0"):rep(1000)}},
  {"announced code", {code = size(1 << 30) .. ("\0"):rep(1000)}},
  {"announced functions", {functions = size(1 << 30) .. Chunk.func(small):rep(9)}},
  {"announced variables", {locals = size(1 << 30) .. ("\0"):rep(1000)}},
  {"announced loops", {heads = size(1 << 30) .. ("\0"):rep(1000)}},
  {"an announced string", {constants = {Chunk.raw("\5" .. size(1 << 40) .. "x")}}},
  {"small functions", {functions = times(10000, small)}},
  {"functions with upvalues", {functions = times(500,
    {upvalues = times(255, {1, 0})})}},
  {"variables", {locals = times(20000, {"v", 0, 0})}},
  {"jumps to all words", targets(20000)},
  {"starts of loops at all words", starts(20000)},
  {"jumps to all words, and slots", targets(16400,
    {template(16400 * 25, {}, {})})},
  {"lines", {lines = "\1\0" .. ("\0"):rep(10)}},
}
do -- deep, and each level announces much
  local bytes = ""
  for _ = 1, 199 do
    bytes = bytes .. Chunk.func(small):sub(1, -5) .. size(1 << 30)
  end
  shapes[#shapes + 1] = {"announced functions, nested", bytes}
  local short = {}
  for i = 1, 20000 do short[i] = ("%x"):format(i) end
  shapes[#shapes + 1] = {"short strings", {constants = short}}
end

local worst, worst_name, failures = 0, nil, 0
for _, shape in ipairs(shapes) do
  local chunk = type(shape[2]) == "string" and Chunk.header {} .. shape[2]
    or Chunk.bytes(shape[2])
  local bytes, message = memory(chunk)
  local ratio = (bytes - MEMORY_CONSTANT) / #chunk
  if ratio > worst then worst, worst_name = ratio, shape[1] end
  if ratio > MEMORY_PER_BYTE then
    print(("%-40s %8d bytes: %9d held%s"):format(shape[1], #chunk, bytes,
      message and ", " .. message or ""))
  end
  if ratio > MEMORY_PER_BYTE then failures = failures + 1 end
end
print(("%d shapes, most memory: %.1f times the chunk (%s), limit %d"):format(
  #shapes, worst, worst_name or "below the constant", MEMORY_PER_BYTE))

-- -- Time --------------------------------------------------------------------

-- Loops nested by jumps, each reached from the one outside of it only.
local function nest(levels, frame)
  local code = {{"LOADNIL", 0, frame - 1}}
  for i = 1, levels do code[i + 1] = {"JMP", ">" .. 2 * levels + 3 - i} end
  code[levels + 2] = {"LOADNIL", 0, 0}
  for i = levels, 1, -1 do
    code[2 * levels + 3 - i] = {"JNIL", 0, 0, 0, ">" .. i + 2}
  end
  code[#code + 1] = {"RETURN0"}
  return {frame = frame, code = code}
end

-- An ordinary chunk of that size.
local function ordinary(bytes)
  local text = {}
  for n = 1, bytes // 360 do
    text[n] = ([[function F%d(a, b, c)
      local x = a + b * 2
      if x > c then return x else x = x - 1 end
      for i = 1, #a do b[i] = a[i] + x; print(i, b[i]) end
      for k, v in pairs(b) do a[k] = v .. 's%d' end
      while x < 100 do x = x + a.field%d; a:method(x, 'k') end
      return {a, b, c, name = x}, function() return x end
    end]]):format(n, n, n % 50)
  end
  return string.dump(load(table.concat(text, "\n")), true)
end

local function ratio_of(name, f)
  local chunk = Chunk.bytes(f)
  local plain = ordinary(#chunk)
  local loaded, message = load(chunk, "=x", "b")
  local slow = seconds(chunk) / #chunk
  local usual = seconds(plain) / #plain
  print(("%-40s %8d bytes, %.1f ms: %4.1f times as long as an ordinary one%s")
    :format(name, #chunk, slow * #chunk * 1e3, slow / usual,
      loaded and "" or ", " .. message))
  if slow / usual > TIME_RATIO and optimized then failures = failures + 1 end
end

local large = optimized and 1 or 10
ratio_of("a chain, visited again often", Chunk.chain(200, 130000 // large, 255))
ratio_of("a chain, visited again twice", Chunk.chain(2, 130000 // large, 255))
ratio_of("a chain of a small frame", Chunk.chain(40, 130000 // large, 64))
ratio_of("a deep nest of jumps", nest(60000 // large, 255))
do
  local functions = {}
  for i = 1, 300 // large do functions[i] = nest(300, 255) end
  ratio_of("many nests of jumps", {functions = functions})
  for i = 1, 300 // large do functions[i] = Chunk.chain(50, 400, 255) end
  ratio_of("many chains", {functions = functions})
end

-- Words that could be the beginning of an instruction as well as its AUX.  An
-- error looks for the instruction that wrote a register.
do
  local count = 100000
  local aux = Chunk.opcodes.LOADKX.number << 8
  local code = {{"LOADNIL", 0, 2}, {"JMP", ">" .. count + 3}}
  for i = 3, count + 2 do code[i] = {"NEWTABLE", 2, 0, 3, aux} end
  code[#code + 1] = {"CALL", 1, 0, 0}
  code[#code + 1] = {"RETURN0"}
  local f = assert(load(Chunk.bytes {frame = 3, code = code}, "=x", "b"))
  local start = os.clock()
  assert(not pcall(f))
  local time = os.clock() - start
  print(("an error behind %d words: %.1f ms"):format(2 * count, time * 1e3))
  assert(time < 1, "an error takes long")
end

local plain = ordinary(1 << 20)
print(("an ordinary chunk takes %.1f times its size"):format(
  memory(plain) / #plain))
assert(failures == 0, "too much")
