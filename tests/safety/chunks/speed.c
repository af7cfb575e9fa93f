/* SPDX-License-Identifier: MIT */
/*
** speed.c -- what verification adds to the time of loading a chunk
**
**     speed [program.lua]
**
** Loads a large chunk, with names and stripped, and verifies the functions that
** were loaded once more.  Both times come from the same run, so their ratio
** does not depend on the machine's speed.  Without a program, the chunk has
** 2,000 functions with all kinds of loops.  Optimized builds fail if loading
** takes more than LIMIT times as long as it would without verification.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bytecode/verify.h"
#include "lauxlib.h"
#include "lua.h"
#include "object/function.h"

enum { FUNCTIONS = 2000, TURNS = 25 };

static const double LIMIT_NAMES = 2.1, LIMIT_STRIPPED = 2.9;

static const char *const body =
    "function F%d(a, b, c)\n"
    "  local x = a + b * 2\n"
    "  if x > c then return x else x = x - 1 end\n"
    "  for i = 1, #a do b[i] = a[i] + x; print(i, b[i]) end\n"
    "  for k, v in pairs(b) do a[k] = v .. 's%d' end\n"
    "  while x < 100 do x = x + a.field%d; a:method(x, 'k') end\n"
    "  return {a, b, c, name = x}, function() return x end\n"
    "end\n";

static void push_source(lua_State *L) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (int n = 0; n < FUNCTIONS; n++) {
    char text[512];
    snprintf(text, sizeof text, body, n, n, n % 50);
    luaL_addstring(&buffer, text);
  }
  luaL_pushresult(&buffer);
}

static int add_piece(lua_State *L, const void *piece, size_t size, void *ud) {
  (void)L;
  luaL_addlstring(ud, piece, size);
  return 0;
}

/* Replaces the function on top by a string, its chunk. */
static void dump_top(lua_State *L, int strip) {
  luaL_Buffer buffer;
  lua_State *other = lua_newthread(L);
  luaL_buffinit(other, &buffer);
  lua_pushvalue(L, -2);
  lua_dump(L, add_piece, &buffer, strip);
  luaL_pushresult(&buffer);
  lua_xmove(other, L, 1);
  lua_replace(L, -4);
  lua_pop(L, 2);
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

typedef struct Verification {
  lua_State *L;
  VerifyScratch scratch;
  int only_heads; /* look for the starts of loops, and do nothing else */
} Verification;

static void note_head(void *context, LoopHead head) {
  Verification *v = context;
  verify_add_head(v->L, &v->scratch, head);
}

static void verify_all(Verification *v, const Proto *p) {
  size_t pc;
  for (uint32_t n = 0; n < p->proto_count; n++) verify_all(v, p->protos[n]);
  verify_each_head(p, note_head, v);
  if (v->only_heads)
    v->scratch.head_count = 0;
  else if (verify_in(v->L, &v->scratch, p, &pc))
    abort();
}

static double time_of_all(lua_State *L, const Proto *p, int only_heads) {
  Verification v = {.L = L, .only_heads = only_heads};
  double start = seconds();
  verify_begin(L, &v.scratch);
  verify_all(&v, p);
  verify_end(L);
  return seconds() - start;
}

static void keep_less(double *least, double time) {
  if (time < *least) *least = time;
}

/* The shortest of several times, of loading and of verification alone.  The
** starts of loops come with the chunk, so looking for them does not count. */
static void measure(lua_State *L, double *load, double *verify) {
  size_t size;
  const char *bytes = lua_tolstring(L, -1, &size);
  double heads = 1e9;
  *load = *verify = 1e9;
  for (int turn = 0; turn < TURNS; turn++) {
    lua_gc(L, LUA_GCCOLLECT, 0);
    lua_gc(L, LUA_GCSTOP, 0);
    double start = seconds();
    if (luaL_loadbufferx(L, bytes, size, "=x", "b") != LUA_OK) abort();
    keep_less(load, seconds() - start);
    const LuaClosure *closure = lua_topointer(L, -1);
    keep_less(verify, time_of_all(L, closure->proto, 0));
    keep_less(&heads, time_of_all(L, closure->proto, 1));
    lua_gc(L, LUA_GCRESTART, 0);
    lua_pop(L, 1);
  }
  *verify -= heads;
}

static int try(lua_State *L, int strip, double limit) {
  double load, verify;
  lua_pushvalue(L, -1);
  dump_top(L, strip);
  size_t size = lua_rawlen(L, -1);
  measure(L, &load, &verify);
  lua_pop(L, 1);
  double ratio = load / (load - verify);
  printf("%s: %zu bytes, %.3f ms, of them %.3f ms verification: %.2f times\n",
         strip ? "stripped" : "with names", size, load * 1e3, verify * 1e3,
         ratio);
  return ratio > limit;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  int status;
  if (argc > 1) {
    status = luaL_loadfile(L, argv[1]);
  } else {
    push_source(L);
    size_t size;
    const char *source = lua_tolstring(L, -1, &size);
    status = luaL_loadbuffer(L, source, size, "=source");
  }
  if (status != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  int slow = try(L, 0, LIMIT_NAMES) + try(L, 1, LIMIT_STRIPPED);
  lua_close(L);
#ifdef SPEED_WITHOUT_LIMIT
  slow = 0;
#endif
  return slow != 0;
}
