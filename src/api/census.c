/* SPDX-License-Identifier: MIT */
/*
** census.c -- the API: penumbra.h, the number of objects of each sort
*/
#include "observe/census.h"

#include <stdio.h>

#include "api/describe.h"

typedef struct CensusJob {
  Paths paths;
  penumbra_CensusLine line;
  penumbra_CensusDone done;
  void *ud;
} CensusJob;

const char *kind_type(unsigned kind) {
  switch ((ObjectKind)kind) {
    case KIND_SHORT_STRING:
    case KIND_LONG_STRING: return "string";
    case KIND_LUA_CLOSURE:
    case KIND_C_CLOSURE: return "function";
    default: return object_kinds[kind].name;
  }
}

static void census_lines(const CensusJob *job, const CensusResult *r) {
  char text[32];
  for (unsigned i = 0; i < OBJECT_KIND_COUNT; i++)
    if (r->kind_count[i] > 0)
      job->line(job->ud, PENUMBRA_BYTYPE, kind_type(i), r->kind_count[i],
                r->kind_bytes[i]);
  for (unsigned i = 0; i < CENSUS_SIZES; i++) {
    if (r->size_count[i] == 0) continue;
    snprintf(text, sizeof text, "%llu", 1ull << i);
    job->line(job->ud, PENUMBRA_BYSIZE, text, r->size_count[i],
              r->size_bytes[i]);
  }
  for (unsigned i = 0; i < CENSUS_SORTS; i++)
    if (r->sort[i].count > 0)
      job->line(job->ud, PENUMBRA_BYNAME, r->sort[i].name, r->sort[i].count,
                r->sort[i].bytes);
}

static void census_job_done(void *context, const CensusResult *result) {
  CensusJob *job = context;
  if (result->ok) census_lines(job, result);
  if (job->done) job->done(job->ud, result->ok);
  heap_raw_free(&job->paths.global->gc.heap, job, sizeof *job);
}

LUA_API int penumbra_begincensus(lua_State *L, penumbra_CensusLine line,
                                 penumbra_CensusDone done, void *ud) {
  Gc *gc = gc_of(L);
  if (gc_is_inspecting(gc)) return 0;
  CensusJob *job = heap_raw_allocate(&gc->heap, sizeof *job);
  if (!job) return 0;
  describe_begin(&job->paths, L->global);
  job->line = line;
  job->done = done;
  job->ud = ud;
  Describer describer = describer_of(&job->paths);
  if (census_begin(gc, &describer, census_job_done, job)) return 1;
  heap_raw_free(&gc->heap, job, sizeof *job);
  return 0;
}

LUA_API int penumbra_census(lua_State *L, penumbra_CensusLine line, void *ud) {
  Gc *gc = gc_of(L);
  if (gc->inside) return 0;
  Cell *was = api_run(L);
  if (gc->phase != PHASE_PAUSE || gc_is_inspecting(gc)) gc_collect(gc);
  int ok = penumbra_begincensus(L, line, NULL, ud);
  if (ok) gc_collect(gc);
  api_rest(L, was);
  return ok;
}
