/* SPDX-License-Identifier: MIT */
/*
** ephemeron.c -- entries whose value lives as long as their key
**
** If the key of an entry is reached, visiting the entry just marks its value.
** If it is not, the key gets a flag and the pair (key, object) goes into the
** map below.  When a flagged key is visited, its entries in the map are
** resolved.  So each entry is handled once or twice, in any order of the keys
** of a long chain.  That is linear.  Visiting all such objects again until
** nothing changes would be quadratic.
**
** The map is a hash table that grows one bucket at a time (linear hashing,
** Litwin 1980).  Its buckets are in pages, so it never makes the program wait:
**
**      pages -> [ page | page | page ]      a page: PAGE_BUCKETS buckets
**                  |
**                  bucket -> key -> key     chained by `next`
**                             |
**                             more objects with that key, chained by `more`
**
** A record takes more memory than the entry, and a large cache may have a
** million entries with dead keys.  So a few large objects have records only for
** their first piece.  Instead they are asked for each flagged key that is
** reached.
**
** Keys that are neighbors in memory are neighbors in the map, because they tend
** to be visited together.
**
** If memory is refused, gc->pending_lost is set.  When a flagged key is reached
** after that, it may have lost entries (gc->key_lost).  Then a walk over the
** heap sets all objects with ephemerons back to gray, and they are visited once
** more.  This is repeated until a round reaches no such key.  It is quadratic
** at worst, but each of its units is small.
*/
#include "gc/gc_impl.h"

#include <string.h>

struct PendingRecord {
  Cell *key;
  Cell *object;        /* has an entry with that key */
  PendingRecord *next; /* the next key in the bucket */
  PendingRecord *more; /* the next record of the same key */
};

enum {
  PAGE_BUCKETS = 512,
  BUCKET_PAGES = PAGE_BUCKETS * sizeof(PendingRecord *) / BLOCK_PAGE,
  KEYS_PER_BUCKET = 2,
  SLAB_PAGES = 8,
  SLAB_RECORDS = 255,
  SAME_SEARCH = 4, /* recent objects compared to avoid duplicates */
  RESOLVE_PIECE = 320
};

struct PendingSlab {
  PendingSlab *next;
  PendingRecord record[SLAB_RECORDS];
};
static_assert(sizeof(PendingSlab) <= SLAB_PAGES * BLOCK_PAGE,
              "a slab is some whole pages");

/* -- Records --------------------------------------------------------------- */

static bool slab_add(Gc *gc) {
  PendingMap *map = &gc->pending;
  PendingSlab *slab = heap_pages_allocate(&gc->heap, SLAB_PAGES);
  if (!slab) return false;
  slab->next = map->slabs;
  map->slabs = slab;
  for (int i = SLAB_RECORDS - 1; i >= 0; i--) {
    slab->record[i].next = map->free_records;
    map->free_records = &slab->record[i];
  }
  return true;
}

/* A record for an entry of the object being visited, or NULL. */
static PendingRecord *record_take(Gc *gc, Cell *key) {
  PendingMap *map = &gc->pending;
  if (!map->free_records && !slab_add(gc)) return NULL;
  PendingRecord *record = map->free_records;
  map->free_records = record->next;
  *record = (PendingRecord){.key = key, .object = gc->scanning};
  return record;
}

static void record_give(Gc *gc, PendingRecord *record) {
  record->next = gc->pending.free_records;
  gc->pending.free_records = record;
}

/* -- Buckets --------------------------------------------------------------- */

/* Cells of a block get hashes in order, from a start that depends on the block.
** All blocks with cells of one size have them at the same few offsets.  Without
** different starts these cells would share a few buckets of each page. */
static size_t hash_of(const Cell *key) {
  uint64_t address = (uintptr_t)key;
  uint64_t place = address % BLOCK_SIZE / (BLOCK_SIZE / PAGE_BUCKETS);
  uint64_t spread = address / BLOCK_SIZE * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)((spread >> 24) + place);
}

/* The largest power of two that is at most the number of buckets. */
static size_t bucket_level(size_t count) {
  return (size_t)1 << bits_highest(count);
}

/* Buckets below the split point are already split into two. */
static size_t bucket_index(size_t count, size_t hash) {
  size_t level = bucket_level(count);
  size_t index = hash & (2 * level - 1);
  return index < count ? index : index - level;
}

static PendingRecord **bucket_at(PendingMap *map, size_t index) {
  return &map->pages[index / PAGE_BUCKETS][index % PAGE_BUCKETS];
}

static PendingRecord **bucket_of(PendingMap *map, const Cell *key) {
  return bucket_at(map, bucket_index(map->bucket_count, hash_of(key)));
}

static bool directory_grow(Gc *gc, PendingMap *map) {
  size_t capacity = map->page_capacity ? map->page_capacity * 2 : 8;
  PendingRecord ***pages =
      heap_raw_allocate(&gc->heap, capacity * sizeof *pages);
  if (!pages) return false;
  if (map->pages) {
    memcpy(pages, map->pages, map->page_capacity * sizeof *pages);
    heap_raw_free(&gc->heap, map->pages, map->page_capacity * sizeof *pages);
  }
  map->pages = pages;
  map->page_capacity = capacity;
  return true;
}

/* Makes sure that bucket number bucket_count has a place. */
static bool page_ensure(Gc *gc, PendingMap *map) {
  size_t page = map->bucket_count / PAGE_BUCKETS;
  if (map->bucket_count % PAGE_BUCKETS != 0) return true;
  if (page >= map->page_capacity && !directory_grow(gc, map)) return false;
  size_t size = PAGE_BUCKETS * sizeof(PendingRecord *);
  map->pages[page] = heap_pages_allocate(&gc->heap, BUCKET_PAGES);
  if (map->pages[page]) memset(map->pages[page], 0, size);
  return map->pages[page] != NULL;
}

/* Adds one bucket and splits the bucket that it was part of. */
static bool bucket_add(Gc *gc, PendingMap *map) {
  if (!page_ensure(gc, map)) return false;
  size_t added = map->bucket_count++;
  if (added == 0) return true;
  size_t level = bucket_level(map->bucket_count);
  size_t divided = added >= level ? added - level : added - level / 2;
  PendingRecord **link = bucket_at(map, divided);
  while (*link) {
    PendingRecord *record = *link;
    size_t index = bucket_index(map->bucket_count, hash_of(record->key));
    if (index == divided) {
      link = &record->next;
      continue;
    }
    *link = record->next;
    PendingRecord **target = bucket_at(map, index);
    record->next = *target;
    *target = record;
  }
  return true;
}

/* -- Objects without records ----------------------------------------------- */

bool gc_ephemeron_is_asked(const Gc *gc, const Cell *object) {
  const PendingMap *map = &gc->pending;
  for (unsigned i = 0; i < map->asked_count; i++)
    if (map->asked[i] == object) return true;
  return false;
}

void ephemeron_ask(Gc *gc, Cell *object) {
  PendingMap *map = &gc->pending;
  if (map->asked_count == PENDING_ASKED) return;
  if (gc_ephemeron_is_asked(gc, object)) return;
  map->asked[map->asked_count++] = object;
}

static size_t resolve_asked(Gc *gc, Cell *key) {
  const PendingMap *map = &gc->pending;
  for (unsigned i = 0; i < map->asked_count; i++)
    gc_kind(gc, map->asked[i])->resolve(gc, map->asked[i], key);
  return map->asked_count * PRICE_ASK;
}

/* -- Noting entries -------------------------------------------------------- */

/* Adds a record to the chain of its key, or as the first record of a new
** key. */
static void record_note(PendingMap *map, PendingRecord *record) {
  PendingRecord **bucket = bucket_of(map, record->key);
  PendingRecord *first = *bucket;
  while (first && first->key != record->key) first = first->next;
  if (first) {
    record->more = first->more;
    first->more = record;
  } else {
    record->next = *bucket;
    *bucket = record;
    map->key_count++;
  }
}

/* Makes room for one more key.  If there is no memory, chains get longer.
** False: there is no bucket at all. */
static bool map_ready(Gc *gc, PendingMap *map) {
  if (map->key_count < map->bucket_count * KEYS_PER_BUCKET) return true;
  return bucket_add(gc, map) || map->bucket_count > 0;
}

/* True if one of the last few records of the key is for the object. */
static bool is_noted(PendingMap *map, const Cell *key, const Cell *object) {
  if (map->bucket_count == 0) return false;
  const PendingRecord *record = *bucket_of(map, key);
  while (record && record->key != key) record = record->next;
  for (int i = 0; record && i < SAME_SEARCH; i++, record = record->more)
    if (record->object == object) return true;
  return false;
}

bool gc_ephemeron_pending(Gc *gc, Cell *key) {
  PendingMap *map = &gc->pending;
  /* unreached: both clients hold such keys strongly */
  if (gc_kind(gc, key)->flags & KIND_LEAF) {
    heap_mark(key);
    return false;
  }
  if (gc->debug.skip & SKIP_EPHEMERON) return true;
  bool known = (key->flags & CELL_KEY_PENDING) != 0;
  key->flags |= CELL_KEY_PENDING;
  if (gc_ephemeron_is_asked(gc, gc->scanning)) return true;
  if (gc->pending_lost) return true; /* another round will be needed anyway */
  if (known && is_noted(map, key, gc->scanning)) return true;
  PendingRecord *record = map_ready(gc, map) ? record_take(gc, key) : NULL;
  if (record)
    record_note(map, record);
  else
    gc->pending_lost = true;
  return true;
}

void gc_weak_key_pending(Gc *gc, Cell *key) {
  if (!(gc_kind(gc, key)->flags & KIND_LEAF)) key->flags |= CELL_KEY_PENDING;
}

/* -- Resolving entries ----------------------------------------------------- */

/* Moves the records of the key to the list to be resolved. */
static void records_reached(Gc *gc, const Cell *key) {
  PendingMap *map = &gc->pending;
  if (map->key_count == 0) return;
  PendingRecord **link = bucket_of(map, key);
  while (*link && (*link)->key != key) link = &(*link)->next;
  PendingRecord *record = *link;
  if (!record) return;
  *link = record->next;
  map->key_count--;
  record->next = gc->resolving;
  gc->resolving = record;
}

/* A key reached by resurrection keeps its flag until the phase clear keys.
** That hides it from the program (gc_key_is_visible).  If the list `returning`
** has no room for it, the walk for lost weak objects clears the flag.  A key that
** has weak keys itself may be visited once more in a further round.  It was
** reached before that, and must not cause one round after the other. */
size_t ephemeron_key_reached(Gc *gc, Cell *key) {
  if (key->flags & CELL_WEAK_KEYS) return 0;
  if (gc->pending_lost) gc->key_lost = true;
  if (gc->phase != PHASE_RESURRECT)
    key->flags &= (uint8_t)~CELL_KEY_PENDING;
  else if (!worklist_push(gc, &gc->returning, (uintptr_t)key))
    gc->weak_lost = true;
  records_reached(gc, key);
  return resolve_asked(gc, key);
}

size_t ephemeron_resolve_some(Gc *gc) {
  size_t work = 0;
  while (gc->resolving && work < RESOLVE_PIECE) {
    PendingRecord *record = gc->resolving;
    if (record->more) {
      record->more->next = record->next;
      gc->resolving = record->more;
    } else {
      gc->resolving = record->next;
    }
    gc_kind(gc, record->object)->resolve(gc, record->object, record->key);
    record_give(gc, record);
    work += PRICE_RESOLVE;
  }
  return work;
}

/* -- Forgetting ------------------------------------------------------------ */

bool ephemeron_forget_some(Gc *gc) {
  PendingMap *map = &gc->pending;
  if (map->slabs) {
    PendingSlab *slab = map->slabs;
    map->slabs = slab->next;
    map->free_records = NULL;
    heap_pages_free(&gc->heap, slab, SLAB_PAGES);
    return false;
  }
  map->key_count = map->asked_count = 0;
  map->free_records = NULL;
  if (map->bucket_count > 0) {
    size_t page = (map->bucket_count - 1) / PAGE_BUCKETS;
    heap_pages_free(&gc->heap, map->pages[page], BUCKET_PAGES);
    map->bucket_count = page * PAGE_BUCKETS;
    return false;
  }
  if (map->pages)
    heap_raw_free(&gc->heap, map->pages,
                  map->page_capacity * sizeof *map->pages);
  map->pages = NULL;
  map->page_capacity = 0;
  return true;
}

void ephemeron_free(Gc *gc) {
  gc->resolving = NULL;
  while (!ephemeron_forget_some(gc)) continue;
}
