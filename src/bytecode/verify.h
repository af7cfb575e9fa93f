/* SPDX-License-Identifier: MIT */
/*
** verify.h -- is it safe to run this code?
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_H
#define PENUMBRA_BYTECODE_VERIFY_H

#include "object/function.h"
#include "object/part.h"

/* Memory for the verifier, reused for many functions.  It is anchored on the
** stack, so an error leaks nothing. */
typedef struct VerifyRoom {
  Box *words, *states;
} VerifyRoom;

/* Allocates the room in two stack slots.  Raises if there is no memory. */
void verify_begin(lua_State *L, VerifyRoom *room);

/* Frees the room and pops its two slots. */
void verify_end(lua_State *L, VerifyRoom *room);

/* Returns NULL if it is safe to run the function; docs/verifier.md says what is
** proven.  Otherwise returns what is wrong, and sets `pc` to the place.  Of
** nested functions, only the upvalues are checked.  Time and memory are in
** proportion to the code.  Raises if there is no memory. */
const char *verify_in(lua_State *L, const VerifyRoom *room, const Proto *p,
                      size_t *pc);

/* The same, with room that is allocated and freed here. */
const char *verify_proto(lua_State *L, const Proto *p, size_t *pc);

#endif
