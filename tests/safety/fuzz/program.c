/* SPDX-License-Identifier: MIT */
/*
** program.c -- random programs, compared with lua5.4
**
** The generator is that of tests/language/random.  The bytes of the input are
** its choices, so an input that is changed a little becomes a program that
** differs a little.  The program runs here, within limits, and in a process with
** `lua5.4`.  Both must print the same.  Without lua5.4, programs only run here.
*/
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"

#include <stdbool.h>
#include <unistd.h>

/* Gives the generator its choices, and returns the text of the program.  A
** choice takes two bytes.  After the last byte, the choices are those of a seed
** made of the input. */
static const char *const generator =
    "local folder, input = ...\n"
    "package.path = folder .. '/?.lua'\n"
    "local Rng = require 'rng'\n"
    "local bits, at, seed = Rng.bits, 1, #input\n"
    "for i = 1, #input do seed = (seed * 31 + input:byte(i)) & 0xffffff end\n"
    "function Rng:bits()\n"
    "  if at >= #input then return bits(self) end\n"
    "  at = at + 2\n"
    "  return string.unpack('<I2', input, at - 2)\n"
    "end\n"
    "local Program = require 'program'\n"
    "local file = assert(io.open(folder .. '/prelude.lua'))\n"
    "local prelude = file:read 'a'\n"
    "file:close()\n"
    "return Program.text(Program.generate(seed), prelude)\n";

/* Runs a program, with a function that collects what it prints, and in a
** coroutine, so that tracebacks are the same.  As in
** tests/language/random/run.lua, what may differ is masked. */
static const char *const runner =
    "local text, out = ..., {}\n"
    "local env = {}\n"
    "for name, v in pairs(_G) do env[name] = v end\n"
    "env._G = env\n"
    "function env.print(...)\n"
    "  local t = table.pack(...)\n"
    "  for i = 1, t.n do t[i] = tostring(t[i]) end\n"
    "  out[#out + 1] = table.concat(t, '\\t') .. '\\n'\n"
    "end\n"
    "local f = assert(load(text, '@program.lua', 't', env))\n"
    "local run = coroutine.wrap(function() return pcall(f) end)\n"
    "local ok, message = run()\n"
    "if not ok then env.print('error', message) end\n"
    "collectgarbage()\n"
    "local s = table.concat(out):gsub('%-nan', 'nan')\n"
    "s = s:gsub('%f[%w]0x%x%x%x%x%x%x%x%x%x*', 'ADDRESS')\n"
    "s = s:gsub(\"bad argument #1 to '([%w.]*remove' %(pos)\",\n"
    "  \"bad argument #2 to '%1\")\n"
    "s = s:gsub(\":%d+: attempt to perform 'n\", \": attempt to perform 'n\")\n"
    "return (s:gsub(':%d+: attempt to divide', ': attempt to divide'))\n";

enum { PROGRAM_UNITS = 20000000, PROGRAM_MEMORY = 256 << 20 };

/* Pushes the program, or returns false. */
static bool make_program(lua_State *L, const uint8_t *data, size_t size) {
  CHECK(luaL_loadstring(L, generator) == LUA_OK);
  lua_pushstring(L, FUZZ_RANDOM);
  lua_pushlstring(L, (const char *)data, size);
  return penumbra_pcall(L, 2, 1, 0, PROGRAM_UNITS, 0, NULL) == LUA_OK;
}

/* Runs the program on top of the stack.  False if it takes too long. */
static bool run_here(lua_State *L) {
  CHECK(luaL_loadbuffer(L, runner, strlen(runner), "=runner") == LUA_OK);
  lua_pushvalue(L, -2);
  return penumbra_pcall(L, 1, 1, 0, PROGRAM_UNITS, 0, NULL) == LUA_OK;
}

/* -- The other interpreter ------------------------------------------------- */

static char program_file[] = "/tmp/penumbra-fuzz-program-XXXXXX";
static char runner_file[] = "/tmp/penumbra-fuzz-runner-XXXXXX";

static void remove_files(void) {
  remove(program_file);
  remove(runner_file);
}

static void write_file(const char *name, const char *text, size_t length) {
  FILE *file = fopen(name, "wb");
  CHECK(file != NULL && fwrite(text, 1, length, file) == length);
  CHECK(fclose(file) == 0);
}

static void make_files(void) {
  char text[2048];
  CHECK(close(mkstemp(program_file)) == 0 && close(mkstemp(runner_file)) == 0);
  atexit(remove_files);
  int length = snprintf(text, sizeof text,
                        "arg = nil -- programs may print all globals\n"
                        "local f = io.open '%s'\n"
                        "local text = f:read 'a' f:close()\n"
                        "io.write(load([==[%s]==], '=runner')(text))",
                        program_file, runner);
  CHECK(length > 0 && (size_t)length < sizeof text);
  write_file(runner_file, text, (size_t)length);
}

static void push_output(lua_State *L, FILE *output) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (size_t got = 1; got > 0;) {
    char *piece = luaL_prepbuffer(&buffer);
    got = fread(piece, 1, LUAL_BUFFERSIZE, output);
    luaL_addsize(&buffer, got);
  }
  luaL_pushresult(&buffer);
}

/* The interpreter to compare with.  Where `lua5.4` is older than 5.4.8, some of
** its bugs are found as differences. */
static const char *reference(void) {
  const char *name = getenv("PENUMBRA_REFERENCE");
  return name ? name : "lua5.4";
}

/* Runs the program at index 1 by the reference and pushes what it prints.  False if
** it fails there. */
static bool run_there(lua_State *L) {
  static bool ready;
  char command[512];
  size_t length;
  if (!ready) make_files();
  ready = true;
  const char *text = lua_tolstring(L, 1, &length);
  write_file(program_file, text, length);
  snprintf(command, sizeof command, "timeout 10 %s %s 2>/dev/null", reference(),
           runner_file);
  FILE *output = popen(command, "r");
  CHECK(output != NULL);
  push_output(L, output);
  return pclose(output) == 0;
}

static bool has_reference(void) {
  static int known = -1;
  char command[512];
  snprintf(command, sizeof command, "%s -v >/dev/null 2>&1", reference());
  if (known < 0) known = system(command) == 0;
  return known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lua_State *L = luaL_newstate();
  CHECK(L != NULL);
  luaL_openlibs(L);
  penumbra_setlimit(L, PROGRAM_MEMORY);
  if (make_program(L, data, size) && run_here(L) && has_reference() &&
      run_there(L) && !lua_rawequal(L, -1, -2)) {
    fprintf(stderr, "%s\n-- here:\n%s\n-- reference:\n%s\n", lua_tostring(L, 1),
            lua_tostring(L, -2), lua_tostring(L, -1));
    abort();
  }
  lua_close(L);
  return 0;
}
