/* SPDX-License-Identifier: MIT */
/*
** state.h -- what the vm keeps in a state; opening and closing one
*/
#ifndef PENUMBRA_VM_STATE_H
#define PENUMBRA_VM_STATE_H

#include "object/thread.h"
#include "vm/presize.h"

/* C functions that need no frame: see native.h. */
enum { NATIVE_ROW_BITS = 7, NATIVE_ROWS = 1 << NATIVE_ROW_BITS };
typedef int NativeFn(lua_State *L, Value *args, unsigned argc, Value *out);
typedef struct NativeSlot {
  int32_t function; /* 0: none */
  int32_t run;
} NativeSlot;

/* A debugger, and what it is called for: see watch.h. */
typedef enum WatchEvent {
  WATCH_BREAK, /* before an instruction with a breakpoint */
  WATCH_STEP,  /* before any instruction, in a thread with HOOK_STEP */
  WATCH_ERROR, /* an error is raised; its value is on top of the stack */
  WATCH_LOAD   /* a chunk has been loaded, and is on top of the stack */
} WatchEvent;
typedef void WatchFn(lua_State *L, WatchEvent event, void *data);

typedef struct VmState {
  Global global; /* must be first */
  uint64_t native_base;
  uint64_t native_multiplier;
  NativeSlot natives[NATIVE_ROWS][2];
  CFunction next_function;   /* iterators known to the loop, or NULL: */
  CFunction ipairs_function; /* ... next, and the result of ipairs */
  CFunction text_arith[ARITH_BNOT + 1]; /* metamethods of strings that
                                  ** compute with the numbers in them */
  CFunction wrapped_function; /* function of coroutine.wrap closures */
  CFunction wrapped_failed;   /* ... and the one that raises their errors */
  uint32_t string_index_hint; /* place of __index in strings' metatable */
  uint8_t gc_stopped_by;      /* enum CollectStop */
  bool growth_passed;         /* see collect_after_growth */
  bool watching;              /* the debugger is at work */
  int finalizers_per_step;
  uint64_t cycles_shrunk; /* cycles at the last look at the running stack */
  size_t host_limit;      /* of memory, outside of sandboxes; 0: none */
  WarnFunction warn;
  void *warn_data;
  /* The host's function, called when the live heap does not fit the target. */
  void (*on_target)(lua_State *L, void *data, size_t live);
  void *on_target_data;
  WatchFn *watch; /* the debugger, or NULL */
  void *watch_data;
  PresizeSample presize_sample;
  PresizeWindow presize_window[PRESIZE_WINDOWS];
  /* For the libraries, which alone know what is in it, and the function that
  ** frees what they hold outside of cells; NULL: nothing. */
  _Alignas(8) char library[88];
  void (*end_library)(lua_State *L);
} VmState;

static ALWAYS_INLINE VmState *vm_of(const lua_State *L) {
  return (VmState *)L->global;
}

/* Makes a state that is ready to run, with a registry, a main thread, globals
** and the frame of the host.  NULL if there is no memory.  `size` is the size of
** the structure that begins with the VmState; the rest of it is zero. */
lua_State *state_open(Allocator allocate, void *context, size_t size);

/* Closes pending variables of the main thread L, and calls all finalizers. */
void state_finish(lua_State *L);

/* Frees everything; state_finish comes first. */
void state_free(lua_State *L);

#endif
