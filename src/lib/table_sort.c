/* SPDX-License-Identifier: MIT */
/*
** table_sort.c -- table.sort
**
** Quicksort with the median of three as pivot.  A long range is partitioned in
** place, in the table.  A range of at most SORT_LEAF elements is copied to the
** stack, sorted there, where an access costs much less, and written back.  The
** limit keeps the stack frame small, so that the collector scans it quickly.
**
** An inconsistent order function can drive the scans beyond their range; both
** partitions notice that and raise an error.
*/

#include <limits.h>
#include <time.h>

#include "lib.h"
#include "table_impl.h"
#include "vm/call.h"

enum { SORT_TABLE = 1, SORT_FUNCTION = 2, SORT_LEAF = 200 };

enum { SORT_UNITS = 64 }; /* cost of an element of a leaf, in a budget */

/* If a part is smaller than 1/SORT_UNFAIR of its range, the following pivots
** are random: the data may have been made to defeat the sort. */
enum { SORT_UNFAIR = 128 };

typedef struct Sorter {
  lua_State *L;
  bool has_function;
  unsigned int random; /* 0: pivots from the middle */
} Sorter;

/* -- Comparison ---------------------------------------------------------- */

/* The result of the order function for two values. */
static bool sort_test(lua_State *L, int a, int b) {
  Value *first = L->frame->func, *call = L->top;
  value_copy(&call[0], first + SORT_FUNCTION);
  value_copy(&call[1], first + a);
  value_copy(&call[2], first + b);
  L->top = call + 3;
  call_value_no_yield(L, call, 1);
  L->top--;
  stack_lower(L, L->top);
  return !value_is_falsy(L->top);
}

/* True if the value at stack index a comes before that at b. */
static inline bool sort_less(const Sorter *so, int a, int b) {
  return so->has_function ? sort_test(so->L, a, b)
                          : lua_compare(so->L, a, b, LUA_OPLT);
}

static void sort_raise_invalid(lua_State *L) {
  luaL_error(L, "invalid order function for sorting");
}

/* -- On the stack -------------------------------------------------------- */

static void stack_swap(lua_State *L, int a, int b) {
  lua_pushvalue(L, a);
  lua_copy(L, b, a);
  lua_replace(L, b);
}

/* Partitions a range whose ends are in order with the pivot, which is at hi -
** 1.  Returns the final place of the pivot. */
static int stack_partition(const Sorter *so, int lo, int hi) {
  const int pivot = hi - 1;
  int i = lo, j = pivot;
  for (;;) {
    while (sort_less(so, ++i, pivot))
      if (luai_unlikely(i == pivot)) sort_raise_invalid(so->L);
    while (sort_less(so, pivot, --j))
      if (luai_unlikely(j < i)) sort_raise_invalid(so->L);
    if (j < i) break;
    stack_swap(so->L, i, j);
  }
  stack_swap(so->L, pivot, i);
  return i;
}

/* Puts first, middle and last in order; true if the range is then sorted. */
static bool stack_median(const Sorter *so, int lo, int hi) {
  if (sort_less(so, hi, lo)) stack_swap(so->L, lo, hi);
  if (hi - lo == 1) return true;
  const int mid = lo + (hi - lo) / 2;
  if (sort_less(so, mid, lo))
    stack_swap(so->L, mid, lo);
  else if (sort_less(so, hi, mid))
    stack_swap(so->L, mid, hi);
  if (hi - lo == 2) return true;
  stack_swap(so->L, mid, hi - 1);
  return false;
}

static void stack_sort(const Sorter *so, int lo, int hi) {
  while (lo < hi) {
    if (stack_median(so, lo, hi)) return;
    const int p = stack_partition(so, lo, hi);
    if (p - lo < hi - p) { /* recursion into the smaller part only */
      stack_sort(so, lo, p - 1);
      lo = p + 1;
    } else {
      stack_sort(so, p + 1, hi);
      hi = p - 1;
    }
  }
}

/* -- In the table -------------------------------------------------------- */

static void sort_get(const Sorter *so, lua_Integer i) {
  lua_geti(so->L, SORT_TABLE, i);
}

static void sort_set(const Sorter *so, lua_Integer i) {
  lua_seti(so->L, SORT_TABLE, i);
}

/* Sorts a short range on the stack. */
static void sort_leaf(const Sorter *so, lua_Integer lo, lua_Integer hi) {
  lua_State *L = so->L;
  const int base = lua_gettop(L), n = (int)(hi - lo + 1);
  if (n < 2) return;
  luaL_checkstack(L, n + LUA_MINSTACK, "too many elements");
  penumbra_spend(L, (size_t)n * SORT_UNITS);
  for (lua_Integer i = lo; i <= hi; i++) sort_get(so, i);
  stack_sort(so, base + 1, base + n);
  for (lua_Integer i = hi; i >= lo; i--) sort_set(so, i);
}

/* Exchanges elements i and j if they are in the wrong order. */
static void sort_order(const Sorter *so, lua_Integer i, lua_Integer j) {
  lua_State *L = so->L;
  const int top = lua_gettop(L);
  sort_get(so, i);
  sort_get(so, j);
  if (sort_less(so, top + 2, top + 1)) {
    sort_set(so, i);
    sort_set(so, j);
  }
  lua_settop(L, top);
}

/* A place for the pivot, away from the ends. */
static lua_Integer sort_choose(Sorter *so, lua_Integer lo, lua_Integer hi) {
  const lua_Integer quarter = (hi - lo) / 4;
  if (so->random == 0) return lo + (hi - lo) / 2;
  so->random = so->random * 1664525u + 1013904223u;
  return lo + quarter + (lua_Integer)(so->random >> 8) % (2 * quarter);
}

/* Makes the median of three the pivot: it stays on the stack, on top, and a
** copy lies at hi - 1. */
static void sort_median(Sorter *so, lua_Integer lo, lua_Integer hi) {
  const lua_Integer mid = sort_choose(so, lo, hi);
  sort_order(so, lo, hi);
  sort_order(so, lo, mid);
  sort_order(so, mid, hi);
  sort_get(so, mid);
  lua_pushvalue(so->L, -1);
  sort_get(so, hi - 1);
  sort_set(so, mid);
  sort_set(so, hi - 1);
}

/* Like stack_partition, with the pivot on top of the stack; pops it. */
static lua_Integer sort_partition(const Sorter *so, lua_Integer lo,
                                  lua_Integer hi) {
  lua_State *L = so->L;
  const int pivot = lua_gettop(L);
  lua_Integer i = lo, j = hi - 1;
  for (;;) {
    while (sort_get(so, ++i), sort_less(so, pivot + 1, pivot)) {
      lib_step(L, (size_t)i);
      if (luai_unlikely(i == hi - 1)) sort_raise_invalid(L);
      lua_pop(L, 1);
    }
    while (sort_get(so, --j), sort_less(so, pivot, pivot + 2)) {
      lib_step(L, (size_t)j);
      if (luai_unlikely(j < i)) sort_raise_invalid(L);
      lua_pop(L, 1);
    }
    if (j < i) break;
    penumbra_spend(L, 16);
    sort_set(so, i);
    sort_set(so, j);
  }
  lua_pop(L, 1);
  sort_set(so, hi - 1); /* element i goes where the pivot was */
  sort_set(so, i);
  return i;
}

static void sort_range(Sorter *so, lua_Integer lo, lua_Integer hi) {
  while (hi - lo >= SORT_LEAF) {
    const lua_Integer size = hi - lo;
    sort_median(so, lo, hi);
    const lua_Integer p = sort_partition(so, lo, hi);
    lua_Integer smaller;
    if (p - lo < hi - p) {
      smaller = p - lo;
      sort_range(so, lo, p - 1);
      lo = p + 1;
    } else {
      smaller = hi - p;
      sort_range(so, p + 1, hi);
      hi = p - 1;
    }
    if (smaller < size / SORT_UNFAIR)
      so->random = (unsigned int)time(NULL) ^ (unsigned int)clock() ^ 1u;
  }
  sort_leaf(so, lo, hi);
}

int table_sort_framed(lua_State *L) {
  Sorter so = {.L = L};
  const lua_Integer n =
      table_check_length(L, SORT_TABLE, TABLE_READ | TABLE_WRITE);
  if (n < 2) return 0;
  luaL_argcheck(L, n < INT_MAX, SORT_TABLE, "array too big");
  so.has_function = !lua_isnoneornil(L, SORT_FUNCTION);
  if (so.has_function) luaL_checktype(L, SORT_FUNCTION, LUA_TFUNCTION);
  lua_settop(L, SORT_FUNCTION);
  sort_range(&so, 1, n);
  return 0;
}
