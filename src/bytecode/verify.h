/* SPDX-License-Identifier: MIT */
/*
** verify.h -- is it safe to run this code?
*/
#ifndef PENUMBRA_BYTECODE_VERIFY_H
#define PENUMBRA_BYTECODE_VERIFY_H

#include "object/function.h"
#include "object/part.h"

/* Room to work in, which serves for many functions.  It is on the stack, so
** that errors leave nothing behind. */
typedef struct VerifyRoom {
  Box *words, *states;
} VerifyRoom;

/* Pushes the room, two slots; raises if there is no memory. */
void verify_begin(lua_State *L, VerifyRoom *room);

/* Pops it: the stack is as it was at the beginning. */
void verify_end(lua_State *L, VerifyRoom *room);

/* NULL if the machine can run the function: see docs/verifier.md for what is
** proven.  Otherwise what is wrong, and where in `pc`.  The nested functions
** are looked at only as far as closures of them are made.  Takes time and
** memory in proportion to the code; raises if there is no memory. */
const char *verify_in(lua_State *L, const VerifyRoom *room, const Proto *p,
                      size_t *pc);

/* The same with room of its own. */
const char *verify_proto(lua_State *L, const Proto *p, size_t *pc);

#endif
