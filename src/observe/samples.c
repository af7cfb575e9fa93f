/* SPDX-License-Identifier: MIT */
/*
** samples.c -- where memory was allocated, and how much of it is still in use
*/
#include "observe/samples.h"

#include <string.h>

enum {
  SLOTS = 2 * SAMPLES_MAX,
  CLEAR_PIECE = 32,  /* entries looked at in a slice */
  PRICE_SAMPLE = 6,  /* a cache miss for the mark */
  THIN_PIECE = 64,   /* entries looked at for each sample */
  RECORD_PIECE = 32, /* sites recorded in a slice */
  PRICE_RECORD = 6,
  RECORDS_FROM = 2 * SAMPLES_MAX
};

/* -- Sites ----------------------------------------------------------------- */

static SampleSite *site_at(const Samples *s, size_t i) { return s->site[i]; }

static uint64_t text_hash(const char *text, size_t length) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h ^ h >> 32;
}

static bool site_is(const SampleSite *site, uint64_t hash, const char *text,
                    size_t size) {
  return site->hash == hash && site->size == size &&
         memcmp(site->stack, text, size) == 0;
}

/* Adds a site for the text.  0, the site for the rest, if there is no room. */
static uint32_t site_add(Samples *s, uint64_t hash, const char *text,
                         size_t size) {
  if (s->site_count >= SITES_MAX) return 0;
  SampleSite *site = heap_raw_allocate(&s->gc->heap, sizeof *site + size);
  if (!site) return 0;
  memset(site, 0, sizeof *site);
  memcpy(site->stack, text, size);
  site->size = size;
  site->hash = hash;
  site->next = s->chain[hash % SITES_MAX];
  s->site[s->site_count++] = site;
  s->chain[hash % SITES_MAX] = (uint32_t)s->site_count;
  return (uint32_t)s->site_count - 1;
}

/* The site of the text in s->text. */
static uint32_t site_of_text(Samples *s, size_t length) {
  uint64_t hash = text_hash(s->text, length);
  uint32_t next = s->chain[hash % SITES_MAX];
  while (next != 0) {
    const SampleSite *site = site_at(s, next - 1);
    if (site_is(site, hash, s->text, length + 1)) return next - 1;
    next = site->next;
  }
  return site_add(s, hash, s->text, length + 1);
}

/* The site of the calls that are under way. */
static uint32_t site_now(Samples *s) {
  uint64_t key = s->stack.key(s->stack.context);
  SiteKey *known = &s->known[(key ^ key >> 32) % SITE_KEYS];
  if (known->is_used && known->key == key) return known->site;
  size_t length = s->stack.text(s->stack.context, s->text, SITE_TEXT);
  s->text[length] = '\0';
  *known = (SiteKey){key, site_of_text(s, length), true};
  return known->site;
}

/* -- Samples by address ---------------------------------------------------- */

static Sample *sample_at(const Samples *s, size_t i) {
  return items_item(&s->sample, i);
}

static size_t slot_first(const void *cell) {
  return (size_t)((uintptr_t)cell / 8 * UINT64_C(0x9e3779b97f4a7c15) >> 40) %
         SLOTS;
}

/* The slot of the cell, or the free slot where it would be. */
static size_t slot_find(const Samples *s, const void *cell) {
  size_t i = slot_first(cell);
  while (s->slot[i] != 0 && sample_at(s, s->slot[i] - 1)->cell != cell)
    i = (i + 1) % SLOTS;
  return i;
}

/* Empties a slot.  Entries behind it that had to pass it move up. */
static void slot_empty(Samples *s, size_t hole) {
  s->slot[hole] = 0;
  for (size_t i = (hole + 1) % SLOTS; s->slot[i] != 0; i = (i + 1) % SLOTS) {
    size_t first = slot_first(sample_at(s, s->slot[i] - 1)->cell);
    if ((i - first) % SLOTS < (i - hole) % SLOTS) continue;
    s->slot[hole] = s->slot[i];
    s->slot[i] = 0;
    hole = i;
  }
}

const SampleSite *samples_find(const Samples *s, const void *cell) {
  uint32_t number = s->slot[slot_find(s, cell)];
  return number ? site_at(s, sample_at(s, number - 1)->site) : NULL;
}

/* -- Following ------------------------------------------------------------- */

static void sample_forget(Samples *s, Sample *sample, size_t index) {
  SampleSite *site = site_at(s, sample->site);
  site->live -= sample->bytes;
  site->live_cells -= sample->cells;
  if (site->live == 0) site->live_cells = 0; /* errors of rounding */
  if (site->example == sample->cell) site->example = NULL;
  slot_empty(s, slot_find(s, sample->cell));
  sample->cell = NULL;
  sample->next_free = s->free_list;
  s->free_list = (uint32_t)index + 1;
  s->count--;
}

/* Samples that follow each other may be alike in turns, so chance decides. */
static bool random_bit(Samples *s) {
  s->random = s->random * UINT64_C(6364136223846793005) + 1;
  return s->random >> 63;
}

/* Continues to forget every second sample, while the others count twice. */
static void samples_thin_some(Samples *s) {
  size_t end = size_min(s->thin_at + THIN_PIECE, s->sample.count);
  for (size_t i = s->thin_at; i < end; i++) {
    Sample *sample = sample_at(s, i);
    if (!sample->cell) continue;
    if (!random_bit(s)) {
      sample_forget(s, sample, i);
      continue;
    }
    SampleSite *site = site_at(s, sample->site);
    site->live += sample->bytes;
    site->live_cells += sample->cells;
    sample->bytes *= 2;
    sample->cells *= 2;
  }
  s->thin_at = end;
  s->thinning = end < s->sample.count;
}

/* Makes room for a sample. */
static void samples_thin_if_full(Samples *s) {
  if (s->count >= SAMPLES_MAX && !s->thinning) {
    s->thinning = true;
    s->thin_at = 0;
    gc_thin_watch(s->gc);
  }
  while (s->thinning) {
    samples_thin_some(s);
    if (s->count < SAMPLES_MAX) return;
  }
}

/* A free entry, or NULL if there is no memory. */
static Sample *sample_new(Samples *s, size_t *index) {
  samples_thin_if_full(s);
  if (s->free_list != 0) {
    *index = s->free_list - 1;
    Sample *sample = sample_at(s, *index);
    s->free_list = sample->next_free;
    return sample;
  }
  *index = s->sample.count;
  return items_add(&s->gc->heap, &s->sample);
}

static void sample_made(void *context, void *cell, size_t size, size_t bytes) {
  Samples *s = context;
  uint32_t number = site_now(s);
  SampleSite *site = site_at(s, number);
  size = heap_rounded_size(size);
  double cells = bytes > size ? (double)bytes / (double)size : 1;
  size_t index = 0;
  site->bytes += bytes;
  site->cells += cells;
  uint32_t before = s->slot[slot_find(s, cell)];
  if (before != 0) { /* a part that grows: this sample stands for all of it */
    bytes += sample_at(s, before - 1)->bytes;
    sample_forget(s, sample_at(s, before - 1), before - 1);
  }
  Sample *sample = sample_new(s, &index);
  if (!sample) {
    s->lost++;
    return;
  }
  *sample = (Sample){cell,   bytes, (float)cells, (uint32_t)s->gc->stats.cycles,
                     number, 0};
  site->live += bytes;
  site->live_cells += cells;
  s->slot[slot_find(s, cell)] = (uint32_t)index + 1;
  s->count++;
}

static void sample_moved(void *context, const void *cell, void *to) {
  Samples *s = context;
  size_t slot = slot_find(s, cell);
  uint32_t number = s->slot[slot];
  if (number == 0 || cell == to) return;
  Sample *sample = sample_at(s, number - 1);
  if (!to) {
    sample_forget(s, sample, number - 1);
    return;
  }
  slot_empty(s, slot);
  SampleSite *site = site_at(s, sample->site);
  if (site->example == cell) site->example = to;
  sample->cell = to;
  s->slot[slot_find(s, to)] = number;
}

/* -- The end of a cycle ---------------------------------------------------- */

/* Drops every second record of a site. */
static void site_thin(SampleSite *site) {
  for (unsigned k = 0; k < SITE_RECORDS / 2; k++)
    site->record[k] = site->record[2 * k + 1];
}

/* All samples have been looked at.  True if it is time for a record. */
static bool record_is_due(Samples *s) {
  if (s->gc->minor) return false;
  s->majors++;
  if (s->majors % s->stride != 0) return false;
  s->records_full = s->records == SITE_RECORDS;
  return true;
}

/* Records the live bytes of some sites. */
static GcProgress record_some(Samples *s, size_t from) {
  size_t end = size_min(from + RECORD_PIECE, s->site_count);
  unsigned at = s->records_full ? SITE_RECORDS / 2 : s->records;
  for (size_t i = from; i < end; i++) {
    SampleSite *site = site_at(s, i);
    if (s->records_full) site_thin(site);
    site->record[at] = site->pass == s->pass ? site->found : 0;
  }
  if (end < s->site_count)
    return (GcProgress){RECORDS_FROM + end, RECORD_PIECE * PRICE_RECORD,
                        WEAK_NONE};
  s->records = at + 1;
  if (s->records_full) s->stride *= 2;
  return (GcProgress){GC_DONE, RECORD_PIECE * PRICE_RECORD, WEAK_NONE};
}

/* True if the cell tells more than strings and parts of objects do. */
static bool tells_more(const Samples *s, const void *cell) {
  return !(gc_kind(s->gc, cell)->flags & (KIND_LEAF | KIND_PART));
}

static void sample_look(Samples *s, size_t index) {
  Sample *sample = sample_at(s, index);
  if (!sample->cell) return;
  if (!heap_is_marked(sample->cell)) {
    sample_forget(s, sample, index);
    return;
  }
  SampleSite *site = site_at(s, sample->site);
  if (!site->example || tells_more(s, sample->cell))
    site->example = sample->cell;
  if (site->pass != s->pass) site->found = 0;
  site->pass = s->pass;
  if (sample->born != (uint32_t)s->gc->stats.cycles)
    site->found += sample->bytes;
}

/* Positions up to RECORDS_FROM are samples, and then sites follow. */
static GcProgress samples_clear(void *context, size_t from) {
  Samples *s = context;
  if (from >= RECORDS_FROM) return record_some(s, from - RECORDS_FROM);
  size_t end = size_min(from + CLEAR_PIECE, s->sample.count);
  if (from == 0) s->pass++;
  for (size_t i = from; i < end; i++) sample_look(s, i);
  if (end < s->sample.count)
    return (GcProgress){end, CLEAR_PIECE * PRICE_SAMPLE, WEAK_NONE};
  size_t next = record_is_due(s) ? RECORDS_FROM : GC_DONE;
  return (GcProgress){next, CLEAR_PIECE * PRICE_SAMPLE, WEAK_NONE};
}

static double records_mean(const SampleSite *site, unsigned from, unsigned to) {
  double sum = 0;
  for (unsigned i = from; i < to; i++) sum += (double)site->record[i];
  return sum / (to - from);
}

/* Means of thirds, because chance decides how many of some live objects are
** samples.  Live bytes of a program that fills its caches in the beginning do
** not rise in the last third. */
SampleGrowth samples_growth(const Samples *s, const SampleSite *site) {
  enum { SAMPLES = 4 };
  unsigned n = s->records;
  SampleGrowth growth = {0, n, false};
  if (n < 3) return growth;
  double first = records_mean(site, 0, n / 3);
  double second = records_mean(site, n / 3, n - n / 3);
  double third = records_mean(site, n - n / 3, n);
  uint64_t last = site->record[n - 1];
  if (last > site->record[0]) growth.bytes = last - site->record[0];
  growth.is_growing = second > first * 1.05 && third > second * 1.05 &&
                      third - first > (double)(SAMPLES * s->gc->watch.interval);
  return growth;
}

/* -- Checks ---------------------------------------------------------------- */

static uint64_t live_of_site(const Samples *s, uint32_t site) {
  uint64_t live = 0;
  for (size_t i = 0; i < s->sample.count; i++) {
    const Sample *sample = sample_at(s, i);
    if (sample->cell && sample->site == site) live += sample->bytes;
  }
  return live;
}

void samples_check(const Samples *s) {
  size_t used = 0, slots = 0;
  for (size_t i = 0; i < s->sample.count; i++) {
    const Sample *sample = sample_at(s, i);
    if (!sample->cell) continue;
    used++;
    REQUIRE(s->slot[slot_find(s, sample->cell)] == i + 1, "entry %zu", i);
  }
  for (size_t i = 0; i < SLOTS; i++) slots += s->slot[i] != 0;
  REQUIRE(used == s->count && slots == used && used <= SAMPLES_MAX,
          "%zu entries, %zu slots, %zu counted", used, slots, s->count);
  for (uint32_t i = 0; i < s->site_count; i++)
    REQUIRE(site_at(s, i)->live == live_of_site(s, i), "site %u", i);
}

/* -- Beginning and end ----------------------------------------------------- */

Samples *samples_begin(Gc *gc, size_t interval, const SampleStack *stack) {
  static const char rest[] = "(others)";
  Samples *s = heap_raw_allocate(&gc->heap, sizeof *s);
  if (!s) return NULL;
  memset(s, 0, sizeof *s);
  s->gc = gc;
  s->stack = *stack;
  s->sample = items_list(sizeof(Sample));
  s->stride = 1;
  site_add(s, text_hash(rest, sizeof rest - 1), rest, sizeof rest);
  if (s->site_count == 0) {
    samples_end(s);
    return NULL;
  }
  GcWatch watch = {.made = sample_made,
                   .moved = sample_moved,
                   .clear = samples_clear,
                   .context = s,
                   .interval = interval};
  gc_set_watch(gc, &watch);
  return s;
}

void samples_end(Samples *s) {
  Heap *heap = &s->gc->heap;
  if (s->gc->watch.context == s) gc_set_watch(s->gc, NULL);
  for (size_t i = 0; i < s->site_count; i++)
    heap_raw_free(heap, s->site[i], sizeof *s->site[i] + s->site[i]->size);
  while (items_free_rest(heap, &s->sample)) continue;
  heap_raw_free(heap, s, sizeof *s);
}
