/* SPDX-License-Identifier: MIT */
/*
** string_program.c -- the programs of patterns, kept for the next use
**
** Most patterns are constants that are used repeatedly.  The programs of short
** patterns are in memory that belongs to the state, in groups of four.  The
** length and both ends of a pattern determine its group.  Each program has a
** copy of its pattern's text, which is compared.  If none of the four is the
** program of the pattern, the oldest one is replaced.
**
** Long patterns are rare.  The last two of them are kept, in memory that is
** taken when the first one is used.  Still longer ones are read each time.
*/

#include <string.h>

#include "penumbra.h"
#include "state_impl.h"
#include "string_matcher.h"
#include "object/bytes.h"

enum {
  GROUPS = 6,
  GROUP_PROGRAMS = 4,
  PROGRAM_SIZE = sizeof(Program) + PROGRAM_NODES * sizeof(PatternNode),
  LONG_PROGRAMS = 2,
  LONG_TEXT = 255, /* the longest pattern that is kept */
  LONG_SIZE =
      sizeof(Program) + (LONG_TEXT + 1) * sizeof(PatternNode) + LONG_TEXT + 1,
  GROUP_SIZE = GROUP_PROGRAMS * PROGRAM_SIZE,
  ALL_SIZE = GROUPS * GROUP_SIZE,
  ALL_LONG_SIZE = LONG_PROGRAMS * LONG_SIZE
};
static_assert(LONG_SIZE % sizeof(void *) == 0, "programs are aligned");

void program_clear(Program *program, const unsigned short *classes) {
  program->next = program->pat;
  program->classes = classes;
  program->version++;
  program->begins = BEGINS_UNREAD;
  program->set_count = 0;
  program_nodes(program)->op = NODE_UNREAD;
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

/* The same for a pattern of any length: in pieces, because a budget may end.  An
** item across the end of a piece counts twice. */
static size_t long_nodes_at_most(lua_State *L, const char *pat,
                                 size_t pat_len) {
  enum { PIECE = 1 << 13 };
  size_t count = 1;
  for (; pat_len > PIECE; pat += PIECE, pat_len -= PIECE) {
    count += nodes_at_most(pat, PIECE);
    penumbra_spend(L, PIECE);
  }
  penumbra_spend(L, pat_len);
  return count + nodes_at_most(pat, pat_len);
}

Program *program_new(lua_State *L, const char *pat, size_t pat_len) {
  size_t nodes = long_nodes_at_most(L, pat, pat_len);
  nodes += nodes / (PROGRAM_PAID - 1) + 1;
  Program *program =
      lua_newuserdatauv(L, sizeof(Program) + nodes * sizeof(PatternNode), 0);
  program->version = 0;
  program->classes = NULL;
  program_begin(program, pat, pat_len);
  return program;
}

/* Memory that was never used is not a program. */
static inline bool program_is(const Program *program, const char *pat,
                              size_t pat_len) {
  if (!program->pat) return false;
  if ((size_t)(program->pat_end - program->pat) != pat_len) return false;
  return bytes_equal(program->pat, pat, pat_len);
}

/* The group of a pattern, by its length and both of its ends. */
static inline size_t group_of(const char *pat, size_t pat_len) {
  uint32_t sum = (uint32_t)pat_len;
  if (pat_len >= 4)
    sum += (uint32_t)(bytes_load_4(pat) + 31 * bytes_load_4(pat + pat_len - 4));
  else
    for (size_t i = 0; i < pat_len; i++) sum = 31 * sum + (unsigned char)pat[i];
  return (size_t)((uint64_t)(sum * UINT32_C(2654435769)) * GROUPS >> 32);
}

static inline Program *program_at(char *group, unsigned i) {
  return (Program *)(void *)(group + i * PROGRAM_SIZE);
}

static inline Program *long_at(char *all, unsigned i) {
  return (Program *)(void *)(all + i * LONG_SIZE);
}

/* Makes it the program of a pattern, of which `text` becomes a copy. */
static Program *program_set(Program *program, char *text, const char *pat,
                            size_t pat_len) {
  memcpy(text, pat, pat_len);
  text[pat_len] = '\0';
  program_begin(program, text, pat_len);
  return program;
}

/* The first of `count` programs says which is to be replaced next. */
static unsigned program_turn(Program *first, unsigned count) {
  const unsigned turn = first->turn;
  first->turn = (unsigned char)((turn + 1) % count);
  return turn;
}

/* Replaces the oldest program of the group. */
static Program *program_replace(char *group, const char *pat, size_t pat_len) {
  Program *program =
      program_at(group, program_turn(program_at(group, 0), GROUP_PROGRAMS));
  return program_set(program, program->text, pat, pat_len);
}

/* For a state that is closed. */
static void programs_free(lua_State *L) {
  const LibState *lib = lib_of(L);
  Heap *heap = &gc_of(L)->heap;
  if (lib->programs) heap_raw_free(heap, lib->programs, ALL_SIZE);
  if (lib->long_programs)
    heap_raw_free(heap, lib->long_programs, ALL_LONG_SIZE);
}

/* Memory for programs, initially zero, at *place. */
static char *program_space(lua_State *L, char **place, size_t size) {
  if (LIKELY(*place != NULL)) return *place;
  *place = heap_raw_allocate(&gc_of(L)->heap, size);
  if (!*place) return NULL;
  vm_of(L)->end_library = programs_free;
  return memset(*place, 0, size);
}

/* The same as program_find for a long pattern. */
static NO_INLINE Program *long_find(lua_State *L, const char *pat,
                                    size_t pat_len) {
  if (pat_len > LONG_TEXT) return NULL;
  char *all = program_space(L, &lib_of(L)->long_programs, ALL_LONG_SIZE);
  if (UNLIKELY(!all)) return NULL;
  for (unsigned i = 0; i < LONG_PROGRAMS; i++)
    if (program_is(long_at(all, i), pat, pat_len)) return long_at(all, i);
  Program *program = long_at(all, program_turn(long_at(all, 0), LONG_PROGRAMS));
  char *text = (char *)(program_nodes(program) + LONG_TEXT + 1);
  return program_set(program, text, pat, pat_len);
}

Program *program_find(lua_State *L, const char *pat, size_t pat_len) {
  if (pat_len > PROGRAM_TEXT) return long_find(L, pat, pat_len);
  char *all = program_space(L, &lib_of(L)->programs, ALL_SIZE);
  if (UNLIKELY(!all)) return NULL;
  char *group = all + group_of(pat, pat_len) * GROUP_SIZE;
  for (unsigned i = 0; i < GROUP_PROGRAMS; i++)
    if (program_is(program_at(group, i), pat, pat_len))
      return program_at(group, i);
  if (pat_len >= PROGRAM_NODES && nodes_at_most(pat, pat_len) > PROGRAM_NODES)
    return long_find(L, pat, pat_len);
  return program_replace(group, pat, pat_len);
}
