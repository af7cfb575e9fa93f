/* SPDX-License-Identifier: MIT */
/*
** toy_set.c -- symbols: one for each key, in a weak set
**
** The buckets are ordinary memory, outside the collector's heap.  The set only
** grows, by doubling: bucket b becomes b and b + n, so a sweep that has passed
** b has nothing to do in either.
*/
#include "toy/toy_impl.h"

enum { SWEEP_BUCKETS = 256 };

static ToySymbol **bucket_of(const Toy *toy, uint32_t key) {
  return &toy->set[toy_hash(key) & (toy->set_buckets - 1)];
}

static bool set_grow(Toy *toy) {
  size_t count = toy->set_buckets ? 2 * toy->set_buckets : TOY_SET_LEAST;
  ToySymbol **buckets = calloc(count, sizeof *buckets);
  if (!buckets) return false;
  for (size_t i = 0; i < toy->set_buckets; i++)
    while (toy->set[i]) {
      ToySymbol *symbol = toy->set[i];
      toy->set[i] = symbol->next;
      ToySymbol **bucket = &buckets[toy_hash(symbol->key) & (count - 1)];
      symbol->next = *bucket;
      *bucket = symbol;
    }
  free(toy->set);
  toy->set = buckets;
  toy->set_buckets = count;
  return true;
}

ToyRef toy_intern(Toy *toy, uint32_t key) {
  if (toy->set_count >= toy->set_buckets && !set_grow(toy)) return 0;
  for (ToySymbol *old = *bucket_of(toy, key); old; old = old->next)
    if (old->key == key) {
      gc_revive_leaf(&toy->gc, &old->cell);
      return toy_ref_of(&old->cell);
    }
  ToySymbol *symbol = toy_new(toy, sizeof *symbol, TOY_SYMBOL);
  if (!symbol) return 0;
  symbol->key = key;
  symbol->next = *bucket_of(toy, key);
  *bucket_of(toy, key) = symbol;
  toy->set_count++;
  return toy_ref_of(&symbol->cell);
}

static void sweep_bucket(Toy *toy, ToySymbol **link) {
  while (*link) {
    if (gc_is_reached(&(*link)->cell)) {
      link = &(*link)->next;
      continue;
    }
    *link = (*link)->next;
    toy->set_count--;
  }
}

GcProgress toy_set_sweep(void *context, Gc *gc, size_t from) {
  Toy *toy = context;
  (void)gc;
  size_t to = size_min(toy->set_buckets, from + SWEEP_BUCKETS);
  for (size_t i = from; i < to; i++) sweep_bucket(toy, &toy->set[i]);
  GcProgress progress = {to < toy->set_buckets ? to : GC_DONE,
                         (uint32_t)(to - from + 1), WEAK_NONE};
  return progress;
}
