/* SPDX-License-Identifier: MIT */
/*
** switch.h -- coroutines and protected calls within the loop
**
** A resume from Lua code needs no C function and no other loop.  The loop
** continues with the frames of the coroutine.  At a yield or return it
** continues with the frames of the thread that resumed it, its *resumer*.
**
**     thread      frames                            running
**     main        host  f  g  resume                no: "normal"
**     co          host  h  wrapped function         no: "normal"
**     other       host  i                           yes
**
** The C functions `resume` and the wrapped function are not really called.  But
** they have the same frames as after a call, marked with FRAME_SWITCH, so that
** tracebacks and coroutine.status see no difference.
**
** Errors, and yields from within C functions, are jumps.  They must not leave
** the loop, so a loop that switches is protected by a *host*.  The host is set
** up once, at the first resume in a loop.  All coroutines that run in the loop
** share the catcher of the host.  Their jumps end there.  The host handles the
** error or yield, and runs the loop again (coroutine.c).
**
** pcall and xpcall work in the same way.  Their frame stays below that of the
** function they call, which the loop runs.  An error ends at the host, which
** finds the frame by its FRAME_PCALL.
**
** L->host_depth is the value of thread_c_depth in a loop with a host.  As long
** as the two are equal, no C function is in between, and the loop that runs L
** has a host.  Similarly, a coroutine can yield or return by switching if
** L->resumer is set and thread_c_depth is the same as at the resume,
** L->resume_depth.  Each pcall adds one to L->c_calls, as if it used the C
** stack, so that the limit of nested calls stays the same.
**
** All other cases are left to the C functions of the library, which use
** lua_resume: hooks, coroutines that start with a C function or continue with a
** continuation, arguments for which there is no room, and errors.
*/
#ifndef PENUMBRA_VM_SWITCH_H
#define PENUMBRA_VM_SWITCH_H

#include "vm/state.h"

/* The result of a NativeFn after a switch: another thread runs now.  The caller
** must still set `wanted` in the frame on top of L, which rests. */
enum { NATIVE_SWITCHED = -2 };

/* The result of a NativeFn if a loop with a host must execute the instruction
** again. */
enum { NATIVE_NEEDS_HOST = -3 };

/* coroutine.resume, coroutine.yield, and a function made by coroutine.wrap.
** Always called without a frame. */
NativeFn switch_resume;
NativeFn switch_yield;
NativeFn switch_wrapped;

/* pcall and xpcall.  Always called without a frame. */
NativeFn switch_pcall;
NativeFn switch_xpcall;

/* A Lua function has returned to the frame of pcall or xpcall that is now the
** running one; its results are in the place of the function.  Returns from that
** frame as well. */
void switch_end_pcall(lua_State *L);

/* True if `func` is a function made by coroutine.wrap, and there are no
** hooks. */
static ALWAYS_INLINE bool switch_is_wrapped_call(const lua_State *L,
                                                 const Value *func) {
  return func->tag == TAG_C_CLOSURE && !L->hook_mask &&
         value_c_closure(func)->function == vm_of(L)->wrapped_function;
}

/* Tries to return the `count` values at `first` from a frame whose only special
** flag is FRAME_FRESH.  True if it was the last frame of a coroutine in this
** loop.  Then the coroutine has ended, and its resumer runs. */
bool switch_return(lua_State *L, const Value *first, int count);

/* Like switch_return, after such a frame has returned. */
bool switch_back(lua_State *L);

/* Attaches the coroutine to its resumer, which runs in a loop with a host. */
static ALWAYS_INLINE void switch_attach(lua_State *co, lua_State *resumer) {
  co->resumer = resumer;
  co->catcher = resumer->catcher;
  co->resume_depth = co->host_depth = (uint16_t)(resumer->c_calls + 1);
  co->c_calls = (uint16_t)(co->resume_depth + co->pcalls);
  co->no_yield = 0;
}

/* Detaches the coroutine L from its resumer, and returns the resumer. */
static ALWAYS_INLINE lua_State *switch_detach(lua_State *L) {
  lua_State *resumer = L->resumer;
  L->resumer = NULL;
  L->catcher = NULL;
  L->host_depth = 0;
  return resumer;
}

/* True if `f` is the frame of a wrapped function.  False for coroutine.resume,
** which returns `true` before the values of the coroutine. */
static ALWAYS_INLINE bool switch_is_wrapped(const Frame *f) {
  return f->func->tag == TAG_C_CLOSURE;
}

#endif
