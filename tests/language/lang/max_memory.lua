-- SPDX-License-Identifier: MIT
-- The option --max-memory of the command line

local lua = arg[-1]
local function run(line)
  local command = "{ " .. line:gsub("%$lua", "'" .. lua .. "'") .. "; } 2>&1"
  local p <close> = assert(io.popen(command))
  local text = p:read("a")
  local _, how, code = p:close()
  text = text:gsub(lua:gsub("%p", "%%%0"), "lua"):gsub("%s+$", ""):gsub("\n", " / ")
  print((text .. (code ~= 0 and " [" .. how .. " " .. code .. "]" or "")))
end

-- a size in the next word or behind '=', in bytes or more
run("$lua --max-memory 1000000 -e 'print(1)'")                --> 1
run("$lua --max-memory=2M -e 'print(2)'")                     --> 2
run("$lua --max-memory 1g -e 'print(3)'")                     --> 3
run("$lua --max-memory 900K -e 'print(4)' --max-memory 1M")   --> 4

-- running out of memory is an error that can be caught
run([[$lua --max-memory 1M -e 'local t while true do t = {t} end']])
-->~ ^lua: not enough memory / stack traceback: / .*%(command line%):1: in main chunk.* / The limit is 1 MB %(%-%-max%-memory%)%. / What takes the memory, estimated from samples:.*B  .* from .*%[exit 1%]$
run([[$lua --max-memory 1M -e 'print(pcall(string.rep, "x", 2000000))']])
--> false	not enough memory
run([[$lua --max-memory 10K -e 'print(1)']])
--> lua: '--max-memory' is too small: 10240 bytes are not enough for the libraries [exit 1]
run([[$lua --max-memory 1 -e 'print(1)']])
--> lua: '--max-memory' is too small: 1 bytes are not enough for the libraries [exit 1]
run([[$lua --max-memory 1M -e 'print(require("penumbra.gc").limit())']])
--> 1048576

-- no size
for _, size in ipairs {"", "= 1", "0", "-1", "x", "1x", "20Q", "1KK", "'1 K'", "K", "99999999999999999G", "99999999999999999999999"} do
  run("$lua --max-memory " .. size .. " 2>&1 | head -1")
end
--> lua: '--max-memory' needs argument (try 'lua --help')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '=')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '0')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '-1')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got 'x')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '1x')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '20Q')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '1KK')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '1 K')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got 'K')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '99999999999999999G')
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '99999999999999999999999')
run("$lua --max-memory= -e 'print(1)' 2>&1 | head -1")        --> lua: '--max-memory=' needs argument (try 'lua --help')
run("$lua --max-memory=20Q 2>&1 | head -1")
--> lua: '--max-memory' needs a size in bytes, or in K, M or G (got '20Q')
run("$lua --max-memoryx 2>&1 | head -1")                      --> lua: unrecognized option '--max-memoryx' (try 'lua --help')
