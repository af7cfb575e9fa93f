/* SPDX-License-Identifier: MIT */
/*
** string_program.c -- the programs of patterns, kept for the next use
**
** Most patterns are constants that are used again and again.  The programs of
** short ones are in memory that belongs to the state, in pairs: the address of
** a pattern decides which pair is its own, and its text, of which the program
** has a copy, whether one of the two is its program.  If not, the one that has
** been there for longer begins anew.
*/

#include <string.h>

#include "penumbra.h"
#include "string_matcher.h"

enum {
  PROGRAM_PAIRS = 16,
  PROGRAM_SIZE = sizeof(Program) + (PROGRAM_TEXT + 1) * sizeof(PatternNode)
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

Program *program_new(lua_State *L, const char *pat, size_t pat_len) {
  Program *program = lua_newuserdatauv(
      L, sizeof(Program) + (pat_len + 1) * sizeof(PatternNode), 0);
  program->version = 0;
  program->classes = NULL;
  program_begin(program, pat, pat_len);
  return program;
}

/* Memory that was never used is no program.  A call of memcmp would take as
** long as the rest. */
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

Program *program_find(lua_State *L, const char *pat, size_t pat_len) {
  enum { ALL_SIZE = 2 * PROGRAM_PAIRS * PROGRAM_SIZE };
  if (pat_len > PROGRAM_TEXT) return NULL;
  char *all = penumbra_patternspace(L, ALL_SIZE);
  if (luai_unlikely(all == NULL)) return NULL;
  const size_t pair = ((uintptr_t)pat >> 4 ^ (uintptr_t)pat >> 9) %
                      PROGRAM_PAIRS;
  char *place = all + pair * 2 * PROGRAM_SIZE;
  Program *first = (Program *)(void *)place;
  Program *second = (Program *)(void *)(place + PROGRAM_SIZE);
  if (program_is(first, pat, pat_len)) return first;
  if (program_is(second, pat, pat_len)) return second;
  first->turn ^= 1;
  Program *program = first->turn ? first : second;
  memcpy(program->text, pat, pat_len);
  program->text[pat_len] = '\0';
  program_begin(program, program->text, pat_len);
  return program;
}
