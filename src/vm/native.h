/* SPDX-License-Identifier: MIT */
/*
** native.h -- functions of the libraries that can run without a frame
**
** A NativeFn finds its arguments in args[0] ... args[argc - 1], stores results
** from out[0] on, and returns their number.  It is called in two ways:
**
**                        without a frame          with a frame
**     called by          an instruction           the C function of its name
**     running frame      the Lua function's       its own
**     out                args - 1: where the      the top of the stack
**                        function was
**     room for results   argc + 1 or more, see    STACK_MIN_FREE
**                        native_free_slots
**
** So without a frame a result overwrites an argument.  Read an argument before
** storing the result that replaces it.
**
** A NativeFn that cannot do the call returns NATIVE_RETRY, and must not have
** had any effect.  Without a frame, the call is then made again with one.  With
** a frame, the arguments are converted to the types of the function's
** declaration, or an error is raised; then the NativeFn is called again
** (lib/declare.h).  So a NativeFn accepts only arguments of the declared types.
** It raises an error only if native_has_frame, because otherwise the message
** would have the name and the line of another function.
**
** The program cannot tell the two ways apart.  With a hook that sees calls, all
** have a frame.
**
** The NativeFn of a C function is found by the address of the C function,
** always in one of two slots.  A slot has the distances of both functions from
** one of our own functions, in 32 bits.  A function that is too far away is
** always called with a frame.
*/
#ifndef PENUMBRA_VM_NATIVE_H
#define PENUMBRA_VM_NATIVE_H

#include "bytecode/bytecode.h"
#include "object/budget.h"
#include "vm/collect.h"
#include "vm/state.h"

enum { NATIVE_RETRY = -1 }; /* other negative results are in switch.h */

/* The head of a NativeFn. */
#define NATIVE(name)                                       \
  static int name(UNUSED lua_State *L, UNUSED Value *args, \
                  UNUSED unsigned argc, UNUSED Value *out)

/* Registers `run` as the NativeFn of the C function. */
void native_set(lua_State *L, CFunction function, NativeFn *run);

static ALWAYS_INLINE size_t native_row(const VmState *vm, uint64_t distance) {
  return (size_t)(distance * vm->native_multiplier >> (64 - NATIVE_ROW_BITS));
}

/* Runs a NativeFn, and checks that it has had no effect if it returns
** NATIVE_RETRY. */
int native_run_checked(lua_State *L, NativeFn *run, Value *func, unsigned argc);

/* Calls the NativeFn of the C function in `func`, and returns its result.
** NATIVE_RETRY if the C function has no NativeFn. */
static ALWAYS_INLINE int native_call(lua_State *L, Value *func, unsigned argc) {
  const VmState *vm = vm_of(L);
  uint64_t distance = (uint64_t)(uintptr_t)func->as.f - vm->native_base;
  const NativeSlot *n = vm->natives[native_row(vm, distance)];
  if ((uint64_t)(int64_t)n->function != distance &&
      (uint64_t)(int64_t)(++n)->function != distance)
    return NATIVE_RETRY;
  NativeFn *run =
      (NativeFn *)(uintptr_t)(vm->native_base + (uint64_t)(int64_t)n->run);
  if (PENUMBRA_DEBUG) return native_run_checked(L, run, func, argc);
  return run(L, func + 1, argc, func);
}

static ALWAYS_INLINE bool native_has_frame(const lua_State *L) {
  return !frame_is_lua(L->frame);
}

/* The number of results that can be stored.  Without a frame, the slots above
** the arguments are free, up to the end of the stack that is in use.  But no
** more than a function can have registers, so that a budget need not be
** checked. */
static ALWAYS_INLINE size_t native_free_slots(const lua_State *L,
                                              const Value *out) {
  if (native_has_frame(L)) return STACK_MIN_FREE;
  return size_min((size_t)(L->limit - out), CODE_MAX_REGISTERS);
}

/* True if work on that many bytes must check a budget in between, which may
** raise an error. */
static ALWAYS_INLINE bool native_is_costly(const lua_State *L, size_t bytes) {
  return UNLIKELY(bytes > BUDGET_PIECE) && L->global->budget.on;
}
static ALWAYS_INLINE bool native_needs_frame(const lua_State *L, size_t bytes) {
  return native_is_costly(L, bytes) && !native_has_frame(L);
}

/* Pays for looking up a key that may be a long string.  False if that needs a
** frame. */
static ALWAYS_INLINE bool native_pays_key(lua_State *L, const Value *key) {
  if (LIKELY(key->tag != TAG_LONG_STRING)) return true;
  if (native_needs_frame(L, string_length(value_string(key)))) return false;
  if (native_has_frame(L)) budget_spend_key(L, key);
  return true;
}

/* -- Arguments ------------------------------------------------------------- */

/* True if an optional argument is not given. */
static ALWAYS_INLINE bool is_missing(const Value *args, unsigned argc,
                                     unsigned n) {
  return argc <= n || value_is_nil(&args[n]);
}

static ALWAYS_INLINE bool is_true(const Value *args, unsigned argc,
                                  unsigned n) {
  return argc > n && !value_is_falsy(&args[n]);
}

/* Reads the optional integer args[n].  Leaves *out alone if it is not given.
** False if it is something else. */
static ALWAYS_INLINE bool take_integer(const Value *args, unsigned argc,
                                       unsigned n, Integer *out) {
  if (argc <= n) return true;
  if (LIKELY(value_is_integer(&args[n]))) {
    *out = args[n].as.i;
    return true;
  }
  return value_is_nil(&args[n]);
}

/* -- Results --------------------------------------------------------------- */

static ALWAYS_INLINE int give_integer(Value *out, Integer i) {
  value_set_integer(out, i);
  return 1;
}

static ALWAYS_INLINE int give_float(Value *out, Number n) {
  value_set_float(out, n);
  return 1;
}

static ALWAYS_INLINE int give_bool(Value *out, bool b) {
  value_set_bool(out, b);
  return 1;
}

static ALWAYS_INLINE int give_nil(Value *out) {
  value_set_nil(out);
  return 1;
}

static ALWAYS_INLINE int give_value(Value *out, const Value *v) {
  value_copy(out, v);
  return 1;
}

/* Returns a short string that lives as long as the state. */
static ALWAYS_INLINE int give_fixed(Value *out, String *s) {
  value_set_cell(out, s, TAG_SHORT_STRING);
  return 1;
}

/* Polls the collector after a new object was stored as the only result.  The
** stack may move. */
NO_INLINE void native_collect(lua_State *L, Value *out);
static ALWAYS_INLINE int give_new(lua_State *L, Value *out) {
  if (UNLIKELY(gc_step_due(gc_of(L)))) native_collect(L, out);
  return 1;
}

static ALWAYS_INLINE int give_new_string(lua_State *L, Value *out,
                                         const String *s) {
  value_set_string(out, s);
  return give_new(L, out);
}

#endif
