/* SPDX-License-Identifier: MIT */
/*
** trace.c -- the API: penumbra.h, the collector on a timeline
*/
#include "observe/trace.h"

#include "penumbra.h"

#include "api/api_impl.h"
#include "api/events.h"

/* A trace and the functions that receive it. */
typedef struct TraceJob {
  Trace trace;
  penumbra_TraceWriter events;
  penumbra_TraceWriter lines;
  void *ud;
} TraceJob;

static int trace_write_events(void *context, const char *text, size_t size) {
  TraceJob *job = context;
  return job->events(job->ud, text, size);
}

static int trace_write_lines(void *context, const char *text, size_t size) {
  TraceJob *job = context;
  return job->lines(job->ud, text, size);
}

static TraceJob *trace_job(const Global *g) {
  return g->observer[OBSERVER_TRACE].data;
}

static int trace_stop(Global *g) {
  TraceJob *job = trace_job(g);
  if (!job) return 1;
  bool ok = trace_end(&job->trace);
  g->observer[OBSERVER_TRACE].data = NULL;
  heap_raw_free(&g->gc.heap, job, sizeof *job);
  events_route(g);
  return ok;
}

static void trace_close(Global *g) { trace_stop(g); }

LUA_API int penumbra_trace(lua_State *L, penumbra_TraceWriter events,
                           penumbra_TraceWriter lines, void *ud) {
  Global *g = L->global;
  int ok = trace_stop(g);
  if (!events && !lines) return ok;
  TraceJob *job = heap_raw_allocate(&g->gc.heap, sizeof *job);
  if (!job) return 0;
  job->events = events;
  job->lines = lines;
  job->ud = ud;
  trace_begin(&job->trace, &g->gc, events ? trace_write_events : NULL,
              lines ? trace_write_lines : NULL, job);
  g->observer[OBSERVER_TRACE] = (Observer){job, trace_close};
  events_route(g);
  return 1;
}

LUA_API void penumbra_mark(lua_State *L, const char *name) {
  TraceJob *job = trace_job(L->global);
  if (job) trace_mark(&job->trace, name);
}

void events_trace(Global *g, const GcEvent *event) {
  TraceJob *job = trace_job(g);
  if (job) trace_event(&job->trace, event);
}
