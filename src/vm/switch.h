/* SPDX-License-Identifier: MIT */
/*
** switch.h -- coroutines between which the loop switches
**
** A resume that Lua code makes needs no C function and no other loop: the loop
** goes on with the frames of the coroutine, and at its yield or return with
** those of the thread that resumed it, its *resumer*.
**
**     thread      frames                            running
**     main        host  f  g  resume                no: "normal"
**     co          host  h  wrapped function         no: "normal"
**     other       host  i                           yes
**
** The frames are those that the C functions would have had, marked with
** FRAME_SWITCH, so that tracebacks and coroutine.status see no difference; only
** nobody calls the functions.
**
** Errors and yields from within C functions come as jumps.  They must not go
** past the loop, so the loop that switches is protected: by the *host*, which
** is set up once, when a loop meets its first resume, and not for each of them.
** While coroutines run in the loop, they all share the catcher of the host.
** What they throw ends there; the host finds out what becomes of it, and runs
** the loop again (coroutine.c).
**
** L->host_depth says where: as long as L->c_calls is the same, no C function is
** in between, and the loop that runs L is the one that has a host.  Likewise a
** coroutine can leave by switching if L->resumer is set and L->c_calls is what
** it was at the resume, L->resume_depth.
**
** Whatever is out of the ordinary is left to the C functions of the library,
** which use lua_resume: hooks, coroutines that begin with a C function or go on
** with a continuation, arguments for which there is no room, and errors.
*/
#ifndef PENUMBRA_VM_SWITCH_H
#define PENUMBRA_VM_SWITCH_H

#include "object/thread.h"

/* What a NativeFn returns if another thread runs now; the frame on top of L,
** which rests, has yet to be told how many results are wanted. */
enum { NATIVE_SWITCHED = -2 };

/* ... or if the instruction must be done again by a loop with a host. */
enum { NATIVE_NEEDS_HOST = -3 };

/* coroutine.resume and coroutine.yield, and a function made by coroutine.wrap,
** without a frame only. */
NativeFn switch_resume;
NativeFn switch_yield;
NativeFn switch_wrapped;

/* True if it is the last of these that `func` calls. */
static ALWAYS_INLINE bool switch_is_wrapped_call(const lua_State *L,
                                                 const Value *func) {
  return func->tag == TAG_C_CLOSURE && !L->hook_mask &&
         value_c_closure(func)->function == L->global->wrapped_function;
}

/* A frame with nothing special about it but FRAME_FRESH is about to return
** values: true if it was the last one of a coroutine in this loop, which is
** over then, its resumer running. */
bool switch_return(lua_State *L, const Value *first, int count);

/* The same when such a frame has been left. */
bool switch_back(lua_State *L);

/* The coroutine L does not run any more: forgets who resumed it. */
static ALWAYS_INLINE lua_State *switch_detach(lua_State *L) {
  lua_State *resumer = L->resumer;
  L->resumer = NULL;
  L->catcher = NULL;
  L->host_depth = 0;
  return resumer;
}

/* True if the values of a coroutine go to the caller of a wrapped function,
** and not to that of coroutine.resume, which gets `true` in front. */
static ALWAYS_INLINE bool switch_is_wrapped(const Frame *f) {
  return f->func->tag == TAG_C_CLOSURE;
}

#endif
