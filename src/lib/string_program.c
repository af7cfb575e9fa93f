/* SPDX-License-Identifier: MIT */
/*
** string_program.c -- the programs of patterns, kept for the next use
**
** Most patterns are constants that are used repeatedly.  The programs of short
** patterns are in memory that belongs to the state, in groups of four.  The
** length and both ends of a pattern determine its group.  Each program has a
** copy of its pattern's text, which is compared.  If none of the four is the
** program of the pattern, the oldest one is replaced.
*/

#include <string.h>

#include "object/thread.h"
#include "string_matcher.h"

enum {
  GROUPS = 6,
  GROUP_PROGRAMS = 4,
  PROGRAM_SIZE = sizeof(Program) + PROGRAM_NODES * sizeof(PatternNode)
};

void program_clear(Program *program, const unsigned short *classes) {
  program->next = program->pat;
  program->classes = classes;
  program->version++;
  program->begins = BEGINS_UNREAD;
  program->set_count = 0;
  program_nodes(program)->op = NODE_UNREAD;
}

static inline uint32_t load_4(const char *p) {
  uint32_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

static void program_begin(Program *program, const char *pat, size_t pat_len) {
  program->pat = pat;
  program->pat_end = pat + pat_len;
  program_clear(program, program->classes);
}

/* An upper bound for the nodes of a pattern, including the one at its end: an
** item is a character, or begins with a '%' and another character. */
static size_t nodes_at_most(const char *pat, size_t pat_len) {
  size_t count = 1;
  for (size_t i = 0; i < pat_len; i += pat[i] == '%' ? 2 : 1) count++;
  return count;
}

Program *program_new(lua_State *L, const char *pat, size_t pat_len) {
  size_t nodes = nodes_at_most(pat, pat_len);
  Program *program =
      lua_newuserdatauv(L, sizeof(Program) + nodes * sizeof(PatternNode), 0);
  program->version = 0;
  program->classes = NULL;
  program_begin(program, pat, pat_len);
  return program;
}

/* Memory that was never used is not a program.  The loop replaces a call of
** memcmp, which would take as long as the rest. */
static inline bool program_is(const Program *program, const char *pat,
                              size_t pat_len) {
  if (program->pat == NULL) return false;
  if ((size_t)(program->pat_end - program->pat) != pat_len) return false;
  size_t i = 0;
  for (; i + 4 <= pat_len; i += 4)
    if (load_4(program->text + i) != load_4(pat + i)) return false;
  for (; i < pat_len; i++)
    if (program->text[i] != pat[i]) return false;
  return true;
}

/* The group of a pattern, by its length and both of its ends. */
static inline size_t group_of(const char *pat, size_t pat_len) {
  uint32_t sum = (uint32_t)pat_len;
  if (pat_len >= 4)
    sum += load_4(pat) + 31 * load_4(pat + pat_len - 4);
  else
    for (size_t i = 0; i < pat_len; i++) sum = 31 * sum + (unsigned char)pat[i];
  return (size_t)((uint64_t)(sum * UINT32_C(2654435769)) * GROUPS >> 32);
}

static inline Program *program_at(char *group, unsigned i) {
  return (Program *)(void *)(group + i * PROGRAM_SIZE);
}

/* Replaces the oldest program of the group. */
static Program *program_replace(char *group, const char *pat, size_t pat_len) {
  Program *first = program_at(group, 0);
  Program *program = program_at(group, first->turn);
  first->turn = (unsigned char)((first->turn + 1) % GROUP_PROGRAMS);
  memcpy(program->text, pat, pat_len);
  program->text[pat_len] = '\0';
  program_begin(program, program->text, pat_len);
  return program;
}

/* The memory of all programs, initially zero. */
static char *program_space(Global *g, size_t size) {
  if (LIKELY(g->pattern_space != NULL)) return g->pattern_space;
  g->pattern_space = heap_raw_allocate(&g->gc.heap, size);
  if (g->pattern_space == NULL) return NULL;
  memset(g->pattern_space, 0, size);
  g->pattern_space_size = size;
  return g->pattern_space;
}

Program *program_find(lua_State *L, const char *pat, size_t pat_len) {
  enum { GROUP_SIZE = GROUP_PROGRAMS * PROGRAM_SIZE };
  if (pat_len > PROGRAM_TEXT) return NULL;
  char *all = program_space(L->global, GROUPS * GROUP_SIZE);
  if (UNLIKELY(all == NULL)) return NULL;
  char *group = all + group_of(pat, pat_len) * GROUP_SIZE;
  for (unsigned i = 0; i < GROUP_PROGRAMS; i++)
    if (program_is(program_at(group, i), pat, pat_len))
      return program_at(group, i);
  if (nodes_at_most(pat, pat_len) > PROGRAM_NODES) return NULL;
  return program_replace(group, pat, pat_len);
}
