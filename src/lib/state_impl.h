/* SPDX-License-Identifier: MIT */
/*
** state_impl.h -- what the libraries keep in a state
*/
#ifndef PENUMBRA_LIB_STATE_IMPL_H
#define PENUMBRA_LIB_STATE_IMPL_H

#include "vm/state.h"

/* Lists with functions that machine code may call. */
enum { LIB_OPENED = 5 };

typedef struct LibState {
  uint64_t random[4];  /* the generator: math_random.c */
  char *programs;      /* of patterns: string_program.c; NULL: none */
  char *long_programs; /* ... of long patterns */
  const struct Native *opened[LIB_OPENED]; /* lists: declare.c; then NULL */
} LibState;
static_assert(sizeof(LibState) <= sizeof(((VmState *)0)->library), "fits in");

static ALWAYS_INLINE LibState *lib_of(const lua_State *L) {
  return (LibState *)(void *)vm_of(L)->library;
}

#endif
