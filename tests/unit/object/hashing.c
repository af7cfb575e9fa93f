/* SPDX-License-Identifier: MIT */
/*
** hashing.c -- keys of all shapes spread over a hash as if by chance
**
** Families of keys that programs use, and some that are made to collide, are
** put into hashes of several sizes, as many keys as nodes.  Compared are the
** mean number of steps to a key and the most keys with one main position with
** what random numbers give: 1.5, and 6 to 9.  In large hashes neighbours lie
** side by side, and how a few rows of them fall upon each other is a matter of
** luck: hence some more steps are allowed, of short chains.
*/
#include <math.h>

#include "object/table_impl.h"
#include "object_test.h"

enum { MOST_KEYS = 1 << 14, LONGEST = 14 };
static const double MEAN = 2.5;

typedef struct Keys {
  Value key[MOST_KEYS];
  uint16_t at[MOST_KEYS];
} Keys;

/* Of the first `count` keys, in as many nodes. */
static void check_spread(lua_State *L, Keys *k, size_t count,
                         const char *family, double parameter) {
  HashPart h = {.mask = (uint32_t)count - 1};
  double steps = 0;
  size_t longest = 0;
  memset(k->at, 0, sizeof k->at);
  for (size_t i = 0; i < count; i++) {
    size_t chain = ++k->at[hash_main_place(L, &h, &k->key[i])];
    steps += (double)chain;
    longest = size_max(longest, chain);
  }
  /* Strings have another seed in each state, objects another address in each
  ** run, and so more or less luck. */
  size_t luck = tag_is_collectable(k->key[0].tag) ? 2 : 1;
  if (steps / (double)count > MEAN * (double)luck || longest > LONGEST * luck)
    fail_msg("%s %g: %zu keys, %.2f steps, longest chain %zu", family,
             parameter, count, steps / (double)count, longest);
}

static void check_family(lua_State *L, Keys *k, const char *family,
                         double parameter) {
  for (size_t count = 2 * TABLE_AS_LUA; count <= MOST_KEYS; count *= 2)
    check_spread(L, k, count, family, parameter);
}

static void check_stride(lua_State *L, Keys *k, uint64_t stride,
                         uint64_t first) {
  for (uint64_t i = 0; i < MOST_KEYS; i++)
    value_set_integer(&k->key[i], (lua_Integer)(first + i * stride));
  check_family(L, k, "integers, stride", (double)stride);
}

OBJECT_TEST(test_strides) {
  Keys *k = malloc(sizeof *k);
  for (unsigned bit = 0; bit <= 48; bit++) {
    uint64_t power = UINT64_C(1) << bit;
    check_stride(test->L, k, power, 0);
    check_stride(test->L, k, power + 1, 1);
    if (bit > 0) check_stride(test->L, k, power - 1, 0);
    check_stride(test->L, k, 3 * power, 5);
    check_stride(test->L, k, 0 - power, 0);
  }
  for (uint64_t ten = 10; ten < UINT64_C(100000000000000); ten *= 10)
    check_stride(test->L, k, ten, 0);
  free(k);
}

static void check_grid(lua_State *L, Keys *k, double first, double step) {
  for (int i = 0; i < MOST_KEYS; i++)
    value_set_float(&k->key[i], first + i * step);
  check_family(L, k, "floats, step", step);
}

OBJECT_TEST(test_float_grids) {
  Keys *k = malloc(sizeof *k);
  static const double step[] = {0.5, 1, 2.5, 0.25, 0.1, 0.001, 1e-9, 1.0 / 3,
                                1e10, 1e20, 3.7, 0x1p-20, 0x1p40};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    check_grid(test->L, k, 0.5 * step[i], step[i]);
    check_grid(test->L, k, -1e4 * step[i] - 0.5, step[i]);
  }
  for (int i = 0; i < MOST_KEYS; i++)
    value_set_float(&k->key[i], ldexp(1 + i % 16 / 16.0, i / 16 - 500));
  check_family(test->L, k, "floats, powers of two", 16);
  free(k);
}

/* Objects of one size class, made one after the other. */
OBJECT_TEST(test_addresses) {
  lua_State *L = test->L;
  Keys *k = malloc(sizeof *k);
  if (test->mode != MODE_PLAIN) { /* nothing anchors them: no collection */
    free(k);
    return;
  }
  test->gc->stopped = true;
  for (size_t room = 0; room <= 480; room += 16) {
    for (size_t i = 0; i < MOST_KEYS; i++)
      value_set_table(&k->key[i], table_new_with_room(L, room, false));
    check_family(L, k, "tables with room", (double)room);
  }
  free(k);
}

OBJECT_TEST(test_pointers) {
  Keys *k = malloc(sizeof *k);
  for (size_t size = 1; size <= 1 << 20; size = size * 2 + size % 3) {
    for (size_t i = 0; i < MOST_KEYS; i++) {
      k->key[i].as.bits = 0x7f0000001000 + i * size;
      k->key[i].tag = TAG_POINTER;
    }
    check_family(test->L, k, "light userdata, apart", (double)size);
  }
  free(k);
}

OBJECT_TEST(test_strings_by_shape) {
  static const char *const shape[] = {
      "%d",       "key%d",     "%dkey",     "%08d",       "field_%d_name",
      "%d%d",     "a%x",       "%o",        "x%dy%d",     "module.%d.value",
      "%020d",    "%d                  "};
  lua_State *L = test->L;
  Keys *k = malloc(sizeof *k);
  if (test->mode != MODE_PLAIN) {
    free(k);
    return;
  }
  test->gc->stopped = true;
  for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
    for (int i = 0; i < MOST_KEYS; i++) {
      char text[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(text, sizeof text, shape[s], i, i);
#pragma GCC diagnostic pop
      value_set_string(&k->key[i], string_from_c(L, text));
    }
    check_family(L, k, shape[s], 0);
  }
  free(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_float_grids),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_pointers),
      cmocka_unit_test(test_strings_by_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
