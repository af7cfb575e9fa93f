/* SPDX-License-Identifier: MIT */
/*
** math_random.c -- math.random and math.randomseed
**
** The generator is xoshiro256** (Blackman and Vigna 2018).  Each state of Lua
** has its own, in a userdata that the two functions share.  Given the same
** seeds the numbers are those of Lua 5.4, which is why the ways from 64
** random bits to a float or to an interval may not change.
*/

#include <stdint.h>
#include <time.h>

#include "lib.h"
#include "math_impl.h"

enum { RANDOM_WARMUP = 16 };

typedef struct Random {
  uint64_t s[4];
} Random;

static uint64_t random_rotate(uint64_t x, int n) {
  return (x << n) | (x >> (64 - n));
}

static uint64_t random_next(Random *r) {
  uint64_t *s = r->s;
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

/* A number in [0, limit]: as many bits as the limit has, drawn again until
** they do not exceed it. */
static uint64_t random_limit(Random *r, uint64_t bits, uint64_t limit) {
  uint64_t mask = limit;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  while ((bits &= mask) > limit) bits = random_next(r);
  return bits;
}

static Random *random_state(lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(1));
}

static int random_push(lua_State *L, uint64_t bits) {
  lua_pushinteger(L, (lua_Integer)bits);
  return 1;
}

static int math_random(lua_State *L) {
  lua_Integer low = 1, high;
  Random *r = random_state(L);
  const uint64_t bits = random_next(r);
  switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, random_to_float(bits)); return 1;
    case 1:
      high = luaL_checkinteger(L, 1);
      if (high == 0) return random_push(L, bits);
      break;
    case 2:
      low = luaL_checkinteger(L, 1);
      high = luaL_checkinteger(L, 2);
      break;
    default: return luaL_error(L, "wrong number of arguments");
  }
  luaL_argcheck(L, low <= high, 1, "interval is empty");
  const uint64_t limit = (uint64_t)high - (uint64_t)low;
  return random_push(L, random_limit(r, bits, limit) + (uint64_t)low);
}

/* Starts the sequence, and pushes the two seeds. */
static int random_seed(lua_State *L, Random *r, uint64_t n1, uint64_t n2) {
  r->s[0] = n1;
  r->s[1] = 0xff; /* never all zero */
  r->s[2] = n2;
  r->s[3] = 0;
  for (int i = 0; i < RANDOM_WARMUP; i++) random_next(r);
  lua_pushinteger(L, (lua_Integer)n1);
  lua_pushinteger(L, (lua_Integer)n2);
  return 2;
}

/* Seeds that differ between runs and between states. */
static int random_seed_any(lua_State *L, Random *r) {
  return random_seed(L, r, (uint64_t)time(NULL), (uint64_t)(uintptr_t)L);
}

static int math_randomseed(lua_State *L) {
  Random *r = random_state(L);
  if (lua_isnone(L, 1)) return random_seed_any(L, r);
  const lua_Integer n1 = luaL_checkinteger(L, 1);
  const lua_Integer n2 = luaL_optinteger(L, 2, 0);
  return random_seed(L, r, (uint64_t)n1, (uint64_t)n2);
}

static const luaL_Reg random_functions[] = {
    {"random", math_random},
    {"randomseed", math_randomseed},
    {NULL, NULL},
};

void math_open_random(lua_State *L) {
  Random *r = lua_newuserdatauv(L, sizeof(Random), 0);
  lua_pop(L, random_seed_any(L, r));
  luaL_setfuncs(L, random_functions, 1);
}
