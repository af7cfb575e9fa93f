/* SPDX-License-Identifier: MIT */
/*
** memory.c -- the allocator of luaL_newstate
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/lib/aux_region_impl.h"
#include "../../src/lib/lib.h"
#include "heap/heap.h" /* BLOCK_SIZE, which aux_memory.c cannot see */

static uint64_t random_state;

static size_t random_below(size_t bound) {
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695;
  return (size_t)(random_state >> 33) % bound;
}

static uint64_t memory_seed(void) {
  const char *text = getenv("PENUMBRA_SEED");
  uint64_t seed = text ? strtoull(text, NULL, 0) : UINT64_C(20240711);
  printf("PENUMBRA_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

/* -- Contents do not change ------------------------------------------------ */

enum { PIECES = 500 };

typedef struct Piece {
  unsigned char *bytes;
  size_t size;
  unsigned char fill;
} Piece;

static void piece_fill(Piece *p) {
  p->fill = (unsigned char)random_below(256);
  memset(p->bytes, p->fill, p->size);
}

static void piece_check(const Piece *p, size_t size) {
  for (size_t i = 0; i<size; i += size> 64 ? size / 64 : 1)
    assert_int_equal(p->bytes[i], p->fill);
  if (size) assert_int_equal(p->bytes[size - 1], p->fill);
}

/* Sizes of all magnitudes, and those at which the allocation method changes. */
static size_t random_size(void) {
  static const size_t edges[] = {1,     1023,   1024,   1025,   16383,
                                 16384, 16385,  32768,  65535,  65536,
                                 65537, 262143, 262144, 262145, 600000};
  switch (random_below(4)) {
    case 0: return edges[random_below(sizeof edges / sizeof *edges)];
    case 1: return 1 + random_below(2000);
    case 2: return 1 + random_below(40000);
    default: return 1 + random_below(300000);
  }
}

static void piece_change(AuxMemory *memory, Piece *p) {
  size_t size = p->size && random_below(3) == 0 ? 0 : random_size();
  size_t kept = p->size < size ? p->size : size;
  if (p->bytes) piece_check(p, p->size);
  p->bytes = aux_allocate(memory, p->bytes, p->size, size);
  p->size = size;
  if (size == 0) {
    assert_null(p->bytes);
    return;
  }
  assert_non_null(p->bytes);
  piece_check(p, kept);
  if (size % BLOCK_SIZE == 0 && kept == 0)
    assert_int_equal((uintptr_t)p->bytes % BLOCK_SIZE, 0);
  piece_fill(p);
}

static void test_contents(void **unused) {
  (void)unused;
  random_state = memory_seed();
  AuxMemory *memory = aux_memory_open();
  static Piece pieces[PIECES];
  for (int i = 0; i < 60000; i++)
    piece_change(memory, &pieces[random_below(PIECES)]);
  for (int i = 0; i < PIECES; i++) {
    if (pieces[i].bytes) piece_check(&pieces[i], pieces[i].size);
    aux_allocate(memory, pieces[i].bytes, pieces[i].size, 0);
  }
  aux_memory_close(memory);
}

/* Large new memory is zero, so that tables need not clear it. */
static void test_zeros(void **unused) {
  (void)unused;
  AuxMemory *memory = aux_memory_open();
  for (int round = 0; aux_zeros_from() > 0 && round < 20; round++) {
    size_t size = aux_zeros_from() + random_below(100000);
    unsigned char *bytes = aux_allocate(memory, NULL, 0, size);
    for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 0);
    memset(bytes, 1, size);
    aux_allocate(memory, bytes, size, 0);
  }
  aux_memory_close(memory);
}

/* A discard returns the contents of a block and nothing around it. */
static void test_discard(void **unused) {
  (void)unused;
  AuxMemory *memory = aux_memory_open();
  unsigned char *bytes = aux_allocate(memory, NULL, 0, 4 * BLOCK_SIZE);
  memset(bytes, 1, 4 * BLOCK_SIZE);
  bool gone = aux_discard(memory, bytes + BLOCK_SIZE, BLOCK_SIZE);
  if (aux_zeros_from() > 0 && sysconf(_SC_PAGESIZE) <= BLOCK_SIZE)
    assert_true(gone);
  for (size_t i = 0; i < 4 * BLOCK_SIZE; i++)
    assert_int_equal(bytes[i], !gone || i / BLOCK_SIZE != 1);
  assert_false(aux_discard(memory, bytes + 1, BLOCK_SIZE));
  aux_allocate(memory, bytes, 4 * BLOCK_SIZE, 0);
  aux_memory_close(memory);
}

/* -- Regions --------------------------------------------------------------- */

#if defined(__linux__)

/* Allocates and frees pieces, at random and then all of them.  The memory taken
** stays close to the memory in use, and most of it is returned. */
static void test_regions_are_filled(void **unused) {
  (void)unused;
  enum { COUNT = 3000, REGION = 1 << 20 };
  static void *piece[COUNT];
  static size_t size[COUNT];
  RegionPool pool = {.count = 0};
  size_t used = 0, most = 0;
  random_state = memory_seed();
  for (int i = 0; i < 200000; i++) {
    size_t at = random_below(COUNT);
    if (piece[at]) region_free(&pool, piece[at], size[at]);
    used -= size[at];
    size[at] = 1100 + random_below(60000);
    used += size[at];
    piece[at] = region_allocate(&pool, size[at]);
    assert_non_null(piece[at]);
    most = used > most ? used : most;
  }
  assert_true(pool.count * REGION < most + most / 3);
  for (int i = 0; i < COUNT; i++) region_free(&pool, piece[i], size[i]);
  assert_int_equal(pool.empty_count, pool.count);
  for (int i = 0; i < 20000; i++) {
    void *p = region_allocate(&pool, 5000);
    region_free(&pool, p, 5000);
  }
  assert_true(pool.count <= 2);
  region_close(&pool);
}

static void test_regions_resize_in_place(void **unused) {
  (void)unused;
  RegionPool pool = {.count = 0};
  char *a = region_allocate(&pool, 5000);
  assert_true(region_resize(&pool, a, 5000, 200000));
  char *b = region_allocate(&pool, 5000);
  assert_false(region_resize(&pool, a, 200000, 205000));
  assert_true(region_resize(&pool, a, 200000, 3000));
  char *c = region_allocate(&pool, 100000);
  assert_true(c > a && c < b);
  region_free(&pool, a, 3000);
  region_free(&pool, b, 5000);
  region_free(&pool, c, 100000);
  region_close(&pool);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_contents),
    cmocka_unit_test(test_zeros),
    cmocka_unit_test(test_discard),
#if defined(__linux__)
    cmocka_unit_test(test_regions_are_filled),
    cmocka_unit_test(test_regions_resize_in_place),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
