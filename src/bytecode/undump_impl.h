/* SPDX-License-Identifier: MIT */
/*
** undump_impl.h -- what the readers of binary chunks share: undump.c, luac.c
*/
#ifndef PENUMBRA_BYTECODE_UNDUMP_IMPL_H
#define PENUMBRA_BYTECODE_UNDUMP_IMPL_H

#include "bytecode/bytecode.h"
#include "bytecode/stream.h"
#include "bytecode/verify.h"
#include "object/function.h"
#include "object/thread.h"

typedef struct Undump {
  lua_State *L;
  Stream *stream;
  const char *name;
  int depth; /* nesting of functions */
  VerifyScratch scratch;
  uint64_t slots_left; /* for templates of this function, beyond their items */
} Undump;

enum {
  UNDUMP_DEPTH = C_CALLS_MAX, /* the limit of the compiler */
  UNDUMP_PIECE = 1 << 16      /* bytes allocated before they have arrived */
};

_Noreturn void undump_error(Undump *u, const char *why);

void undump_bytes(Undump *u, void *to, size_t size);
unsigned undump_byte(Undump *u);

/* Reads a number of the machine's own format. */
void undump_integer(Undump *u, Value *v);
void undump_float(Undump *u, Value *v);

/* Stores the string that has been read into a constant of p.  NULL is refused. */
void undump_set_string(Undump *u, Proto *p, Value *v, String *s);

/* Reads a string of `length` bytes.  The caller must anchor it before the next
** allocation. */
String *undump_text(Undump *u, size_t length);

/* Reads `count` elements into the vector `field` of `owner`, which grows as the
** elements arrive. */
void undump_vector(Undump *u, Cell *owner, void **field, size_t size,
                   size_t count);
#define UNDUMP_VECTOR(u, p, field, count)                                    \
  undump_vector((u), &(p)->cell, (void **)(void *)&(field), sizeof *(field), \
                (count))

/* Makes room for element `i` of a vector that will have `count` elements. */
#define UNDUMP_RESERVE(u, p, field, i, count)                         \
  do {                                                                \
    size_t capacity = vector_capacity(field);                         \
    if (UNLIKELY((i) >= capacity))                                    \
      VECTOR_RESIZE((u)->L, (p), (field),                             \
                    size_min(size_max(2 * capacity, 1024), (count))); \
  } while (0)

/* Adds a nested function, empty so far, as number i of `count`. */
Proto *undump_new_nested(Undump *u, Proto *p, uint32_t i, uint32_t count);

/* The ends of the variables that are active at the start of the next one.  The
** number of a variable is that of its register, so there can be no more of them
** than registers.  Scopes are nested: what ends first is on top.  If a forged
** chunk does not keep to this, variables count for too long. */
typedef struct ActiveLocals {
  unsigned count;
  int32_t last; /* where the last one started */
  int32_t end[CODE_MAX_REGISTERS];
} ActiveLocals;

/* Refuses a variable that is out of range, or one too many.  Call it for each of
** them in order, with a count and a last start of 0 at first. */
void undump_check_local(Undump *u, const Proto *p, ActiveLocals *active,
                        const LocalInfo *local);

/* Refuses the function if it is not safe to run it.  All of it has been read. */
void undump_verify(Undump *u, const Proto *p);

#endif
