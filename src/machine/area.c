/* SPDX-License-Identifier: MIT */
/*
** area.c -- the memory of machine code, from the system
*/
#include "machine/area_impl.h"
#if MACHINE_WORKS

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { AREA_DATA_PER_CODE = 8, AREA_PAGE = 4096 };

/* The mapping, or NULL. */
static void *area_pages(size_t size, int access, int flags, int file) {
  void *at = mmap(NULL, size, access, flags, file, 0);
  return at == MAP_FAILED ? NULL : at;
}

static void *area_private(size_t size) {
  return area_pages(size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

static bool area_map_code(Area *area) {
  int file = (int)syscall(SYS_memfd_create, "penumbra", 1u /* close on exec */);
  if (file < 0) return false;
  if (ftruncate(file, (off_t)area->size) == 0) {
    area->write =
        area_pages(area->size, PROT_READ | PROT_WRITE, MAP_SHARED, file);
    area->run = area_pages(area->size, PROT_READ | PROT_EXEC, MAP_SHARED, file);
  }
  close(file);
  return area->write && area->run;
}

/* A page that is zero in a child process. */
static bool area_map_mark(Area *area) {
  area->parent = area_private(AREA_PAGE);
  if (!area->parent || madvise(area->parent, AREA_PAGE, MADV_WIPEONFORK) != 0)
    return false;
  *area->parent = 1;
  return true;
}

bool area_map(Area *area, size_t size) {
  *area = (Area){.size = size, .data_size = size * AREA_DATA_PER_CODE};
  area->data = area_private(area->data_size);
  if (area->data && area_map_mark(area) && area_map_code(area)) return true;
  area_unmap(area);
  return false;
}

void area_unmap(Area *area) {
  if (area->write) munmap(area->write, area->size);
  if (area->run) munmap(area->run, area->size);
  if (area->data) munmap(area->data, area->data_size);
  if (area->parent) munmap(area->parent, AREA_PAGE);
  *area = (Area){0};
}

void *area_data(Area *area, size_t size) {
  size = size_round_up(size, sizeof(void *));
  if (area->data_size - area->data_used < size) return NULL;
  void *at = area->data + area->data_used;
  area->data_used += size;
  return at;
}

#else
typedef int AreaNotBuilt;
#endif
