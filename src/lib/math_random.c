/* SPDX-License-Identifier: MIT */
/*
** math_random.c -- math.random and math.randomseed
**
** The generator is xoshiro256** (Blackman and Vigna 2018).  Each Lua state has
** its own.  With the same seeds the numbers are those of Lua 5.4.  So the
** conversions from 64 random bits to a float or to an interval must not change.
*/

#include <stdint.h>
#include <time.h>

#include "declare.h"
#include "math_impl.h"
#include "state_impl.h"

enum { RANDOM_WARMUP = 16 };

static uint64_t random_rotate(uint64_t x, int n) {
  return (x << n) | (x >> (64 - n));
}

static uint64_t random_next(uint64_t s[4]) {
  const uint64_t res = random_rotate(s[1] * 5, 7) * 9;
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = random_rotate(s[3], 45);
  return res;
}

/* The 53 highest bits, as a fraction. */
static lua_Number random_to_float(uint64_t bits) {
  return (lua_Number)(bits >> 11) * 0x1p-53;
}

/* A number in [0, limit].  Draws as many bits as the limit has, and draws again
** until they do not exceed it. */
static uint64_t random_limit(uint64_t s[4], uint64_t bits, uint64_t limit) {
  uint64_t mask = limit;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  while ((bits &= mask) > limit) bits = random_next(s);
  return bits;
}

/* A random integer from the interval. */
static int random_between(lua_State *L, Value *out, lua_Integer low,
                          lua_Integer high) {
  uint64_t *s = lib_of(L)->random;
  if (UNLIKELY(low > high)) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    return luaL_argerror(L, 1, "interval is empty");
  }
  const uint64_t limit = (uint64_t)high - (uint64_t)low;
  const uint64_t bits = random_limit(s, random_next(s), limit);
  return give_integer(out, (lua_Integer)(bits + (uint64_t)low));
}

int math_random(lua_State *L, Value *args, unsigned argc, Value *out) {
  uint64_t *s = lib_of(L)->random;
  if (argc == 0) return give_float(out, random_to_float(random_next(s)));
  if (argc > 2 && native_has_frame(L))
    return luaL_error(L, "wrong number of arguments");
  if (argc > 2 || !value_is_integer(args)) return NATIVE_RETRY;
  if (argc == 2) {
    if (!value_is_integer(&args[1])) return NATIVE_RETRY;
    return random_between(L, out, args[0].as.i, args[1].as.i);
  }
  if (args->as.i == 0) return give_integer(out, (lua_Integer)random_next(s));
  return random_between(L, out, 1, args->as.i);
}

static void random_seed(uint64_t s[4], uint64_t n1, uint64_t n2) {
  s[0] = n1;
  s[1] = 0xff; /* never all zero */
  s[2] = n2;
  s[3] = 0;
  for (int i = 0; i < RANDOM_WARMUP; i++) random_next(s);
}

/* Seeds that differ between runs, and between states. */
static uint64_t seed_of_run(void) { return (uint64_t)time(NULL); }
static uint64_t seed_of_state(lua_State *L) { return (uint64_t)(uintptr_t)L; }

void math_seed_any(lua_State *L) {
  random_seed(lib_of(L)->random, seed_of_run(), seed_of_state(L));
}

/* Returns the two seeds. */
int math_randomseed(lua_State *L, Value *args, unsigned argc, Value *out) {
  lua_Integer n1 = (lua_Integer)seed_of_run();
  lua_Integer n2 = (lua_Integer)seed_of_state(L);
  if (argc == 0 && !native_has_frame(L)) return NATIVE_RETRY; /* no room */
  if (argc > 0) {
    if (!value_is_integer(args)) return NATIVE_RETRY;
    n1 = args->as.i;
    n2 = 0;
    if (!take_integer(args, argc, 1, &n2)) return NATIVE_RETRY;
  }
  random_seed(lib_of(L)->random, (uint64_t)n1, (uint64_t)n2);
  value_set_integer(&out[0], n1);
  value_set_integer(&out[1], n2);
  return 2;
}
