/* SPDX-License-Identifier: MIT */
/*
** calls.c -- sequences of C API calls with every allocation failing in turn
**
**     calls SEQUENCES [all]
**
** The sequences are those of the fuzz target `api`, made of random bytes.  Each
** runs repeatedly with its first, second, third ... object refused, either only
** this one or all from then on, until no object of a run is refused.  Without
** `all`, the steps become larger.  Nothing may crash or leak, the state must
** work afterwards, and the error must be "not enough memory".
**
** The collector refuses objects from inside.  Builds without assertions have a
** fast path for small objects, where this does not happen.
*/
#include "../fuzz/api.c"

#include "object/thread.h"

enum { SEQUENCE = 400 };

static uint64_t state = 1;

static uint8_t random_byte(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint8_t)(state >> 56);
}

static const char *const program =
    "local t = {} for i = 1, 100 do t[i] = {i .. ''} end return #t";

static void check_usable(lua_State *L) {
  lua_settop(L, 0);
  lua_sethook(L, NULL, 0, 0);
  CHECK(luaL_loadstring(L, program) == LUA_OK);
  CHECK(lua_pcall(L, 0, 1, 0) == LUA_OK && lua_tointeger(L, -1) == 100);
}

static void run_calls(lua_State *L, const uint8_t *data) {
  Input in = {data, SEQUENCE};
  for (int i = 0; i < 20 && in.size > 0; i++) {
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &in);
    if (fuzz_call(L, 1) == LUA_ERRMEM)
      CHECK(strcmp(lua_tostring(L, -1), "not enough memory") == 0);
    lua_settop(L, 0);
  }
}

/* Returns whether an object was refused. */
static bool try(const uint8_t *data, uint64_t nth, bool after) {
  size_t held;
  lua_State *L = fuzz_open(&held);
  Gc *gc = gc_of(L);
  gc->debug.refused = 0;
  gc->debug.fail_after = after;
  gc->debug.fail_in = nth;
  run_calls(L, data);
  bool refused = gc->debug.refused > 0;
  gc->debug.fail_in = 0;
  gc->debug.fail_after = false;
  check_usable(L);
  gc_verify(gc);
  fuzz_close(L, &held);
  return refused;
}

static unsigned long sweep(const uint8_t *data, bool all) {
  unsigned long count = 0;
  for (int after = 0; after <= 1; after++)
    for (uint64_t n = 1; try(data, n, after); n += all ? 1 : 1 + n / 2) count++;
  return count;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: calls SEQUENCES [all]\n");
    return 2;
  }
  unsigned long sequences = strtoul(argv[1], NULL, 10), runs = 0;
  uint8_t *data = malloc(SEQUENCE);
  CHECK(data != NULL);
  for (unsigned long i = 0; i < sequences; i++) {
    state = 1000003 + i;
    for (int n = 0; n < SEQUENCE; n++) data[n] = random_byte();
    runs += sweep(data, argc > 2);
  }
  free(data);
  printf("%lu failures in %lu sequences\n", runs, sequences);
  return 0;
}
