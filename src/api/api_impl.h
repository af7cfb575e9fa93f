/* SPDX-License-Identifier: MIT */
/*
** api_impl.h -- indices, checks and pushes, for the functions of lua.h
**
** In debug builds API_CHECK reports which function was misused, and how.
**
** A host may use any of its threads, not only the one that runs.  After a store
** into a thread that does not run, the collector must be told (api_stored).  A
** function that may call Lua code makes its thread the running one until it
** returns (api_run, api_rest).
*/
#ifndef PENUMBRA_API_IMPL_H
#define PENUMBRA_API_IMPL_H

#include "penumbra.h"

#include "vm/collect.h"
#include "vm/state.h"

/* -- What the API keeps in a state ----------------------------------------- */

typedef struct ApiState {
  VmState vm;                 /* must be first */
  penumbra_Listener listener; /* the host's */
  void *listener_data;
  struct Trace *trace;       /* of a TraceJob: trace.c; NULL: none */
  struct Recorder *recorder; /* report.c; NULL: none */
  struct Samples *samples;   /* samples.c; NULL: none */
} ApiState;

static inline ApiState *api_of(const Global *g) { return (ApiState *)g; }

/* Call after the listener, the trace or the record has changed.  If there is
** none of them, events cost nothing. */
void events_route(Global *g);

/* For the record: report.c. */
void recorder_event(struct Recorder *recorder, const GcEvent *event);

/* End each of them, if there is one.  trace_stop: false if the trace could not be
** written. */
int trace_stop(Global *g);
void recorder_stop(Global *g);
void samples_stop(Global *g);

#define API_CHECK(cond, reason)          API_CHECK_FOR(__func__, cond, reason)
#define API_CHECK_FOR(who, cond, reason) ASSERT(cond, "%s: %s", who, reason)

/* The frame of the function must hold at least n values. */
#define API_CHECK_COUNT(L, n) API_CHECK_COUNT_FOR(__func__, L, n)
#define API_CHECK_COUNT_FOR(who, L, n)                  \
  API_CHECK_FOR(who, (n) < (L)->top - (L)->frame->func, \
                "not enough values on the stack")

/* -- Values at indices ----------------------------------------------------- */

extern const Value api_absent; /* stands for an index without a value */

/* An upvalue of the running C function, or &api_absent. */
const Value *api_upvalue(lua_State *L, int index, const char *who);

static inline bool api_is_pseudo(int index) {
  return index <= LUA_REGISTRYINDEX;
}

/* The value at any index, or &api_absent if there is none.  All values but
** api_absent may be written. */
#define API_AT(L, index) api_at((L), (index), __func__)
static inline const Value *api_at(lua_State *L, int index, const char *who) {
  const Frame *f = L->frame;
  if (index > 0) {
    const Value *v = f->func + index;
    API_CHECK_FOR(who, index <= f->top - (f->func + 1), "unacceptable index");
    return v < L->top ? v : &api_absent;
  }
  if (!api_is_pseudo(index)) {
    API_CHECK_FOR(who, index != 0 && -index <= L->top - (f->func + 1),
                  "invalid index");
    return L->top + index;
  }
  if (index == LUA_REGISTRYINDEX) return &L->global->registry;
  return api_upvalue(L, LUA_REGISTRYINDEX - index, who);
}

static inline bool api_is_valid(const Value *v) { return v != &api_absent; }

/* The stack slot of an index, which must not be a pseudo-index. */
#define API_SLOT(L, index) api_slot((L), (index), __func__)
static inline Value *api_slot(lua_State *L, int index, const char *who) {
  Value *v = index > 0 ? L->frame->func + index : L->top + index;
  API_CHECK_FOR(who, !api_is_pseudo(index) && index != 0,
                "index of a slot expected");
  API_CHECK_FOR(who, v > L->frame->func && v < L->top, "invalid index");
  return v;
}

#define API_TABLE_AT(L, index) api_table_at((L), (index), __func__)
static inline Table *api_table_at(lua_State *L, int index, const char *who) {
  const Value *v = api_at(L, index, who);
  API_CHECK_FOR(who, value_is_table(v), "table expected");
  return value_table(v);
}

/* -- Threads that do not run ----------------------------------------------- */

void api_stored_outside(lua_State *L);
void api_switch(lua_State *L);
void api_switch_back(lua_State *L, Cell *was);

static inline bool api_is_running(const lua_State *L) {
  return gc_of(L)->running == thread_cell(L);
}

/* Call after storing a reference into `slot` of L, or into slots above it. */
static inline void api_stored(lua_State *L, const Value *slot) {
  if (UNLIKELY(!api_is_running(L))) api_stored_outside(L);
  stack_lower(L, slot);
}

/* Removes the last n values. */
static inline void api_pop(lua_State *L, int n) {
  L->top -= n;
  stack_lower(L, L->top);
}

/* Makes L the running thread until api_rest, so that it may run code. */
static inline Cell *api_run(lua_State *L) {
  Cell *was = gc_of(L)->running;
  if (UNLIKELY(was != thread_cell(L))) api_switch(L);
  return was;
}
static inline void api_rest(lua_State *L, Cell *was) {
  if (UNLIKELY(was != thread_cell(L))) api_switch_back(L, was);
}

/* -- Pushing --------------------------------------------------------------- */

/* Raises the top over the value that was just written there. */
#define API_GROW_TOP(L) api_grow_top((L), __func__)
static inline void api_grow_top(lua_State *L, const char *who) {
  L->top++;
  API_CHECK_FOR(who, L->top <= L->frame->top,
                "stack overflow: lua_checkstack needed");
}

#define API_PUSH(L, v) api_push((L), (v), __func__)
static inline void api_push(lua_State *L, const Value *v, const char *who) {
  value_copy(L->top, v);
  api_grow_top(L, who);
  if (tag_is_collectable(v->tag)) api_stored(L, L->top - 1);
}

#define API_PUSH_CELL(L, cell, tag) api_push_cell((L), (cell), (tag), __func__)
static inline void api_push_cell(lua_State *L, void *cell, unsigned tag,
                                 const char *who) {
  value_set_cell(L->top, cell, tag);
  api_grow_top(L, who);
  api_stored(L, L->top - 1);
}

#define API_PUSH_STRING(L, s) api_push_string((L), (s), __func__)
static inline void api_push_string(lua_State *L, const String *s,
                                   const char *who) {
  value_set_string(L->top, s);
  api_grow_top(L, who);
  api_stored(L, L->top - 1);
}

/* -- Structures of the host ------------------------------------------------ */

/* A host's time.  One that is too long to be counted is cut to half a year;
** sums of many such times can still be counted. */
static inline uint64_t api_nanoseconds(lua_Unsigned microseconds) {
  lua_Unsigned most = UINT64_MAX / 1000 / 1000;
  return (microseconds < most ? microseconds : most) * 1000;
}

/* Copies `ours` bytes to a structure of the host, which begins with its size.
** The host's version of the header may declare it longer or shorter; what we do
** not have becomes 0. */
#define API_COPY_SIZED(to, from, ours, name) \
  api_copy_sized((to), (from), (ours), "size of " name " not set", __func__)
static inline void api_copy_sized(void *to, const void *from, size_t ours,
                                  const char *unset, const char *who) {
  enum { SIZED_MAX = 65536 }; /* a larger size was not initialized */
  const size_t theirs = *(const size_t *)to;
  API_CHECK_FOR(who, theirs >= sizeof theirs && theirs <= SIZED_MAX, unset);
  (void)unset;
  (void)who;
  memset(to, 0, theirs);
  memcpy(to, from, size_min(theirs, ours));
  if (theirs >= sizeof theirs) *(size_t *)to = theirs;
}

/* -- Text ------------------------------------------------------------------ */

/* Text for a lua_Writer of the host. */
typedef struct TextTarget {
  lua_State *L;
  lua_Writer writer;
  void *data;
  int status; /* last result of the writer; not 0: it gets nothing more */
} TextTarget;

/* Passes on text; `context` is a TextTarget.  In listing.c. */
void api_write_text(void *context, const char *text);

/* -- Steps of the collector, once new objects are on the stack ------------- */

/* Every function that may allocate ends with one of these.  That holds on every
** thread, because a host may use only threads that never run.  L->top must be
** exact. */
NO_INLINE void api_collect(lua_State *L);
NO_INLINE void api_collect_quietly(lua_State *L);

static inline void api_poll(lua_State *L) {
  if (UNLIKELY(gc_step_due(gc_of(L)))) api_collect(L);
}

/* Calls no finalizers: for functions that never run Lua code. */
static inline void api_poll_quietly(lua_State *L) {
  if (UNLIKELY(gc_step_due(gc_of(L)))) api_collect_quietly(L);
}

#endif
