/* SPDX-License-Identifier: MIT */
/*
** state.c -- opening and closing a state
*/
#include "vm/state.h"

#include <stdio.h>
#include <stdlib.h>

#include "vm/call.h"
#include "vm/closing.h"
#include "vm/collect.h"
#include "vm/machine_impl.h"
#include "vm/protect.h"

/* Calls the message handler with the error on top. */
static void call_handler(lua_State *L) {
  Value *message = L->top - 1;
  value_copy(message + 1, message);
  value_copy(message, stack_restore(L, L->handler));
  L->top++;
  call_value_no_yield(L, message, 1);
}

/* The registry: [1] the main thread, [2] the globals. */
static void fill_registry(lua_State *L) {
  Value value;
  Table *registry = value_table(&L->global->registry);
  table_resize(L, registry, REGISTRY_LAST, 0);
  value_set_thread(&value, L);
  table_set_int(L, registry, REGISTRY_MAIN_THREAD, &value);
  Table *globals = table_new(L);
  value_set_table(L->top, globals);
  L->top++;
  table_set_int(L, registry, REGISTRY_GLOBALS, L->top - 1);
  L->top--;
}

static void open_body(lua_State *L, void *unused) {
  (void)unused;
  fill_registry(L);
  L->global->complete = true;
}

/* A step of the collector starts no new work after this time.  Debug builds do
** not look at the clock, so that every run is the same. */
enum { STEP_NANOSECONDS = 40000 };

/* In debug builds, an environment variable selects checks: see
** gc_debug_settings. */
static void read_debug_settings(Gc *gc) {
  const char *names = PENUMBRA_DEBUG ? getenv("PENUMBRA_GC") : NULL;
  if (names && !gc_debug_settings(gc, names))
    fprintf(stderr, "PENUMBRA_GC: no such setting in '%s'\n", names);
}

lua_State *state_open(Allocator allocate, void *context, size_t size) {
  lua_State *L = global_new(allocate, context, size);
  if (!L) return NULL;
  L->global->call_handler = call_handler;
  vm_of(L)->finalizers_per_step = FINALIZERS_PER_STEP;
  gc_set_step_time(gc_of(L), PENUMBRA_DEBUG ? 0 : STEP_NANOSECONDS);
  read_debug_settings(gc_of(L));
  BEGIN_MACHINE(L);
  L->no_yield = 1; /* the main thread never yields */
  gc_stack_switch(gc_of(L), thread_cell(L));
  /* not covered: the memory that global_new has is enough */
  if (raise_protect(L, open_body, NULL) != STATUS_OK) {
    global_free(L->global);
    return NULL;
  }
  return L;
}

/* Closes pending variables, and then calls all finalizers. */
static void close_everything(lua_State *L) {
  L->frame = L->frames;
  L->handler = 0;
  L->status = STATUS_OK;
  stack_uncover(L);
  protect_close(L, (ptrdiff_t)sizeof(Value), STATUS_OK);
  L->top = L->stack + 1;
  L->global->closing = true;
  vm_of(L)->gc_stopped_by = STOP_CLOSING;
  gc_stop(gc_of(L));
  gc_queue_all_finalizable(gc_of(L));
  collect_finalize(L, 0); /* not those registered from here on */
}

void state_finish(lua_State *L) {
  gc_stack_switch(gc_of(L), thread_cell(L));
  if (L->global->complete) close_everything(L);
}

void state_free(lua_State *L) {
  if (vm_of(L)->end_library) vm_of(L)->end_library(L);
  END_MACHINE(L->global);
  global_free(L->global);
}
