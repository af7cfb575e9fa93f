/* SPDX-License-Identifier: MIT */
/*
** snapshot.c -- the API: penumbra.h, heap snapshots
*/
#include <errno.h>
#include <stdio.h>

#include "api/describe.h"
#include "observe/snapshot.h"

/* The data of a snapshot under way. */
typedef struct SnapshotJob {
  Paths paths;
  lua_State *main;
  lua_Writer writer;
  penumbra_SnapshotDone done;
  void *ud;
} SnapshotJob;

static int job_write(void *context, const void *bytes, size_t size) {
  SnapshotJob *job = context;
  return job->writer(job->main, bytes, size, job->ud);
}

static void job_done(void *context, const SnapshotResult *result) {
  SnapshotJob *job = context;
  Heap *heap = &job->paths.global->gc.heap;
  penumbra_Snapshot copy = {.size = sizeof copy,
                            .ok = result->ok,
                            .error = result->error,
                            .nodes = result->nodes,
                            .edges = result->edges,
                            .bytes = result->bytes,
                            .moved = result->moved};
  if (job->done) job->done(job->ud, &copy);
  heap_raw_free(heap, job, sizeof *job);
}

/* To `file`, or to `writer` if that is NULL. */
static int job_begin(lua_State *L, FILE *file, lua_Writer writer,
                     penumbra_SnapshotDone done, void *ud) {
  Gc *gc = gc_of(L);
  if (gc_is_inspecting(gc)) return 0;
  SnapshotJob *job = heap_raw_allocate(&gc->heap, sizeof *job);
  if (!job) return 0;
  describe_begin(&job->paths, L->global);
  job->main = L->global->main;
  job->writer = writer;
  job->done = done;
  job->ud = ud;
  Describer describer = describer_of(&job->paths);
  SnapshotTarget target = {job_write, job_done, job, file};
  if (snapshot_begin(gc, &describer, &target)) return 1;
  /* not covered: memory for the job, but none for the snapshot */
  heap_raw_free(&gc->heap, job, sizeof *job);
  return 0; /* not covered: likewise */
}

LUA_API int penumbra_beginsnapshot(lua_State *L, lua_Writer writer,
                                   penumbra_SnapshotDone done, void *ud) {
  return job_begin(L, NULL, writer, done, ud);
}

LUA_API int penumbra_snapshotfile(lua_State *L, const char *name,
                                  penumbra_SnapshotDone done, void *ud) {
  errno = 0;
  if (gc_is_inspecting(gc_of(L))) return 0;
  FILE *file = fopen(name, "wb");
  if (!file) return 0;
  if (job_begin(L, file, NULL, done, ud)) return 1;
  fclose(file);
  errno = ENOMEM;
  return 0;
}

LUA_API int penumbra_isinspecting(lua_State *L) {
  return gc_is_inspecting(gc_of(L));
}

/* The data of a snapshot for which the program waits. */
typedef struct SnapshotAtOnce {
  lua_Writer writer;
  void *ud;
  penumbra_Snapshot result;
} SnapshotAtOnce;

static int at_once_write(lua_State *L, const void *bytes, size_t size,
                         void *ud) {
  SnapshotAtOnce *once = ud;
  return once->writer(L, bytes, size, once->ud);
}

static void at_once_done(void *ud, const penumbra_Snapshot *result) {
  ((SnapshotAtOnce *)ud)->result = *result;
}

/* A cycle under way may keep garbage alive.  So it ends first, and the snapshot
** is taken in another cycle, during which the program waits. */
static void snapshot_now(lua_State *L, Gc *gc, SnapshotAtOnce *once) {
  Cell *was = api_run(L);
  if (gc->phase != PHASE_PAUSE || gc_is_inspecting(gc)) gc_collect(gc);
  if (penumbra_beginsnapshot(L, at_once_write, at_once_done, once))
    gc_collect(gc);
  api_rest(L, was);
}

LUA_API int penumbra_snapshot(lua_State *L, lua_Writer writer, void *ud,
                              penumbra_Snapshot *result) {
  Gc *gc = gc_of(L);
  SnapshotAtOnce once = {writer, ud, {.error = "not enough memory"}};
  if (gc->inside)
    once.result.error = "the collector is at work";
  else
    snapshot_now(L, gc, &once);
  if (result)
    API_COPY_SIZED(result, &once.result, sizeof once.result,
                   "penumbra_Snapshot");
  return once.result.ok;
}
