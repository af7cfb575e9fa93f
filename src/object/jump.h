/* SPDX-License-Identifier: MIT */
/*
** jump.h -- how an error leaves the functions between raising and catching
**
** There are two ways, and a library contains one of them: jump.c uses longjmp,
** and jump_throw.cpp a C++ exception, which runs the destructors on its way.
** So this header also compiles as C++ and depends on no other header of the
** project.  Only raise.c calls its functions; machine/machine.c asks which way
** it is.
*/
#ifndef PENUMBRA_OBJECT_JUMP_H
#define PENUMBRA_OBJECT_JUMP_H

typedef struct lua_State lua_State;

#ifdef __cplusplus
extern "C" {
#define JUMP_NORETURN [[noreturn]]
#else
#define JUMP_NORETURN _Noreturn
#endif

/* A protected call in progress; on the C stack of its raise_protect. */
typedef struct RaisePoint {
  struct RaisePoint *previous;
  void *target; /* of the jump */
  int status;
  lua_State *thread; /* that raised the error */
} RaisePoint;

typedef void RaiseBody(lua_State *L, void *data);

/* Calls body(L, data).  Returns when body returns, or after jump_to(point). */
void jump_catch(RaisePoint *point, lua_State *L, RaiseBody *body, void *data);

JUMP_NORETURN void jump_to(RaisePoint *point);

/* Not 0: a jump is an exception.  It ends the process if it meets code that the
** unwinder does not know. */
int jump_is_exception(void);

/* Only where a jump is an exception: a foreign exception has reached jump_catch
** and ends there.  Turns it into the error of that protected call. */
void raise_foreign(lua_State *L, RaisePoint *point, const char *message);

#ifdef __cplusplus
}
#endif

#endif
