/* SPDX-License-Identifier: MIT */
/*
** area_impl.h -- the memory of machine code, and of what is known about it
*/
#ifndef PENUMBRA_MACHINE_AREA_IMPL_H
#define PENUMBRA_MACHINE_AREA_IMPL_H

#include "base/base.h"

/* 1 where there is an assembler and a way to get memory for code. */
#if PENUMBRA_MACHINE && defined(__x86_64__) && defined(__linux__) && \
    !defined(PENUMBRA_PLAIN)
#define MACHINE_WORKS 1
#else
#define MACHINE_WORKS 0
#endif

/* The same pages are mapped twice: once to write, once to run.  No page can be
** written and run by the same address.  `data` is for descriptions of code.  All
** of it is freed at once. */
typedef struct Area {
  uint8_t *write, *run;
  size_t size;
  uint8_t *data;
  size_t data_size, data_used;
  uint32_t *parent; /* 1; becomes 0 in a child process */
} Area;

/* False if the system refuses. */
bool area_map(Area *area, size_t size);
void area_unmap(Area *area);

/* Zeroed memory that lives as long as the area, or NULL. */
void *area_data(Area *area, size_t size);

/* A child process shares the pages with its parent, and must leave them
** alone. */
static inline bool area_is_ours(const Area *area) {
  return *(const volatile uint32_t *)area->parent != 0;
}

#endif
