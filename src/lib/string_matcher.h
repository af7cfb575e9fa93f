/* SPDX-License-Identifier: MIT */
/*
** string_matcher.h -- Lua patterns, tried at one place of a subject
**
** A pattern is read into a program: a node for each item, as far as matches
** get.  Alternatives are explored by recursion.  Its depth is limited, so that
** no pattern can overflow the C stack.
*/

#ifndef PENUMBRA_STRING_MATCHER_H
#define PENUMBRA_STRING_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lua.h"

enum {
  MATCH_CAPTURES = 32, /* most captures in a pattern */
  MATCH_DEPTH = 200,   /* most nested calls of the matcher */
  PROGRAM_SETS = 4,    /* whose contents are cached */
  PROGRAM_TEXT = 96,   /* longer patterns are long, */
  PROGRAM_NODES = 64,  /* ... and so are those of more nodes */
  PROGRAM_PAID = 32,   /* nodes of a very long one that are paid for together */
  SET_PART = 64        /* characters */
};

enum {
  CAPTURE_OPEN = -1,    /* the length of a capture not closed */
  CAPTURE_POSITION = -2 /* the length of a capture of a position */
};

/* The operation of a node. */
typedef enum NodeOp {
  NODE_UNREAD,   /* the item has not been read yet */
  NODE_END,      /* of the pattern */
  NODE_ONE,      /* a character */
  NODE_SOME,     /* + */
  NODE_MOST,     /* * */
  NODE_FEWEST,   /* - */
  NODE_OPTIONAL, /* ? */
  NODE_OPEN,     /* ( */
  NODE_CLOSE,    /* ) */
  NODE_POSITION, /* () */
  NODE_AT_END,   /* $ */
  NODE_BALANCED, /* %b */
  NODE_FRONTIER, /* %f */
  NODE_CAPTURED, /* %1 */
  NODE_PAY       /* no item: pays for the nodes before it */
} NodeOp;

/* The characters that a node matches. */
typedef enum NodeKind {
  KIND_CHAR,
  KIND_NOT_CHAR,
  KIND_ANY,
  KIND_CLASS,
  KIND_OTHERS, /* all but a class */
  KIND_SET
} NodeKind;

/* What follows a repeated node. */
typedef enum NodeAhead {
  AHEAD_UNREAD,   /* not known yet */
  AHEAD_NOTHING,  /* it is the last node */
  AHEAD_ANYTHING, /* no restriction */
  AHEAD_AT_END,   /* the end of the subject */
  AHEAD_NODE,     /* a match of the node at `distance` */
  AHEAD_APART     /* the same, and that node excludes this one */
} NodeAhead;

/* The known contents of a set: each character is looked up in the pattern
** once. */
typedef struct SetPart {
  uint64_t known;
  uint64_t members;
} SetPart;

typedef struct SetMemory {
  SetPart part[256 / SET_PART];
} SetMemory;

typedef struct PatternNode {
  unsigned char op;       /* NodeOp */
  unsigned char kind;     /* NodeKind */
  unsigned char ahead;    /* NodeAhead */
  unsigned char distance; /* distance to the node ahead */
  unsigned char letter;   /* of the class */
  unsigned char set;      /* index of the set, or PROGRAM_SETS */
  unsigned short value;   /* the character or the class */
  uint32_t from, last;    /* a set, or the characters of %b */
} PatternNode;

/* What is known about the place where a match begins. */
typedef enum Begins {
  BEGINS_UNREAD, /* nothing yet */
  BEGINS_ANYHOW, /* it may be anywhere */
  BEGINS_NODE,   /* `first` matches there */
  BEGINS_RUN     /* the same, see matcher_leave_run */
} Begins;

/* A pattern that has been read, up to `next`.  The nodes follow the struct. */
typedef struct Program {
  const char *pat; /* a copy of the pattern, or the pattern itself */
  const char *pat_end;
  const char *next;
  const unsigned short *classes; /* when it was read */
  PatternNode *first;            /* see Begins */
  uint32_t version;              /* changes when it is replaced or cleared */
  unsigned char begins;          /* Begins */
  unsigned char set_count;
  unsigned char turn;          /* to be replaced next, see string_program.c */
  char text[PROGRAM_TEXT + 1]; /* with a terminating zero */
  SetMemory set[PROGRAM_SETS];
} Program;

static inline PatternNode *program_nodes(Program *program) {
  return (PatternNode *)(void *)(program + 1);
}

typedef struct Matcher {
  lua_State *L;
  const char *src; /* the subject */
  const char *src_end;
  const char *pat; /* the pattern, without its anchor */
  size_t pat_len;
  Program *program;
  const unsigned short *classes; /* see class_has */
  const char *failed;            /* where the last attempt failed, or NULL */
  uint32_t version;              /* of the program */
  bool own;                      /* the program is not shared */
  int level;                     /* number of captures, open or closed */
  int depth;      /* calls still allowed; placed here, because its neighbors are
                  ** stored separately and must not be loaded together */
  int step_units; /* cost of a step */
  int64_t *fuel;  /* of the budget; without one, there is no end to it */
  uint32_t open;  /* a bit for each open capture */
  struct {
    const char *start;
    ptrdiff_t len; /* if it is closed */
  } capture[MATCH_CAPTURES];
} Matcher;

static inline ptrdiff_t matcher_capture_len(const Matcher *m, int i) {
  return m->open >> i & 1 ? CAPTURE_OPEN : m->capture[i].len;
}

/* -- string_program.c ------------------------------------------------------ */

/* The shared program of a pattern, valid until the next call.  NULL if the
** pattern is too long or there is no memory.  The latter can only happen before
** the first program has been found. */
Program *program_find(lua_State *L, const char *pat, size_t pat_len);

/* A program of its own, in a userdata that is pushed.  The pattern must stay
** alive. */
Program *program_new(lua_State *L, const char *pat, size_t pat_len);

/* Forgets the nodes that were read. */
void program_clear(Program *program, const unsigned short *classes);

/* -- string_matcher.c ------------------------------------------------------ */

/* Prepares for matches of the pattern at pat in the subject at src.  If the
** pattern is long, a userdata is pushed, which must stay there. */
void matcher_init(Matcher *m, lua_State *L, const char *src, size_t src_len,
                  const char *pat, size_t pat_len);

/* Call after other functions have run: the locale may have changed, and the
** pattern's program may have been replaced. */
void matcher_resume(Matcher *m);

/* The end of a match that begins at s, or NULL. */
const char *matcher_try(Matcher *m, const char *s);

/* The first place from s on where a match could begin; NULL if there is
** none. */
const char *matcher_next_start(Matcher *m, const char *s);

/* Pushes capture number i of a match from s to e; number 0 of a pattern
** without captures is the whole match. */
void matcher_push_capture(Matcher *m, int i, const char *s, const char *e);

/* Pushes all captures, or the whole match if there are none and s is not NULL;
** returns their number. */
int matcher_push_captures(Matcher *m, const char *s, const char *e);

#endif
