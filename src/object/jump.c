/* SPDX-License-Identifier: MIT */
/*
** jump.c -- errors by longjmp
**
** The library for C++ hosts uses jump_throw.cpp instead.
*/
#include "object/jump.h"

#if !defined(PENUMBRA_EXCEPTIONS)

#include <setjmp.h>

/* Do not save signal masks where the system allows that. */
#if defined(__unix__) || defined(__APPLE__)
#define JUMP_SET(target)  _setjmp(target)
#define JUMP_BACK(target) _longjmp(target, 1)
#else
#define JUMP_SET(target)  setjmp(target)
#define JUMP_BACK(target) longjmp(target, 1)
#endif

void jump_catch(RaisePoint *point, lua_State *L, RaiseBody *body, void *data) {
  jmp_buf target;
  point->target = &target;
  if (JUMP_SET(target) == 0) body(L, data);
}

void jump_to(RaisePoint *point) {
  jmp_buf *target = point->target;
  JUMP_BACK(*target);
}

int jump_is_exception(void) { return 0; }

#endif
