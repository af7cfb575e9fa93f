/* SPDX-License-Identifier: MIT */
/*
** collector.c -- the API: penumbra.h, memory and the collector
*/
#include <string.h>

#include "api/api_impl.h"
#include "observe/trace.h"
#if PENUMBRA_MACHINE
#include "machine/machine.h"
#endif

/* -- Time for the collector ------------------------------------------------ */

/* True if at the rate of this frame the cycle ends before the heap reaches its
** goal. */
static bool keeps_up(GcProspect now, size_t work, size_t allocated) {
  if (now.left == 0) return true;
  return (double)now.left * (double)allocated <=
         (double)now.headroom * (double)work;
}

static void tell_step(Gc *gc, uint64_t began, uint64_t work_before,
                      uint64_t cycles_before, penumbra_Step *result) {
  GcProspect now = gc_prospect(gc);
  size_t work = (size_t)(gc->stats.work - work_before);
  penumbra_Step step = {.nanoseconds = gc_clock() - began,
                        .work = work,
                        .left = now.left,
                        .finalizers = gc->ready,
                        .allocated = now.allocated,
                        .room = now.headroom,
                        .ended = gc->stats.cycles != cycles_before,
                        .keeps_up = keeps_up(now, work, now.allocated)};
  API_COPY_SIZED(result, &step, sizeof step, "penumbra_Step");
}

/* Finalizers belong to the cycle that found them.  So no new cycle begins while
** finalizers wait. */
static void step_by_time(lua_State *L, uint64_t began, uint64_t microseconds) {
  Gc *gc = gc_of(L);
  if (gc->phase != PHASE_PAUSE || !gc_has_finalizable(gc))
    gc_step_time(gc, microseconds);
  if (gc_has_finalizable(gc))
    collect_finalize_until(L, 0, began + microseconds * 1000);
  collect_tell_target(L);
}

LUA_API int penumbra_step(lua_State *L, lua_Unsigned microseconds,
                          penumbra_Step *result) {
  Gc *gc = gc_of(L);
  uint64_t began = gc_clock(), work = gc->stats.work, cycles = gc->stats.cycles;
  bool works = !vm_of(L)->gc_stopped_by;
  if (works) {
    Cell *was = api_run(L);
    step_by_time(L, began, api_nanoseconds(microseconds) / 1000);
    api_rest(L, was);
    gc_begin_frame(gc, gc->pace.frame_most);
  }
  if (result) tell_step(gc, began, work, cycles, result);
  return works && !gc_is_due(gc) && !gc_has_finalizable(gc);
}

LUA_API lua_Unsigned penumbra_setframebudget(lua_State *L,
                                             lua_Unsigned microseconds) {
  Gc *gc = gc_of(L);
  lua_Unsigned old = gc->pace.frame_most / 1000;
  gc_begin_frame(gc, api_nanoseconds(microseconds));
  return old;
}

LUA_API size_t penumbra_finalize(lua_State *L, size_t count,
                                 lua_Unsigned microseconds) {
  if (vm_of(L)->gc_stopped_by) return 0;
  uint64_t time = api_nanoseconds(microseconds);
  uint64_t end = time ? gc_clock() + time : UINT64_MAX;
  Cell *was = api_run(L);
  size_t called = collect_finalize_until(L, count, end);
  api_rest(L, was);
  return called;
}

LUA_API int penumbra_setfinalizers(lua_State *L, int perstep) {
  VmState *vm = vm_of(L);
  int old = vm->finalizers_per_step;
  API_CHECK(perstep >= 0, "negative number of finalizers");
  vm->finalizers_per_step = perstep;
  return old;
}

/* -- Memory ---------------------------------------------------------------- */

LUA_API void penumbra_setlimit(lua_State *L, size_t bytes) {
  gc_set_limit(gc_of(L), bytes);
#if PENUMBRA_MACHINE
  machine_fit(L->global);
#endif
}

LUA_API size_t penumbra_getlimit(lua_State *L) { return gc_of(L)->heap.limit; }

LUA_API void penumbra_settarget(lua_State *L, size_t bytes, penumbra_Target f,
                                void *ud) {
  vm_of(L)->on_target = f;
  vm_of(L)->on_target_data = ud;
  gc_set_target(gc_of(L), bytes);
}

LUA_API size_t penumbra_gettarget(lua_State *L) { return gc_of(L)->target; }

LUA_API int penumbra_addexternal(lua_State *L, size_t bytes) {
  return gc_external_bytes(gc_of(L), bytes, 0);
}

LUA_API void penumbra_removeexternal(lua_State *L, size_t bytes) {
  gc_external_bytes(gc_of(L), 0, bytes);
}

LUA_API void *penumbra_realloc(lua_State *L, void *ptr, size_t osize,
                               size_t nsize) {
  return gc_memory_resize(gc_of(L), ptr, osize, nsize);
}

/* -- Statistics ------------------------------------------------------------ */

LUA_API void penumbra_getstats(lua_State *L, penumbra_Stats *stats) {
  const Gc *gc = gc_of(L);
  const GcStats *known = &gc->stats;
  penumbra_Stats all = {.bytes = gc_count(gc),
                        .live = known->live_bytes,
                        .peak = size_max(known->peak_bytes, gc_count(gc)),
                        .footprint = heap_resident(&gc->heap),
                        .external = gc->external_bytes,
                        .goal = gc_goal(gc),
                        .limit = gc->heap.limit,
                        .target = gc->target,
                        .allocated = gc->heap.allocation_clock,
                        .debt = gc->phase == PHASE_PAUSE ? 0 : gc_units_due(gc),
                        .largest_unit = known->largest_unit,
                        .largest_step = known->largest_step,
                        .work = known->work,
                        .steps = known->steps,
                        .cycles = known->cycles,
                        .minor_cycles = known->minor_cycles,
                        .emergencies = known->emergencies,
                        .finalizers_found = known->finalizers_queued,
                        .finalizers_called = known->finalizers_taken,
                        .finalizers_due = gc->ready,
                        .phase = gc->phase,
                        .phase_name = gc_phase_name((GcPhase)gc->phase),
                        .generational = gc->generational,
                        .running = !gc->stopped};
  API_COPY_SIZED(stats, &all, sizeof all, "penumbra_Stats");
}

/* -- Pauses ---------------------------------------------------------------- */

static_assert(PENUMBRA_BUCKETS == HISTOGRAM_BUCKETS, "buckets are copied");

LUA_API int penumbra_timepauses(lua_State *L, int on) {
  gc_enable_histogram(gc_of(L), false);
  return gc_enable_histogram(gc_of(L), on != 0);
}

static_assert(PENUMBRA_WAITS == (int)WAIT_COUNT, "waits are copied");

static void waits_of(const GcHistogram *histogram, penumbra_Pauses *pauses) {
  GcWait worst = gc_histogram_worst(histogram);
  pauses->longest_wait = histogram->longest_wait[worst];
  pauses->cause = gc_wait_name(worst);
  for (int i = 0; i < PENUMBRA_WAITS; i++) {
    pauses->wait[i] = histogram->longest_wait[i];
    pauses->wait_name[i] = gc_wait_name((GcWait)i);
  }
}

LUA_API int penumbra_getpauses(lua_State *L, penumbra_Pauses *pauses) {
  const GcHistogram *histogram = gc_of(L)->histogram;
  penumbra_Pauses all = {0};
  if (histogram) {
    all.count = histogram->steps;
    all.total = histogram->total_nanoseconds;
    all.longest = histogram->longest_nanoseconds;
    all.collections = histogram->collections;
    all.collections_total = histogram->collections_nanoseconds;
    all.longest_collection = histogram->longest_collection;
    for (int i = 0; i < PENUMBRA_BUCKETS; i++)
      all.bucket[i] = histogram->count[i];
    waits_of(histogram, &all);
  }
  API_COPY_SIZED(pauses, &all, sizeof all, "penumbra_Pauses");
  return histogram != NULL;
}

LUA_API lua_Unsigned penumbra_bucketbegin(int bucket) {
  if (bucket < 0) return 0;
  if (bucket > PENUMBRA_BUCKETS) bucket = PENUMBRA_BUCKETS;
  return gc_bucket_begin((unsigned)bucket);
}

LUA_API lua_Unsigned penumbra_percentile(const penumbra_Pauses *pauses,
                                         lua_Number percent) {
  lua_Number wanted = (lua_Number)pauses->count * percent / 100;
  lua_Unsigned seen = 0;
  for (int i = 0; i < PENUMBRA_BUCKETS - 1; i++) {
    seen += pauses->bucket[i];
    lua_Unsigned end = gc_bucket_begin((unsigned)i + 1) - 1;
    if (seen > 0 && (lua_Number)seen >= wanted)
      return end < pauses->longest ? end : pauses->longest;
  }
  return pauses->longest;
}

/* -- Events ---------------------------------------------------------------- */

static_assert((int)EVENT_CYCLE_BEGIN == PENUMBRA_CYCLEBEGIN &&
                  (int)EVENT_CYCLE_END == PENUMBRA_CYCLEEND &&
                  (int)EVENT_PHASE == PENUMBRA_PHASE &&
                  (int)EVENT_STEP == PENUMBRA_STEP &&
                  (int)EVENT_LARGE_CELL == PENUMBRA_LARGE &&
                  (int)EVENT_EMERGENCY == PENUMBRA_EMERGENCY &&
                  (int)EVENT_COLLECT == PENUMBRA_COLLECT,
              "events have the same numbers inside");

/* The collector's listener.  Passes events on to the trace and to the host. */
static void event_pass_on(void *context, const GcEvent *event) {
  ApiState *api = context;
  if (api->trace) trace_event(api->trace, event);
  if (api->recorder) recorder_event(api->recorder, event);
  if (!api->listener || event->type == EVENT_FINALIZER) return;
  bool is_wait = event->type == EVENT_STEP || event->type == EVENT_COLLECT;
  penumbra_Event copy = {.type = (int)event->type,
                         .phase = (int)event->phase,
                         .phase_name = gc_phase_name(event->phase),
                         .minor = event->minor,
                         .bytes = event->bytes,
                         .work = event->work,
                         .nanoseconds = event->nanoseconds,
                         .time = event->time,
                         .cpu = event->cpu,
                         .cause = is_wait ? gc_wait_name(event->wait) : ""};
  api->listener(api->listener_data, &copy);
}

LUA_API void penumbra_setlistener(lua_State *L, penumbra_Listener f, void *ud) {
  ApiState *api = api_of(L->global);
  api->listener = f;
  api->listener_data = ud;
  events_route(L->global);
}

void events_route(Global *g) {
  ApiState *api = api_of(g);
  bool heard = api->listener || api->trace || api->recorder;
  gc_set_listener(&g->gc, (GcListener){heard ? event_pass_on : NULL, api});
}

LUA_API penumbra_Listener penumbra_getlistener(lua_State *L, void **ud) {
  if (ud) *ud = api_of(L->global)->listener_data;
  return api_of(L->global)->listener;
}
