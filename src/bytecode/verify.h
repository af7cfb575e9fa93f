/* SPDX-License-Identifier: MIT */
/*
** verify.h -- is it safe to run this code?
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_H
#define PENUMBRA_BYTECODE_VERIFY_H

#include "object/function.h"
#include "object/part.h"

/* The target of a jump backward, except those of `for` loops.  The registers
** from `lost` on are lost in the loop.  This is a hint.  A wrong hint never
** makes the verifier accept bad code.  A missing head, or a `lost` that is too
** small, makes it refuse good code.  A `lost` that is too large costs time. */
typedef struct LoopHead {
  uint32_t pc, lost;
} LoopHead;

enum { LOOP_LOSES_NONE = 256 };

/* Calls the function for each jump backward, in order. */
typedef void LoopHeadFn(void *context, LoopHead head);
void verify_each_head(const Proto *p, LoopHeadFn *f, void *context);

/* Memory for the verifier, reused for many functions.  It is anchored on the
** stack, so an error leaks nothing. */
typedef struct VerifyScratch {
  Box *words, *states, *heads;
  uint32_t head_count; /* of the function that is verified next */
  uint64_t visits;     /* words that may be visited again, in all functions */
} VerifyScratch;

/* A chunk may visit so many words again, and so many for each word it has. */
enum { REVISITS = 1 << 14, REVISITS_PER_WORD = 4 };

/* Allocates the memory, and anchors it in three stack slots.  Raises if there
** is no memory. */
void verify_begin(lua_State *L, VerifyScratch *scratch);

/* Adds a LoopHead for the function that is verified next.  Raises if there is no
** memory. */
void verify_add_head(lua_State *L, VerifyScratch *scratch, LoopHead head);

/* Frees the memory and pops the slots. */
void verify_end(lua_State *L);

/* Adds the heads of all loops of the function that is verified next. */
void verify_add_heads(lua_State *L, VerifyScratch *scratch, const Proto *p);

/* Returns NULL if it is safe to run the function; docs/verifier.md says what is
** proven.  Otherwise returns what is wrong, and sets `pc` to the place.  Of
** nested functions, only the upvalues are checked.  Time and memory are in
** proportion to the code.  Raises if there is no memory. */
const char *verify_in(lua_State *L, VerifyScratch *scratch, const Proto *p,
                      size_t *pc);

/* Like verify_in, for a function without hints: finds the heads of loops
** itself, and has memory of its own. */
const char *verify_proto(lua_State *L, const Proto *p, size_t *pc);

#endif
