/* SPDX-License-Identifier: MIT */
/*
** hashing.c -- keys of all shapes are spread like random ones
**
** The tests put families of keys into hashes of several sizes, with as many
** keys as nodes.  Programs use such keys, and some are made to collide.  The
** mean number of steps to a key, and the largest number of keys with one main
** position, are compared with those of random numbers: 1.5, and 6 to 9.  In
** large hashes neighboring keys are adjacent, and it is a matter of luck how a
** few rows of them overlap.  Therefore the bounds allow some more steps, but
** only short chains.
*/
#include <math.h>

#include "object/table_place_impl.h"
#include "object_test.h"

enum { MOST_KEYS = 1 << 14, LONGEST = 14 };
static const double MEAN = 2.5;

typedef struct Keys {
  Value key[MOST_KEYS];
  uint16_t at[MOST_KEYS];
} Keys;

/* Checks the spread of the first `count` keys in as many nodes. */
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
  /* Objects have another address in each run, so their spread varies more. */
  bool object =
      tag_is_collectable(k->key[0].tag) && !tag_is_string(k->key[0].tag);
  size_t luck = object ? 2 : 1;
  if (steps / (double)count > MEAN * (double)luck || longest > LONGEST * luck)
    fail_msg("%s %g: %zu keys, %.2f steps, longest chain %zu", family,
             parameter, count, steps / (double)count, longest);
}

static void check_family(lua_State *L, Keys *k, const char *family,
                         double parameter) {
  for (size_t count = 2 * TABLE_PUC_NODES; count <= MOST_KEYS; count *= 2)
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
  static const double step[] = {0.5,     1,    2.5,  0.25, 0.1,     0.001, 1e-9,
                                1.0 / 3, 1e10, 1e20, 3.7,  0x1p-20, 0x1p40};
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
  if (test->mode != MODE_PLAIN) { /* no collection: not anchored */
    free(k);
    return;
  }
  test->gc->stopped = true;
  for (size_t room = 0; room <= 480; room += 16) {
    for (size_t i = 0; i < MOST_KEYS; i++)
      value_set_table(&k->key[i], table_new_presized(L, room, false));
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
  static const char *const shape[] = {"%d",
                                      "key%d",
                                      "%dkey",
                                      "%08d",
                                      "field_%d_name",
                                      "%d%d",
                                      "a%x",
                                      "%o",
                                      "x%dy%d",
                                      "module.%d.value",
                                      "%020d",
                                      "%d                  "};
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

/* -- Forty families, as a table -------------------------------------------- */

typedef enum Shape { STRIDE, GRID, OBJECT, POINTER, TEXT, RANDOM } Shape;

typedef struct Family {
  const char *name;
  Shape shape;
  double first, step; /* of numbers; for objects: the room */
  const char *format; /* of strings */
} Family;

static const Family families[] = {
    {"random integers", RANDOM, 0, 0, NULL},
    {"integers by 1", STRIDE, 0, 1, NULL},
    {"integers by 2", STRIDE, 0, 2, NULL},
    {"integers by 3", STRIDE, 0, 3, NULL},
    {"integers by 7", STRIDE, 0, 7, NULL},
    {"integers by 10", STRIDE, 0, 10, NULL},
    {"integers by 64", STRIDE, 0, 64, NULL},
    {"integers by 100", STRIDE, 0, 100, NULL},
    {"integers by 255", STRIDE, 0, 255, NULL},
    {"integers by 1000", STRIDE, 0, 1000, NULL},
    {"integers by 1023", STRIDE, 0, 1023, NULL},
    {"integers by 1024", STRIDE, 0, 1024, NULL},
    {"integers by 4097", STRIDE, 0, 4097, NULL},
    {"integers by 65536", STRIDE, 0, 65536, NULL},
    {"integers by 10^6", STRIDE, 0, 1e6, NULL},
    {"integers by 2^32", STRIDE, 0, 0x1p32, NULL},
    {"negative integers", STRIDE, -1, -1, NULL},
    {"integers from 2^40", STRIDE, 0x1p40, 1, NULL},
    {"integers by 947, the prime of 1024", STRIDE, 0, 947, NULL},
    {"floats by 0.5", GRID, 0.25, 0.5, NULL},
    {"floats by 1", GRID, 0.5, 1, NULL},
    {"floats by 0.1", GRID, 0, 0.1, NULL},
    {"floats by 0.001", GRID, 0, 0.001, NULL},
    {"floats by 1/3", GRID, 0, 1.0 / 3, NULL},
    {"floats by 10^10", GRID, 0.5, 1e10, NULL},
    {"floats by 10^20", GRID, 1e20, 1e20, NULL},
    {"floats by 2^-20", GRID, 0, 0x1p-20, NULL},
    {"negative floats by 0.25", GRID, -0.125, -0.25, NULL},
    {"objects of 32 bytes", OBJECT, 0, 0, NULL},
    {"objects of 64 bytes", OBJECT, 32, 0, NULL},
    {"objects of 112 bytes", OBJECT, 80, 0, NULL},
    {"objects of 256 bytes", OBJECT, 224, 0, NULL},
    {"objects of 512 bytes", OBJECT, 480, 0, NULL},
    {"pointers 8 bytes apart", POINTER, 0, 8, NULL},
    {"pointers 48 bytes apart", POINTER, 0, 48, NULL},
    {"pointers 4096 bytes apart", POINTER, 0, 4096, NULL},
    {"strings 1, 2, 3", TEXT, 0, 0, "%d"},
    {"strings k1, k2", TEXT, 0, 0, "k%d"},
    {"strings with a long beginning", TEXT, 0, 0, "a_long_beginning_%d"},
    {"strings with a long end", TEXT, 0, 0, "%d_and_a_long_end"},
    {"strings of 20 digits", TEXT, 0, 0, "%020d"},
    {"strings x, y", TEXT, 0, 0, "%d,%d"},
};

static uint64_t random_word(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static Value family_key(lua_State *L, const Family *f, int i, uint64_t *state) {
  Value key;
  char text[80];
  switch (f->shape) {
    case STRIDE:
      value_set_integer(&key, (lua_Integer)f->first + i * (lua_Integer)f->step);
      break;
    case GRID: value_set_float(&key, f->first + i * f->step); break;
    case OBJECT:
      value_set_table(&key, table_new_presized(L, (size_t)f->first, false));
      break;
    case POINTER:
      key.as.bits = 0x7f0000001000 + (uint64_t)i * (uint64_t)f->step;
      key.tag = TAG_POINTER;
      break;
    case TEXT:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(text, sizeof text, f->format, i, i);
#pragma GCC diagnostic pop
      value_set_string(&key, string_from_c(L, text));
      break;
    default: value_set_integer(&key, (lua_Integer)random_word(state));
  }
  return key_normal(&key);
}

typedef struct Quality {
  double mean;    /* steps to a key that is present */
  size_t longest; /* chain of keys with one main position */
} Quality;

static Quality measure(lua_State *L, Keys *k, size_t count, unsigned flags) {
  HashPart h = {.mask = (uint32_t)count - 1, .cell.user = (uint8_t)flags};
  Quality q = {0, 0};
  memset(k->at, 0, sizeof k->at);
  for (size_t i = 0; i < count; i++) {
    size_t chain = ++k->at[hash_main_place(L, &h, &k->key[i])];
    q.mean += (double)chain / (double)count;
    q.longest = size_max(q.longest, chain);
  }
  return q;
}

/* Like a table: a part with a long chain is replaced. */
static Quality measure_as_table(lua_State *L, Keys *k, size_t count) {
  Quality q = measure(L, k, count, 0);
  if (q.longest > TABLE_LONG_CHAIN) q = measure(L, k, count, HASH_SCATTERED);
  return q;
}

OBJECT_TEST(test_forty_families) {
  enum {
    SMALL = 1024,
    LARGE = MOST_KEYS,
    COUNT = sizeof families / sizeof *families
  };
  lua_State *L = test->L;
  uint64_t state = 42;
  if (test->mode != MODE_PLAIN) return;
  Keys *k = malloc(sizeof *k);
  test->gc->stopped = true;
  printf("| keys | mean of %d | longest | mean of %d | longest |\n"
         "|---|--:|--:|--:|--:|\n",
         SMALL, LARGE);
  for (size_t f = 0; f < COUNT; f++) {
    for (int i = 0; i < MOST_KEYS; i++)
      k->key[i] = family_key(L, &families[f], i, &state);
    Quality small = measure_as_table(L, k, SMALL);
    Quality large = measure_as_table(L, k, LARGE);
    printf("| %s | %.2f | %zu | %.2f | %zu |\n", families[f].name, small.mean,
           small.longest, large.mean, large.longest);
    check_spread(L, k, families[f].step == 947 ? LARGE : SMALL,
                 families[f].name, 0);
    assert_true(small.mean < MEAN && large.mean < MEAN * 2);
    assert_true(small.longest <= LONGEST && large.longest <= 2 * LONGEST);
  }
  free(k);
}

/* Numbers that collide in a hash without a secret do not in a scattered part,
** neither integers nor floats. */
OBJECT_TEST(test_chosen_numbers) {
  enum { COUNT = 1000, PLACES = 4096 };
  lua_State *L = test->L;
  Keys *k = malloc(sizeof *k);
  for (int floats = 0; floats <= 1; floats++) {
    Value v;
    lua_Integer next = 0;
    for (int i = 0; i < COUNT; next++) {
      value_set_integer(&v, next);
      if (floats) value_set_float(&v, (lua_Number)next + 0.5);
      if (table_hash_word(v.as.bits) % PLACES == 0) k->key[i++] = v;
    }
    Quality q = measure(L, k, COUNT, HASH_SCATTERED);
    assert_true(q.longest <= TABLE_LONG_CHAIN);
  }
  free(k);
}

/* Places of integers are remainders modulo a prime.  A negative integer has the
** place of the positive ones that it precedes. */
static void check_remainder(uint64_t number, uint32_t nodes) {
  HashPart h = {.mask = nodes - 1};
  int64_t prime = table_modulus[bits_highest(h.mask)].prime;
  int64_t rest = (int64_t)number % prime;
  if (rest < 0) rest += prime;
  assert_int_equal(main_place_of_int((lua_Integer)number, &h), rest);
}

OBJECT_TEST(test_remainders) {
  uint64_t state = 7;
  (void)test;
  for (unsigned bits = 7; bits <= TABLE_MAX_HASH_BITS; bits++) {
    uint32_t nodes = UINT32_C(1) << bits;
    uint64_t prime = table_modulus[bits_highest(nodes - 1)].prime;
    assert_true(prime < nodes && prime > nodes / 5 * 4);
    for (uint64_t i = 0; i < 64; i++) {
      uint64_t multiple = prime * (random_word(&state) >> i);
      for (uint64_t j = 0; j < 5; j++) {
        check_remainder(multiple + j - 2, nodes);
        check_remainder((UINT64_C(1) << i) + j - 2, nodes);
        check_remainder(UINT64_MAX - i * prime - j, nodes);
      }
      check_remainder(random_word(&state), nodes);
    }
  }
}

/* The longest chain of a part, starting at main positions. */
static size_t longest_chain(const HashPart *h) {
  size_t longest = 0;
  for (size_t i = 0; i < hash_size(h); i++) {
    size_t length = 1;
    for (const Node *n = &h->node[i]; n->next; n += n->next) length++;
    longest = size_max(longest, length);
  }
  return longest;
}

/* All keys are multiples of the prime of the part that holds them. */
OBJECT_TEST(test_tangled_parts) {
  static const lua_Integer stride[] = {107,  227,  491,   947,       1979,
                                       3947, 7933, 15859, 107 * 947, -227};
  lua_State *L = test->L;
  for (size_t s = 0; s < sizeof stride / sizeof *stride; s++) {
    Table *t = table_new(L);
    value_set_table(L->top++, t);
    lua_Integer first = (lua_Integer)(s + 1) << 40;
    for (lua_Integer i = 0; i < 5000; i++) {
      Value v;
      value_set_integer(&v, i);
      table_set_int(L, t, first + i * stride[s], &v);
      if (i % 50 != 0) continue;
      TableParts parts = table_parts(t);
      size_t longest = longest_chain(parts.hash);
      if (longest > 2 * TABLE_LONG_CHAIN)
        fail_msg("stride %lld: a chain of %zu", (long long)stride[s], longest);
    }
    for (lua_Integer i = 0; i < 5000; i++) {
      Value v;
      assert_true(table_get_int(L, t, first + i * stride[s], &v));
      assert_int_equal(v.as.i, i);
    }
    table_check(L, t);
    object_test_pop(L, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_float_grids),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_pointers),
      cmocka_unit_test(test_strings_by_shape),
      cmocka_unit_test(test_forty_families),
      cmocka_unit_test(test_chosen_numbers),
      cmocka_unit_test(test_remainders),
      cmocka_unit_test(test_tangled_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
