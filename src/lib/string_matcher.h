/* SPDX-License-Identifier: MIT */
/*
** string_matcher.h -- Lua patterns, tried at one place of a subject
**
** A pattern is interpreted as it is; nothing is compiled.  Alternatives are
** explored by recursion, whose depth is limited, so that no pattern can
** overflow the C stack.
*/

#ifndef PENUMBRA_STRING_MATCHER_H
#define PENUMBRA_STRING_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lua.h"

enum {
  MATCH_CAPTURES = 32, /* most captures in a pattern */
  MATCH_DEPTH = 200    /* most nested calls of the matcher */
};

enum {
  CAPTURE_OPEN = -1,    /* the length of a capture not closed */
  CAPTURE_POSITION = -2 /* the length of a capture of a position */
};

typedef struct Matcher {
  lua_State *L;
  const char *src; /* the subject */
  const char *src_end;
  const char *pat; /* the pattern, without its anchor */
  const char *pat_end;
  const unsigned short *classes; /* see class_has */
  int first_char; /* what every match begins with, or -1 */
  int calls;      /* of matcher_next_start, up to the third */
  const char *first_item; /* the same as a class or set */
  const char *first_item_end; /* NULL: there is none */
  bool first_repeats;     /* see matcher_leave_run */
  const char *failed;     /* where the last trial failed, or NULL */
  int depth;      /* calls still allowed */
  int level;      /* captures so far, open or closed */
  uint32_t open;  /* a bit for each that is open */
  struct {
    const char *start;
    ptrdiff_t len; /* if it is closed */
  } capture[MATCH_CAPTURES];
} Matcher;

static inline ptrdiff_t matcher_capture_len(const Matcher *m, int i) {
  return m->open >> i & 1 ? CAPTURE_OPEN : m->capture[i].len;
}

/* Prepares for matches of the pattern at pat in the subject at src. */
void matcher_init(Matcher *m, lua_State *L, const char *src, size_t src_len,
                  const char *pat, size_t pat_len);

/* The program had its turn: it may have changed the locale. */
void matcher_resume(Matcher *m);

/* The end of a match that begins at s, or NULL. */
const char *matcher_try(Matcher *m, const char *s);

/* The first place from s on where a match could begin; NULL if there is none
** at all. */
const char *matcher_next_start(Matcher *m, const char *s);

/* Pushes capture number i of a match from s to e; number 0 of a pattern
** without captures is the whole match. */
void matcher_push_capture(Matcher *m, int i, const char *s, const char *e);

/* Pushes all captures, or the whole match if there are none and s is not
** NULL; returns how many. */
int matcher_push_captures(Matcher *m, const char *s, const char *e);

#endif
