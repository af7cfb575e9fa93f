/* SPDX-License-Identifier: MIT */
/*
** toy_table.c -- ephemeron tables and caches: open addressing by id
**
** The collector deletes entries by overwriting their keys.  The next growth
** does not copy the deleted entries.
*/
#include "toy/toy_impl.h"

static ToyRef *entry_at(const ToyTable *table, size_t place) {
  return &table->part->slot[2 * place];
}

/* The entry of the key, or NULL.  Deleted entries are skipped. */
static ToyRef *entry_find(const ToyTable *table, ToyRef key) {
  if (table->capacity == 0) return NULL;
  size_t mask = table->capacity - 1;
  size_t place = toy_hash(toy_id(toy_cell(key))) & mask;
  for (size_t i = 0; i <= mask; i++, place = (place + 1) & mask) {
    ToyRef *entry = entry_at(table, place);
    if (entry[0] == key) return entry;
    if (entry[0] == 0) return NULL;
  }
  return NULL;
}

/* The first entry on the key's chain that was never used. */
static ToyRef *entry_free(ToyPart *part, size_t capacity, ToyRef key) {
  size_t mask = capacity - 1;
  size_t place = toy_hash(toy_id(toy_cell(key))) & mask;
  while (part->slot[2 * place] != 0) place = (place + 1) & mask;
  return &part->slot[2 * place];
}

static ToyRef new_table(Toy *toy, size_t capacity, ToyKind kind) {
  ToyTable *table = toy_new(toy, sizeof *table, kind);
  if (!table) return 0;
  table->capacity = table->taken = 0;
  table->part = NULL;
  ToyRef result = toy->newborn = toy_ref_of(&table->cell);
  if (capacity) {
    ToyPart *part = toy_new_part(toy, table->id, 2 * capacity);
    if (part) {
      table->part = part;
      table->capacity = capacity;
      gc_part_replaced(&toy->gc, &table->cell, &part->cell);
    } else {
      result = 0;
    }
  }
  toy->newborn = 0;
  return result;
}

ToyRef toy_new_ephemeron(Toy *toy, size_t capacity) {
  return new_table(toy, capacity, TOY_EPHEMERON);
}

ToyRef toy_new_cache(Toy *toy, size_t capacity) {
  return new_table(toy, capacity, TOY_CACHE);
}

/* -- Growing --------------------------------------------------------------- */

static size_t table_entries(const ToyTable *table) {
  size_t count = 0;
  for (size_t i = 0; i < table->capacity; i++)
    if (toy_is_object(entry_at(table, i)[0])) count++;
  return count;
}

/* Also moves entries that look dead now: a key may still be resurrected. */
static bool table_rehash(Toy *toy, ToyTable *table) {
  size_t capacity = 4;
  while (capacity < 2 * (table_entries(table) + 1)) capacity *= 2;
  ToyPart *part = toy_new_part(toy, table->id, 2 * capacity);
  if (!part) return false;
  table->taken = 0;
  for (size_t i = 0; i < table->capacity; i++) {
    ToyRef *old = entry_at(table, i);
    if (!toy_is_object(old[0])) continue;
    ToyRef *entry = entry_free(part, capacity, old[0]);
    entry[0] = old[0];
    entry[1] = old[1];
    table->taken++;
  }
  ToyPart *old_part = table->part;
  size_t old_capacity = table->capacity;
  table->part = part;
  table->capacity = capacity;
  gc_part_replaced(&toy->gc, &table->cell, &part->cell);
  if (old_part)
    gc_free_part(&toy->gc, old_part, toy_part_size(2 * old_capacity));
  return true;
}

/* -- Using ----------------------------------------------------------------- */

/* Also for the key, weak or not: an old table must be visited again if one of
** its keys may die young. */
static void table_barrier(Toy *toy, ToyTable *table, ToyRef key, ToyRef value) {
  gc_barrier_back(&toy->gc, &table->cell, toy_cell(key));
  gc_barrier_back(&toy->gc, &table->cell, toy_cell(value));
}

bool toy_table_put(Toy *toy, ToyRef ref, ToyRef key, ToyRef value) {
  ToyTable *table = toy_table(ref);
  ToyRef *entry = entry_find(table, key);
  if (!entry) {
    if ((table->taken + 1) * 4 > table->capacity * 3 &&
        !table_rehash(toy, table))
      return false;
    entry = entry_free(table->part, table->capacity, key);
    entry[0] = key;
    table->taken++;
  }
  entry[1] = value;
  table_barrier(toy, table, key, value);
  return true;
}

void toy_table_remove(Toy *toy, ToyRef ref, ToyRef key) {
  (void)toy;
  ToyRef *entry = entry_find(toy_table(ref), key);
  if (!entry) return;
  entry[0] = TOY_DELETED;
  entry[1] = 0;
}

ToyRef toy_table_get(const Toy *toy, ToyRef ref, ToyRef key) {
  ToyRef *entry = entry_find(toy_table(ref), key);
  if (!entry) return 0;
  if (toy_kind(ref) == TOY_CACHE && toy_is_dead(toy, entry[1])) return 0;
  return entry[1];
}

bool toy_table_entry(const Toy *toy, ToyRef ref, size_t place, ToyRef *key,
                     ToyRef *value) {
  ToyTable *table = toy_table(ref);
  ToyRef *entry = entry_at(table, place);
  if (!toy_is_object(entry[0])) return false;
  if (!gc_key_is_visible(&toy->gc, toy_cell(entry[0]))) return false;
  if (toy_kind(ref) == TOY_CACHE && toy_is_dead(toy, entry[1])) return false;
  *key = entry[0];
  *value = entry[1];
  return true;
}
