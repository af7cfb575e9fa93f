/* SPDX-License-Identifier: MIT */
/*
** api.c -- the functions of api_impl.h that are not inline
*/
#include "api/api_impl.h"

const Value api_absent = {.tag = TAG_ABSENT};

const Value *api_upvalue(lua_State *L, int index, const char *who) {
  const Value *func = L->frame->func;
  API_CHECK_FOR(who, index <= 256, "upvalue index too large");
  if (func->tag != TAG_C_CLOSURE) return &api_absent;
  CClosure *c = value_c_closure(func);
  return index <= c->cell.user ? &c->upvalue[index - 1] : &api_absent;
}

/* The collector may have visited a thread that does not run.  It must visit the
** thread again, from the watermark on. */
void api_stored_outside(lua_State *L) {
  gc_stack_touch(gc_of(L), thread_cell(L));
}

void api_switch(lua_State *L) {
  gc_stack_switch(gc_of(L), thread_cell(L));
  stack_uncover(L);
}

/* Finalizers run on L, so L counts as the running thread until they return. */
void api_collect(lua_State *L) {
  Cell *was = api_run(L);
  collect_step(L);
  api_rest(L, was);
}

void api_collect_quietly(lua_State *L) {
  Cell *was = api_run(L);
  collect_step_quietly(L);
  api_rest(L, was);
}

void api_switch_back(lua_State *L, Cell *was) {
  gc_stack_switch(gc_of(L), was);
  if (was) stack_uncover(&((Thread *)(void *)was)->state);
}
