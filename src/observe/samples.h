/* SPDX-License-Identifier: MIT */
/*
** samples.h -- where memory was allocated, and how much of it is still in use
**
** Out of about every `interval` bytes allocated, one cell is a sample.  It
** stands for all bytes since the last sample.  The sample remembers its *site*,
** the stack of calls at that time, and follows the cell until it dies (GcWatch).
** So each site has four numbers: bytes and cells, allocated and still live.
** Cells are objects and parts of objects, such as the array of a table.
**
** Memory is bounded.  When there are SAMPLES_MAX live samples, every second one
** is forgotten, by chance, the others count twice, and the interval doubles.  Stacks
** beyond the first SITES_MAX share one site.
**
** At the end of major cycles the live bytes of every site are recorded, without
** new objects: those that die during a cycle look alive to it.  Of a
** long run every second record is dropped again and again, so SITE_RECORDS
** numbers cover all of it.
*/
#ifndef PENUMBRA_OBSERVE_SAMPLES_H
#define PENUMBRA_OBSERVE_SAMPLES_H

#include "gc/gc.h"
#include "observe/items.h"

enum {
  SAMPLES_MAX = 16384,
  SITES_MAX = 4096,
  SITE_KEYS = 1024,
  SITE_TEXT = 4096,  /* bytes of a stack, with the zero */
  SITE_RECORDS = 16, /* live bytes at the end of major cycles */
};

typedef struct SampleSite {
  size_t size;         /* of `stack`, with its zero */
  uint64_t hash;       /* of `stack` */
  uint32_t next;       /* the next site of the same chain; 0: none */
  const void *example; /* a cell that was found alive, or NULL */
  uint64_t bytes;      /* allocated */
  uint64_t live;       /* bytes not known to be dead */
  double cells;        /* allocated */
  double live_cells;
  uint32_t pass;  /* of `found` */
  uint64_t found; /* live bytes that are older than the last cycle */
  uint64_t record[SITE_RECORDS];
  char stack[]; /* as text, the outermost call first */
} SampleSite;

/* A cell that is followed. */
typedef struct Sample {
  const void *cell; /* NULL: the entry is free */
  uint64_t bytes;   /* that it stands for */
  float cells;      /* that it stands for */
  uint32_t born;    /* stats.cycles when it was made */
  uint32_t site;
  uint32_t next_free;
} Sample;

/* The stack of calls.  Both functions are called in the middle of an
** allocation, so they must not allocate. */
typedef struct SampleStack {
  /* Writes it as text.  Returns the length, less than `capacity`. */
  size_t (*text)(void *context, char *text, size_t capacity);
  /* A number that tells stacks with different texts apart, by all odds.  It is
  ** faster than the text. */
  uint64_t (*key)(void *context);
  void *context;
} SampleStack;

/* The site of a stack that was met before. */
typedef struct SiteKey {
  uint64_t key;
  uint32_t site;
  bool is_used;
} SiteKey;

typedef struct Samples {
  Gc *gc;
  SampleStack stack;
  ItemList sample;    /* Sample */
  uint32_t free_list; /* 1 + index of a free entry; 0: none */
  size_t count;       /* entries in use */
  size_t site_count;
  uint64_t lost;  /* samples without memory */
  bool thinning;  /* every second sample is being forgotten: */
  size_t thin_at; /* ... the next entry */
  uint64_t random;
  uint32_t pass;     /* number of cycles that have looked at the samples */
  bool records_full; /* every second record is dropped by this cycle */
  unsigned records;  /* that are in use of each site */
  uint64_t majors;   /* major cycles so far */
  uint64_t stride;   /* major cycles between two records */
  SampleSite *site[SITES_MAX]; /* the first one is for all stacks that found
                                ** no room */
  SiteKey known[SITE_KEYS];
  uint32_t chain[SITES_MAX];      /* by hash of the stack: 1 + index; 0: none */
  uint32_t slot[2 * SAMPLES_MAX]; /* by address: 1 + index; 0: none */
  char text[SITE_TEXT];
} Samples;

/* Begins to sample every `interval` bytes.  NULL: no memory. */
Samples *samples_begin(Gc *gc, size_t interval, const SampleStack *stack);
void samples_end(Samples *samples);

static inline const SampleSite *samples_site(const Samples *samples, size_t i) {
  return samples->site[i];
}

/* The site of a cell, or NULL if the cell is not a sample. */
const SampleSite *samples_find(const Samples *samples, const void *cell);

/* Checks with REQUIRE that entries, slots and the sums of sites agree. */
void samples_check(const Samples *samples);

/* How the live bytes of a site have changed from one major cycle to another. */
typedef struct SampleGrowth {
  uint64_t bytes;   /* gained from the first record to the last */
  unsigned records; /* number of records */
  bool is_growing;  /* they rise from each third of the records to the next, by
                     ** more than chance */
} SampleGrowth;
SampleGrowth samples_growth(const Samples *samples, const SampleSite *site);

#endif
