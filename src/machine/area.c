/* SPDX-License-Identifier: MIT */
/*
** area.c -- the memory of machine code, from the system
*/
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mremap */
#endif

#include "machine/area_impl.h"
#if MACHINE_WORKS

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { AREA_PAGE = 4096 };

/* The mapping, or NULL. */
static void *area_pages(size_t size, int access, int flags, int file) {
  void *at = mmap(NULL, size, access, flags, file, 0);
  return at == MAP_FAILED ? NULL : at;
}

static void *area_private(size_t size) {
  return area_pages(size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

/* A file that grows beyond this limit would kill the process by a signal. */
static bool area_file_may_have(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size);
}

static const char *area_map_file(Area *area, int file) {
  if (!area_file_may_have(area->most) ||
      ftruncate(file, (off_t)area->most) != 0)
    return "the system refuses a file in memory of that size";
  area->write =
      area_pages(area->most, PROT_READ | PROT_WRITE, MAP_SHARED, file);
  if (!area->write) return "the system refuses memory for code";
  area->run = area_pages(area->most, PROT_READ | PROT_EXEC, MAP_SHARED, file);
  return area->run ? NULL : "the system refuses memory that can be executed";
}

static const char *area_map_code(Area *area) {
  int file = (int)syscall(SYS_memfd_create, "penumbra", 1u /* close on exec */);
  if (file < 0) return "the system refuses a file in memory (memfd_create)";
  const char *refused = area_map_file(area, file);
  close(file);
  return refused;
}

/* A page that is zero in a child process. */
static bool area_map_mark(Area *area) {
  area->parent = area_private(AREA_PAGE);
  if (!area->parent || madvise(area->parent, AREA_PAGE, MADV_WIPEONFORK) != 0)
    return false;
  *area->parent = 1;
  return true;
}

/* perf looks for the names of code only in memory without a file. */
static const char *area_map_for_perf(Area *area) {
  area->write = area_pages(area->most, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1);
  if (!area->write) return "the system refuses memory for code";
  void *again = mremap(area->write, 0, area->most, MREMAP_MAYMOVE);
  if (again == MAP_FAILED) return "the system refuses to map code again";
  area->run = again;
  return mprotect(again, area->most, PROT_READ | PROT_EXEC) == 0
             ? NULL
             : "the system refuses memory that can be executed";
}

const char *area_map(Area *area, size_t most, bool for_perf) {
  const char *refused = "the system refuses memory to describe code";
  *area = (Area){.most = most};
  area->data = area_private(most * AREA_DATA_PER_CODE);
  if (area->data && area_map_mark(area))
    refused = for_perf ? area_map_for_perf(area) : area_map_code(area);
  if (refused) area_unmap(area);
  return refused;
}

void area_unmap(Area *area) {
  if (area->write) munmap(area->write, area->most);
  if (area->run) munmap(area->run, area->most);
  if (area->data) munmap(area->data, area->most * AREA_DATA_PER_CODE);
  if (area->parent) munmap(area->parent, AREA_PAGE);
  *area = (Area){0};
}

bool area_grow(Area *area) {
  if (area->size >= area->most) return false;
  area->size += AREA_CHUNK;
  area->data_size += (size_t)AREA_CHUNK * AREA_DATA_PER_CODE;
  return true;
}

void *area_data(Area *area, size_t size) {
  size = size_round_up(size, sizeof(void *));
  if (area->data_size - area->data_used < size) return NULL;
  void *at = area->data + area->data_used;
  area->data_used += size;
  return memset(at, 0, size);
}

#else
typedef int AreaNotBuilt;
#endif
