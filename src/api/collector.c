/* SPDX-License-Identifier: MIT */
/*
** collector.c -- the API: penumbra.h, memory and the collector
*/
#include "penumbra.h"

#include <string.h>

#include "api/api_impl.h"
#include "api/events.h"

/* -- Time for the collector ------------------------------------------------ */

/* True if at the rate of this frame the cycle ends before the heap reaches its
** goal. */
static bool keeps_up(GcProspect now, size_t work, size_t allocated) {
  if (now.left == 0) return true;
  return (double)now.left * (double)allocated <=
         (double)now.room * (double)work;
}

static void tell_step(Gc *gc, uint64_t began, uint64_t work_before,
                      uint64_t cycles_before, penumbra_Step *told) {
  GcProspect now = gc_prospect(gc);
  size_t work = (size_t)(gc->stats.work - work_before);
  penumbra_Step step = {.nanoseconds = gc_clock() - began,
                        .work = work,
                        .left = now.left,
                        .finalizers = gc->ready,
                        .allocated = now.allocated,
                        .room = now.room,
                        .ended = gc->stats.cycles != cycles_before,
                        .keeps_up = keeps_up(now, work, now.allocated)};
  API_COPY_SIZED(told, &step, sizeof step, "penumbra_Step");
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
                          penumbra_Step *told) {
  Gc *gc = gc_of(L);
  uint64_t began = gc_clock(), work = gc->stats.work, cycles = gc->stats.cycles;
  bool works = !L->global->gc_stopped_by;
  if (works) {
    Cell *was = api_run(L);
    step_by_time(L, began, api_nanoseconds(microseconds) / 1000);
    api_rest(L, was);
    gc_begin_frame(gc, gc->pace.frame_most);
  }
  if (told) tell_step(gc, began, work, cycles, told);
  return works && !gc_is_due(gc) && !gc_has_finalizable(gc);
}

LUA_API lua_Unsigned penumbra_setframe(lua_State *L,
                                       lua_Unsigned microseconds) {
  Gc *gc = gc_of(L);
  lua_Unsigned old = gc->pace.frame_most / 1000;
  gc_begin_frame(gc, api_nanoseconds(microseconds));
  return old;
}

LUA_API size_t penumbra_finalize(lua_State *L, size_t count,
                                 lua_Unsigned microseconds) {
  if (L->global->gc_stopped_by) return 0;
  uint64_t time = api_nanoseconds(microseconds);
  uint64_t end = time ? gc_clock() + time : UINT64_MAX;
  Cell *was = api_run(L);
  size_t called = collect_finalize_until(L, count, end);
  api_rest(L, was);
  return called;
}

LUA_API int penumbra_setfinalizers(lua_State *L, int perstep) {
  Global *g = L->global;
  int old = g->finalizers_per_step;
  API_CHECK(perstep >= 0, "negative number of finalizers");
  g->finalizers_per_step = perstep;
  return old;
}

/* -- Memory ---------------------------------------------------------------- */

LUA_API void penumbra_setlimit(lua_State *L, size_t bytes) {
  gc_set_limit(gc_of(L), bytes);
}

LUA_API size_t penumbra_getlimit(lua_State *L) { return gc_of(L)->heap.limit; }

LUA_API void penumbra_settarget(lua_State *L, size_t bytes, penumbra_Target f,
                                void *ud) {
  L->global->on_target = f;
  L->global->on_target_data = ud;
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

static void stats_of_memory(const Gc *gc, penumbra_Stats *stats) {
  stats->bytes = gc_count(gc);
  stats->live = gc->stats.live_bytes;
  stats->peak = size_max(gc->stats.peak_bytes, stats->bytes);
  stats->footprint = heap_resident(&gc->heap);
  stats->external = gc->external_bytes;
  stats->goal = gc_goal(gc);
  stats->limit = gc->heap.limit;
  stats->target = gc->target;
  stats->allocated = gc->heap.allocation_clock;
}

static void stats_of_work(const Gc *gc, penumbra_Stats *stats) {
  stats->debt = gc->phase == PHASE_PAUSE ? 0 : gc_units_due(gc);
  stats->largest_unit = gc->stats.largest_unit;
  stats->largest_step = gc->stats.largest_step;
  stats->work = gc->stats.work;
  stats->steps = gc->stats.steps;
  stats->cycles = gc->stats.cycles;
  stats->minor_cycles = gc->stats.minor_cycles;
  stats->emergencies = gc->stats.emergencies;
  stats->finalizers_found = gc->stats.finalizers_queued;
  stats->finalizers_called = gc->stats.finalizers_taken;
  stats->finalizers_due = gc->ready;
}

LUA_API void penumbra_getstats(lua_State *L, penumbra_Stats *stats) {
  const Gc *gc = gc_of(L);
  penumbra_Stats all = {.phase = gc->phase,
                        .phase_name = gc_phase_name((GcPhase)gc->phase),
                        .generational = gc->generational,
                        .running = !gc->stopped};
  stats_of_memory(gc, &all);
  stats_of_work(gc, &all);
  API_COPY_SIZED(stats, &all, sizeof all, "penumbra_Stats");
}

/* -- Pauses ---------------------------------------------------------------- */

static_assert(PENUMBRA_BUCKETS == HISTOGRAM_BUCKETS, "buckets are copied");

LUA_API int penumbra_timepauses(lua_State *L, int on) {
  gc_enable_histogram(gc_of(L), false);
  return gc_enable_histogram(gc_of(L), on != 0);
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
  }
  API_COPY_SIZED(pauses, &all, sizeof all, "penumbra_Pauses");
  return histogram != NULL;
}

LUA_API lua_Unsigned penumbra_bucketbegin(int bucket) {
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
  Global *g = context;
  events_trace(g, event);
  events_record(g, event);
  if (!g->listener) return;
  penumbra_Event copy = {.type = (int)event->type,
                         .phase = (int)event->phase,
                         .phase_name = gc_phase_name(event->phase),
                         .minor = event->minor,
                         .bytes = event->bytes,
                         .work = event->work,
                         .nanoseconds = event->nanoseconds,
                         .time = event->time,
                         .cpu = event->cpu};
  g->listener(g->listener_data, &copy);
}

LUA_API void penumbra_setlistener(lua_State *L, penumbra_Listener f, void *ud) {
  Global *g = L->global;
  g->listener = f;
  g->listener_data = ud;
  events_route(g);
}

void events_route(Global *g) {
  bool heard = g->listener || g->observer[OBSERVER_TRACE].data ||
               g->observer[OBSERVER_REPORT].data;
  g->gc.listener.context = g;
  g->gc.listener.event = heard ? event_pass_on : NULL;
}

LUA_API penumbra_Listener penumbra_getlistener(lua_State *L, void **ud) {
  if (ud) *ud = L->global->listener_data;
  return L->global->listener;
}
