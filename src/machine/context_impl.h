/* SPDX-License-Identifier: MIT */
/*
** context_impl.h -- what is known when control gets to a place in the code
**
** A context says which tags the slots of Lua registers have, and which of them
** are in machine registers as well.  A Lua register has one home for integers
** and references, and one for floats: those with its number modulo the number of
** homes.  So a loop finds at its start what it left there at its end.
*/
#ifndef PENUMBRA_MACHINE_CONTEXT_IMPL_H
#define PENUMBRA_MACHINE_CONTEXT_IMPL_H

#include <string.h>

#include "bytecode/bytecode.h"
#include "machine/assembler.h"

enum { TAG_UNKNOWN = 0xff, HOME_EMPTY = 0xff };

typedef struct Context {
  uint8_t whole[WHOLE_HOMES]; /* the Lua register in each, or HOME_EMPTY */
  uint8_t floats[FLOAT_HOMES];
  uint8_t tag[CODE_MAX_REGISTERS + 1]; /* or TAG_UNKNOWN */
} Context;

/* The same with the tags of a function's registers only. */
typedef struct Snapshot {
  uint8_t whole[WHOLE_HOMES];
  uint8_t floats[FLOAT_HOMES];
  uint8_t tag[];
} Snapshot;

static inline unsigned home_of_whole(unsigned reg) { return reg % WHOLE_HOMES; }
static inline unsigned home_of_float(unsigned reg) { return reg % FLOAT_HOMES; }

static inline void context_forget_homes(Context *c) {
  memset(c->whole, HOME_EMPTY, sizeof c->whole);
  memset(c->floats, HOME_EMPTY, sizeof c->floats);
}

/* Nothing is known. */
static inline void context_clear(Context *c) {
  context_forget_homes(c);
  memset(c->tag, TAG_UNKNOWN, sizeof c->tag);
}

static inline void context_forget(Context *c, unsigned reg) {
  unsigned w = home_of_whole(reg), f = home_of_float(reg);
  if (c->whole[w] == reg) c->whole[w] = HOME_EMPTY;
  if (c->floats[f] == reg) c->floats[f] = HOME_EMPTY;
  c->tag[reg] = TAG_UNKNOWN;
}

static inline void context_forget_from(Context *c, unsigned reg) {
  for (; reg < CODE_MAX_REGISTERS; reg++) context_forget(c, reg);
}

static inline size_t snapshot_size(unsigned registers) {
  return sizeof(Snapshot) + registers;
}
static inline void snapshot_take(Snapshot *s, const Context *c,
                                 unsigned registers) {
  memcpy(s, c, snapshot_size(registers));
}
static inline void snapshot_restore(const Snapshot *s, Context *c,
                                    unsigned registers) {
  context_clear(c);
  memcpy(c, s, snapshot_size(registers));
}

/* True if the same tags are known, and with `homes`, in the same places. */
static inline bool snapshot_equals(const Snapshot *s, const Context *c,
                                   unsigned registers, bool homes) {
  if (memcmp(s->tag, c->tag, registers) != 0) return false;
  return !homes || memcmp(s, c, sizeof(Snapshot)) == 0;
}

/* The number of tags that the snapshot knows; -1 if the context does not know
** one of them. */
static inline int snapshot_fits(const Snapshot *s, const Context *c,
                                unsigned registers) {
  int known = 0;
  for (unsigned r = 0; r < registers; r++) {
    if (s->tag[r] == TAG_UNKNOWN) continue;
    if (s->tag[r] != c->tag[r]) return -1;
    known++;
  }
  return known;
}

#endif
