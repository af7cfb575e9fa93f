/* SPDX-License-Identifier: MIT */
/*
** map.c -- names of pieces, for perf
**
** perf reads them from the file /tmp/perf-PID.map.  It is written only if the
** environment asks for it.
*/
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "machine/piece_impl.h"
#if MACHINE_WORKS

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_LINE = 256, MAP_NAME = 120, MAP_NONE = -1, MAP_REFUSED = -2 };

/* A link that somebody else has put there is left alone. */
static void map_open(Machine *m) {
  char name[MAP_LINE];
  snprintf(name, sizeof name, "/tmp/perf-%ld.map", (long)getpid());
  m->map = open(name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                S_IRUSR | S_IWUSR);
  if (m->map < 0) m->map = MAP_REFUSED;
}

/* The name of the file, or the first line of a program that is in no file. */
static int map_source(const Proto *p, const char **text) {
  *text = p->source ? string_bytes(p->source) : "?";
  if (**text == '@' || **text == '=') ++*text;
  return (int)size_min(strcspn(*text, "\n"), MAP_NAME);
}

void map_piece(Machine *m, const Proto *p, uint32_t pc, const uint8_t *start,
               const uint8_t *end) {
  char line[MAP_LINE];
  const char *source;
  if (!(m->settings & MACHINE_PERF)) return;
  if (m->map == MAP_NONE) map_open(m);
  if (m->map < 0) return;
  int length = map_source(p, &source);
  const uint8_t *run = m->area.run + (start - m->area.write);
  int size = snprintf(line, sizeof line, "%llx %zx lua %.*s:%d, line %d\n",
                      (unsigned long long)(uintptr_t)run, (size_t)(end - start),
                      length, source, (int)p->first_line, proto_line(p, pc));
  if (write(m->map, line, (size_t)size) != size) map_close(m);
}

void map_close(Machine *m) {
  if (m->map >= 0) close(m->map);
  m->map = MAP_REFUSED;
}

#else
typedef int MapNotBuilt;
#endif
