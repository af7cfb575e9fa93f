/* SPDX-License-Identifier: MIT */
/*
** trace.c -- the API: penumbra.h, the collector on a timeline
*/
#include "observe/trace.h"

#include <errno.h>
#include <stdio.h>

#include "api/api_impl.h"

/* A trace and the functions that receive it. */
typedef struct TraceJob {
  Trace trace; /* must be first */
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

int trace_stop(Global *g) {
  TraceJob *job = (TraceJob *)api_of(g)->trace;
  if (!job) return 1;
  bool ok = trace_end(&job->trace);
  api_of(g)->trace = NULL;
  heap_raw_free(&g->gc.heap, job, sizeof *job);
  events_route(g);
  return ok;
}

/* Trace events go to `file`, or to `events` if that is NULL. */
static int trace_start(Global *g, FILE *file, penumbra_TraceWriter events,
                       penumbra_TraceWriter lines, void *ud) {
  TraceJob *job = heap_raw_allocate(&g->gc.heap, sizeof *job);
  if (!job) return 0;
  job->events = events;
  job->lines = lines;
  job->ud = ud;
  TraceTarget target = {file, events ? trace_write_events : NULL,
                        lines ? trace_write_lines : NULL, job};
  if (!trace_begin(&job->trace, &g->gc, &target)) {
    /* not covered: memory for the job, but none for its file */
    heap_raw_free(&g->gc.heap, job, sizeof *job);
    return 0; /* not covered: likewise */
  }
  api_of(g)->trace = &job->trace;
  events_route(g);
  return 1;
}

LUA_API int penumbra_trace(lua_State *L, penumbra_TraceWriter events,
                           penumbra_TraceWriter lines, void *ud) {
  int ok = trace_stop(L->global);
  return events || lines ? trace_start(L->global, NULL, events, lines, ud) : ok;
}

LUA_API int penumbra_tracefile(lua_State *L, const char *name,
                               penumbra_TraceWriter lines, void *ud) {
  trace_stop(L->global);
  FILE *file = fopen(name, "wb");
  if (!file) return 0;
  if (trace_start(L->global, file, NULL, lines, ud)) return 1;
  fclose(file);
  errno = ENOMEM;
  return 0;
}

LUA_API void penumbra_tracemark(lua_State *L, const char *name) {
  Trace *trace = api_of(L->global)->trace;
  if (trace) trace_mark(trace, name);
}
