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
**      shelf 0 -> [ 8 pages ]               a page: PAGE_BUCKETS buckets
**      shelf 1 -> [ 16 pages ]
**      shelf 2 -> [ 32 pages | ... ]        each twice as long, so none moves
**                     |
**                     bucket -> key -> key     chained by `next`
**                                |
**                                more objects with that key, chained by `more`
**
** A record takes more memory than the entry, and a large cache may have a
** million entries with dead keys.  So a few large objects have records only for
** their first piece.  Each time a flagged key is reached, these few objects are
** searched for it.
**
** Keys that are neighbors in memory are neighbors in the map, because they tend
** to be visited together.
**
** If memory for a bucket is refused, chains get longer, but only up to a bound:
** every search in a chain is part of a slice.  Beyond that, or if memory for a
** record is refused, gc->pending_lost is set.  When a flagged key is reached
** after that, it may have lost entries (gc->key_lost).  Then a walk over the
** heap sets all objects with ephemerons back to gray, and they are visited once
** more.  This is repeated until a round reaches no such key.  Each round but
** the last reaches one, so it ends.  It is quadratic at worst, but each of its
** slices is small, and an emergency collection ends with the program's budget.
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
  SHELVES = 20,
  SHELF_PAGES = 8, /* of the first shelf */
  KEYS_PER_BUCKET = 2,
  KEYS_WITHOUT_MEMORY = 8, /* the same if no bucket can be added */
  CHAIN_MOST = 32,         /* keys in one bucket, however they are spread */
  CHAIN_USUAL = 4,         /* keys that a search passes for free */
  SLAB_PAGES = 8,
  SLAB_RECORDS = 255,
  SAME_SEARCH = 4, /* recent objects compared to avoid duplicates */
  RESOLVE_PIECE = 320
};

struct PendingDirectory {
  PendingRecord ***shelf[SHELVES];
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

/* Shelf k has SHELF_PAGES << k pages. */
static unsigned shelf_of(size_t page) {
  return bits_highest(page / SHELF_PAGES + 1);
}

static size_t shelf_first(unsigned shelf) {
  return ((size_t)SHELF_PAGES << shelf) - SHELF_PAGES;
}

static size_t shelf_bytes(unsigned shelf) {
  return ((size_t)SHELF_PAGES << shelf) * sizeof(PendingRecord **);
}

static PendingRecord ***page_at(const PendingMap *map, size_t page) {
  unsigned shelf = shelf_of(page);
  return &map->directory->shelf[shelf][page - shelf_first(shelf)];
}

static PendingRecord **bucket_at(const PendingMap *map, size_t index) {
  return &(*page_at(map, index / PAGE_BUCKETS))[index % PAGE_BUCKETS];
}

static PendingRecord **bucket_of(const PendingMap *map, const Cell *key) {
  return bucket_at(map, bucket_index(map->bucket_count, hash_of(key)));
}

static bool directory_ensure(Gc *gc, PendingMap *map) {
  if (map->directory) return true;
  map->directory = heap_raw_allocate(&gc->heap, sizeof *map->directory);
  if (map->directory) memset(map->directory, 0, sizeof *map->directory);
  return map->directory != NULL;
}

static bool shelf_ensure(Gc *gc, PendingMap *map, unsigned shelf) {
  if (!directory_ensure(gc, map)) return false;
  if (shelf >= SHELVES) return false; /* not covered: 2^32 buckets */
  PendingRecord ****place = &map->directory->shelf[shelf];
  if (!*place) *place = heap_raw_allocate(&gc->heap, shelf_bytes(shelf));
  return *place != NULL;
}

/* Makes sure that bucket number bucket_count has a place. */
static bool page_ensure(Gc *gc, PendingMap *map) {
  size_t page = map->bucket_count / PAGE_BUCKETS;
  if (map->bucket_count % PAGE_BUCKETS != 0) return true;
  if (!shelf_ensure(gc, map, shelf_of(page))) return false;
  PendingRecord **buckets = heap_pages_allocate(&gc->heap, BUCKET_PAGES);
  if (!buckets) return false;
  memset(buckets, 0, PAGE_BUCKETS * sizeof *buckets);
  *page_at(map, page) = buckets;
  return true;
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

/* Searches the bucket of the key.  Returns the link to its first record, or to
** the end of the chain.  *length is the number of keys passed. */
static PendingRecord **key_find(PendingMap *map, const Cell *key,
                                size_t *length) {
  PendingRecord **link = bucket_of(map, key);
  for (*length = 0; *link && (*link)->key != key; ++*length)
    link = &(*link)->next;
  if (UNLIKELY(*length > CHAIN_USUAL)) map->passed += *length - CHAIN_USUAL;
  return link;
}

/* Adds a record to those of its key, or as the first record of a new key.
** False: the chain is too long already. */
static bool record_note(PendingMap *map, PendingRecord *record) {
  size_t length;
  PendingRecord **link = key_find(map, record->key, &length);
  if (*link) {
    record->more = (*link)->more;
    (*link)->more = record;
    return true;
  }
  if (length >= CHAIN_MOST) return false; /* not covered: hashes are spread */
  record->next = NULL;
  *link = record;
  map->key_count++;
  return true;
}

/* Makes room for one more key.  False: there is no memory. */
static bool map_ready(Gc *gc, PendingMap *map) {
  if (map->key_count < map->bucket_count * KEYS_PER_BUCKET) return true;
  return bucket_add(gc, map) ||
         map->key_count < map->bucket_count * KEYS_WITHOUT_MEMORY;
}

/* True if one of the last few records of the key is for the object. */
static bool is_noted(PendingMap *map, const Cell *key, const Cell *object) {
  size_t length;
  if (map->bucket_count == 0) return false;
  const PendingRecord *record = *key_find(map, key, &length);
  for (int i = 0; record && i < SAME_SEARCH; i++, record = record->more)
    if (record->object == object) return true;
  return false;
}

/* Notes an entry of the object being visited.  False: no memory. */
static bool entry_note(Gc *gc, Cell *key) {
  PendingMap *map = &gc->pending;
  if (!map_ready(gc, map)) return false;
  PendingRecord *record = record_take(gc, key);
  if (!record) return false;
  if (record_note(map, record)) return true;
  record_give(gc, record); /* not covered: see record_note */
  return false;            /* not covered: see record_note */
}

bool gc_ephemeron_pending(Gc *gc, Cell *key) {
  PendingMap *map = &gc->pending;
  /* not covered: both clients hold such keys strongly */
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
  if (!entry_note(gc, key)) gc->pending_lost = true;
  return true;
}

void gc_weak_key_pending(Gc *gc, Cell *key) {
  if (!(gc_kind(gc, key)->flags & KIND_LEAF)) key->flags |= CELL_KEY_PENDING;
}

/* -- Resolving entries ----------------------------------------------------- */

/* Moves the records of the key to the list to be resolved. */
static void records_reached(Gc *gc, const Cell *key) {
  PendingMap *map = &gc->pending;
  size_t length;
  if (map->key_count == 0) return;
  PendingRecord **link = key_find(map, key, &length);
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
  return resolve_asked(gc, key) + ephemeron_passed(gc);
}

size_t ephemeron_passed(Gc *gc) {
  size_t passed = gc->pending.passed;
  gc->pending.passed = 0;
  return passed;
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

static void directory_free(Gc *gc, PendingMap *map) {
  if (!map->directory) return;
  for (unsigned i = 0; i < SHELVES && map->directory->shelf[i]; i++)
    heap_raw_free(&gc->heap, map->directory->shelf[i], shelf_bytes(i));
  heap_raw_free(&gc->heap, map->directory, sizeof *map->directory);
  map->directory = NULL;
}

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
    heap_pages_free(&gc->heap, *page_at(map, page), BUCKET_PAGES);
    map->bucket_count = page * PAGE_BUCKETS;
    return false;
  }
  directory_free(gc, map);
  return true;
}

void ephemeron_free(Gc *gc) {
  gc->resolving = NULL;
  while (!ephemeron_forget_some(gc)) continue;
}

/* -- Checking -------------------------------------------------------------- */

static size_t check_bucket(const PendingMap *map, size_t index) {
  size_t count = 0;
  const PendingRecord *record = *bucket_at(map, index);
  for (; record; record = record->next, count++)
    REQUIRE(bucket_index(map->bucket_count, hash_of(record->key)) == index,
            "[G10] a key in bucket %zu belongs elsewhere", index);
  REQUIRE(count <= CHAIN_MOST, "[G10] %zu keys in bucket %zu", count, index);
  return count;
}

void ephemeron_check(const Gc *gc) {
  const PendingMap *map = &gc->pending;
  size_t count = 0;
  for (size_t i = 0; i < map->bucket_count; i++) count += check_bucket(map, i);
  REQUIRE(count == map->key_count, "[G10] %zu keys, not %zu", count,
          map->key_count);
  REQUIRE(count <= map->bucket_count * KEYS_WITHOUT_MEMORY,
          "[G10] %zu keys in %zu buckets", count, map->bucket_count);
}
