-- SPDX-License-Identifier: MIT
--
-- amalgamate.lua -- all of the library in one C file
--
--    lua amalgamate.lua <source tree> <output folder> <version>
--
-- Writes penumbra.c, the public headers it is compiled with, and the file that
-- is compiled as C++ for errors that are exceptions. What penumbra.c holds:
--
--  * each source file, from the ground up, a header where it is first needed
--  * nothing with external linkage but the public API: what the internal
--    headers declare becomes PENUMBRA_PRIVATE, which is `static`
--  * no macro of a source file after its end
--  * the command line last, if PENUMBRA_STANDALONE is defined
--
-- It relies on the house style: what a file declares begins in column one.

local tree, folder, version = arg[1], arg[2], arg[3]
if not version then
  local is_help = arg[1] == "--help"
  local text = is_help and "usage: amalgamate.lua <tree> <folder> <version>\n" or
    "amalgamate.lua: arguments are missing (try 'amalgamate.lua --help')\n"
  (is_help and io.stdout or io.stderr):write(text)
  os.exit(is_help and 0 or 2)
end

local LAYERS = {"base", "heap", "gc", "observe", "object", "bytecode",
                "compiler", "vm", "api", "lib"}
local CLI = {"run.c", "failure.c", "limits.c", "complete.c", "show.c",
             "mark.c", "history.c", "editor.c", "line.c", "page.c",
             "observe.c", "adapter.c", "repl.c", "lua.c"}
-- What the build makes headers from.
local CODE = {["page_lua.h"] = {"src/cli/page.lua", "page_lua"},
              ["help_lua.h"] = {"src/cli/help.lua", "help_lua"},
              ["adapter_lua.h"] = {"src/cli/adapter.lua", "adapter_lua"},
              ["dap_lua.h"] = {"src/lib/dap.lua", "dap_lua"},
              ["debugger_lua.h"] = {"src/lib/debugger.lua", "debugger_lua"}}
local PUBLIC = {"lua.h", "lauxlib.h", "lualib.h", "luaconf.h", "lua.hpp",
                "penumbra.h"}
-- The file that is compiled as C++, and all that it knows.
local THROW = {source = "src/object/jump_throw.cpp",
               header = "src/object/jump.h"}
-- Behind these in column one stands no declaration that could be private.
local SHARED = {"static", "static_assert", "typedef", "struct", "enum", "union",
                "LUA_API", "LUALIB_API", "LUAMOD_API"}

for _, list in ipairs {PUBLIC, SHARED} do
  for _, name in ipairs(list) do list[name] = true end
end

local function read(path)
  local file <close> = io.open(path)
  return file and file:read("a")
end

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
end

local function quote(s)
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

-- The C files of a layer, in the order of their names.
local function sources(layer)
  local list = {}
  local command = "ls " .. quote(tree .. "/src/" .. layer)
  local pipe <close> = assert(io.popen(command))
  for name in pipe:lines() do
    if name:find("%.c$") then
      list[#list + 1] = "src/" .. layer .. "/" .. name
    end
  end
  return list
end

local output = {}       -- lines
local included = {}     -- headers that are already there
local variables = {}    -- names of private variables that a header declares

local function emit(line) output[#output + 1] = line end

local function emit_banner(path)
  local line = "/* == " .. path .. " "
  emit ""
  emit(line .. ("="):rep(76 - #line) .. " */")
  emit ""
end

-- Where an include leads: a path below the tree, or nil for a public header.
local function resolve(name, from)
  if PUBLIC[name] then return nil end
  for _, path in ipairs {from:match(".*/") .. name, "src/" .. name} do
    local text = read(tree .. "/" .. path)
    if text then return path, text end
  end
  error(("%s includes %s, which is not there"):format(from, name))
end

-- What penumbra.c and the file in C++ know of each other.
local JUMP = [[
#define jump_catch penumbra_jump_catch
#define jump_to penumbra_jump_to
#define raise_foreign penumbra_raise_foreign
]]

-- A declaration of an internal header, private.
local function privatize(line, path)
  local word = line:match("^([%a_][%w_]*)")
  if not word or SHARED[word] or line:find('^extern "C"')
     or line:find("^[%u_]+%(") then
    return line
  end
  if word == "extern" then
    variables[line:match("([%w_]+)[%[%]%w_]*;")] = true
    return (line:gsub("^extern", "PENUMBRA_PRIVATE", 1))
  end
  if path == THROW.header then return "PENUMBRA_PRIVATE_JUMP " .. line end
  return "PENUMBRA_PRIVATE " .. line
end

-- A line of a source file: variables keep step with their declaration. (A
-- function without `static` takes after its prototype by itself.)
local function follow(line)
  local name = line:match("^[%a_][%w_ *]-([%w_]+)[%[%]%w_]* = ")
  return variables[name] and "PENUMBRA_PRIVATE " .. line or line
end

-- The bytes of a file, as cmake/PenumbraEmbed.cmake writes them.
local function emit_bytes(path, name)
  local text = assert(read(tree .. "/" .. path))
  emit("static const unsigned char " .. name .. "[] = {")
  for at = 1, #text, 1000 do
    emit((text:sub(at, at + 999):gsub(".", function(c)
      return c:byte() .. ","
    end)))
  end
  emit "};"
end

local add_text

local function add_include(name, from)
  local code = CODE[name]
  if code then
    if not included[name] then emit_bytes(table.unpack(code)) end
    included[name] = true
    return
  end
  local path, text = resolve(name, from)
  if not path then return emit('#include "' .. name .. '"') end
  local guard = text:match("\n#ifndef (PENUMBRA_[%w_]+_H)\n")
  if guard and included[path] then return end
  included[path] = true
  add_text(path, text)
end

-- Feature-test macros count only before the first header: they are on top.
local function is_feature_macro(line)
  return line:find("^%s*#%s*define%s+_%u")
end

function add_text(path, text)
  local is_header = not path:find("%.c$")
  local macros, in_macro, in_body = {}, false, false
  for line in text:gmatch("([^\n]*)\n") do
    local name = line:match('^#include "(.-)"')
    local macro = line:match("^%s*#%s*define%s+([%w_]+)")
    if name then
      add_include(name, path)
    elseif not line:find("SPDX-License-Identifier", 1, true)
           and not is_feature_macro(line) then
      if macro then macros[#macros + 1] = macro end
      if is_header and not in_macro and not in_body then
        line = privatize(line, path)
      elseif not is_header then
        line = follow(line)
      end
      emit(line)
    end
    in_macro = line:find("\\$") ~= nil
    if line:find("^%S.*{$") and not line:find('^extern "C"') then
      in_body = true
    end
    if line:find("^}") then in_body = false end
  end
  if is_header then return end
  for _, macro in ipairs(macros) do emit("#undef " .. macro) end
end

local function add_source(path)
  emit_banner(path)
  add_text(path, assert(read(tree .. "/" .. path)))
end

local TOP = [[
/* SPDX-License-Identifier: MIT */
/*
** Penumbra %s: Lua 5.4 with a collector that works in short, bounded steps,
** in one file.  Made by scripts/amalgamate.lua; do not edit.
**
**   cc -O2 -c penumbra.c                        the library, in one object
**   cc -O2 -DPENUMBRA_STANDALONE -Wl,-E -o penumbra penumbra.c -lm -ldl
**                                               the interpreter
**   cc -O2 -fexceptions -DPENUMBRA_EXCEPTIONS -c penumbra.c
**   c++ -O2 -c penumbra_throw.cpp               the library, in two objects;
**                                               errors are C++ exceptions
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
/* printf and its relatives as in C99, also on Windows. */
#if !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1
#endif
#if !defined(_FILE_OFFSET_BITS)
#define _FILE_OFFSET_BITS 64
#endif

/* A fused multiply-add would make arithmetic differ from machine to machine. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#endif

#if defined(__GNUC__)
#define PENUMBRA_PRIVATE static __attribute__((unused))
#else
#define PENUMBRA_PRIVATE static
#endif

#if defined(PENUMBRA_EXCEPTIONS)
#define PENUMBRA_PRIVATE_JUMP
%s#else
#define PENUMBRA_PRIVATE_JUMP PENUMBRA_PRIVATE
#endif
]]

emit(TOP:format(version, JUMP))
for _, layer in ipairs(LAYERS) do
  for _, path in ipairs(sources(layer)) do add_source(path) end
end
emit "\n#if defined(PENUMBRA_STANDALONE)"
for _, name in ipairs(CLI) do add_source("src/cli/" .. name) end
emit "\n#endif"

write("penumbra.c", table.concat(output, "\n") .. "\n")
for _, name in ipairs(PUBLIC) do
  write(name, assert(read(tree .. "/include/" .. name)))
end

local function without_license(path)
  local text = assert(read(tree .. "/" .. path))
  return (text:gsub("^[^\n]*SPDX[^\n]*\n", ""))
end

local throw = without_license(THROW.source)
throw = throw:gsub('#include "jump.h"', function()
  return "\n" .. JUMP .. "\n" .. without_license(THROW.header)
end)
write("penumbra_throw.cpp", "// SPDX-License-Identifier: MIT\n" .. throw)
