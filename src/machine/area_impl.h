/* SPDX-License-Identifier: MIT */
/*
** area_impl.h -- the memory of machine code, and of what is known about it
*/
#ifndef PENUMBRA_MACHINE_AREA_IMPL_H
#define PENUMBRA_MACHINE_AREA_IMPL_H

#include "base/base.h"

/* 1 where there is an assembler and a way to get memory for code. */
#if PENUMBRA_MACHINE && defined(__linux__) && defined(__LP64__) && \
    !defined(PENUMBRA_PLAIN) &&                                    \
    (defined(__x86_64__) ||                                        \
     (defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
#define MACHINE_WORKS 1
#else
#define MACHINE_WORKS 0
#endif

/* The same pages are mapped twice: once to write, once to run.  No page can be
** written and run by the same address.  `data` is for descriptions of code.
** Addresses are reserved for the largest size.  Only `size` and `data_size` bytes
** may be used, and those grow by chunks. */
typedef struct Area {
  uint8_t *write, *run;
  size_t size, most;
  uint8_t *data;
  size_t data_size, data_used;
  uint32_t *parent; /* 1; becomes 0 in a child process */
} Area;

enum {
  AREA_CHUNK = 1 << 16,  /* bytes of code */
  AREA_DATA_PER_CODE = 2 /* bytes that describe a byte of code */
};

/* Reserves `most` bytes for code, none of which may be used yet.  Returns what
** the system refuses, in words; NULL: nothing.  `for_perf`: perf can tell that
** this is no file. */
const char *area_map(Area *area, size_t most, bool for_perf);
void area_unmap(Area *area);

/* One more chunk may be used, with its descriptions.  False if that would be too
** much. */
bool area_grow(Area *area);

/* Zeroed memory until area_reset, or NULL. */
void *area_data(Area *area, size_t size);

/* All of it may be used again. */
static inline void area_reset(Area *area) { area->data_used = 0; }

/* A child process shares the pages with its parent, and must leave them
** alone. */
static inline bool area_is_ours(const Area *area) {
  return *(const volatile uint32_t *)area->parent != 0;
}

#endif
