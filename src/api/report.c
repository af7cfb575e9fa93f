/* SPDX-License-Identifier: MIT */
/*
** report.c -- the API: penumbra.h, a report of a run
**
** The record listens to the collector (observe/record.h).  A report adds what
** samples of allocations and a census know.
*/
#include "observe/report.h"

#include "penumbra.h"

#include "api/api_impl.h"
#include "api/describe.h"
#include "observe/dominators.h"

enum {
  RETAINED = 20,          /* objects that keep most alive */
  REPORT_INTERVAL = 65536 /* bytes between two samples */
};

/* -- Lines that allocate --------------------------------------------------- */

/* A line has a row for each stack of calls. */
static void line_add(void *ud, const penumbra_Site *site) {
  Report *report = ud;
  report_open(report, NULL, '{');
  report_text(report, "name", stack_line(site->stack));
  report_number(report, "count", site->objects);
  report_number(report, "bytes", site->bytes);
  report_number(report, "live", site->live_bytes);
  report_number(report, "growth", site->growing ? site->growth : 0);
  report_close(report, '}');
}

static void report_lines(Report *report, lua_State *L) {
  report_open(report, "lines", '[');
  penumbra_getsites(L, line_add, report);
  report_close(report, ']');
  report_number(report, "sampled",
                api_of(L->global)->samples ? L->global->gc.watch.interval : 0);
}

/* -- The census ------------------------------------------------------------ */

static void census_row(void *ud, int by, const char *name, lua_Unsigned count,
                       lua_Unsigned bytes) {
  Report *report = ud;
  if (by == PENUMBRA_BYSIZE) return;
  report_open(report, NULL, '{');
  report_text(report, "by", by == PENUMBRA_BYTYPE ? "type" : "name");
  report_text(report, "name", name);
  report_number(report, "count", count);
  report_number(report, "bytes", bytes);
  report_close(report, '}');
}

static bool report_census(Report *report, lua_State *L) {
  report_open(report, "census", '[');
  bool ok = penumbra_census(L, census_row, report);
  report_close(report, ']');
  return ok;
}

/* -- What keeps most alive ------------------------------------------------- */

/* Objects that are there in any program. */
static bool is_foundation(const Global *g, const Cell *cell) {
  return cell == g->registry.as.cell || cell == thread_cell(g->main);
}

static void retained_row(Report *report, const char *path, uint64_t bytes) {
  report_open(report, NULL, '{');
  report_text(report, "name", path);
  report_number(report, "bytes", bytes);
  report_close(report, '}');
}

static void retained_rows(Report *report, Global *g, const Dominators *d,
                          Paths *paths) {
  enum { TOP = RETAINED + 4 };
  uint32_t top[TOP];
  size_t count = dominators_top(d, top, TOP);
  int rows = 0;
  for (size_t i = 0; i < count && rows < RETAINED; i++) {
    char path[200];
    Cell *cell = dominators_cell(d, top[i]);
    uint64_t bytes = d->retained[top[i]];
    if (is_foundation(g, cell) || bytes * 200 < d->retained[0]) continue;
    why_text(&d->reach, paths, cell, path, sizeof path);
    if (!path[0]) continue;
    retained_row(report, path, bytes);
    rows++;
  }
}

/* Returns the bytes of all objects; 0 if the search is not affordable. */
static uint64_t retained_find(Report *report, Global *g, Paths *paths) {
  Dominators d;
  describe_paths(paths, g);
  Describer describer = describer_of(paths);
  bool ok = dominators_find(&d, &g->gc, &describer);
  uint64_t sum = ok ? d.retained[0] : 0;
  if (ok) retained_rows(report, g, &d, paths);
  dominators_free(&d);
  return sum;
}

static void report_retained(Report *report, Global *g) {
  Paths *paths = heap_raw_allocate(&g->gc.heap, sizeof *paths);
  uint64_t sum = 0;
  report_open(report, "retained", '[');
  if (paths) sum = retained_find(report, g, paths);
  if (paths) heap_raw_free(&g->gc.heap, paths, sizeof *paths);
  report_close(report, ']');
  report_number(report, "retained_sum", sum);
}

/* -- Settings -------------------------------------------------------------- */

static void report_settings(Report *report, const Global *g) {
  const Gc *gc = &g->gc;
  report_open(report, "settings", '{');
  report_text(report, "mode",
              gc->generational ? "generational" : "incremental");
  report_number(report, "stopped", gc->stopped);
  report_number(report, "pause", (uint64_t)gc->pause);
  report_number(report, "step_multiplier", (uint64_t)gc->step_multiplier);
  report_number(report, "minor_multiplier", (uint64_t)gc->minor_multiplier);
  report_number(report, "major_multiplier", (uint64_t)gc->major_multiplier);
  report_number(report, "finalizers",
                (uint64_t)api_of(g)->vm.finalizers_per_step);
  report_number(report, "limit", gc->heap.limit);
  report_number(report, "target", gc->target);
  report_number(report, "frame", gc->pace.frame_most);
  report_text(report, "version", LUA_RELEASE);
  report_close(report, '}');
}

/* -- The record ------------------------------------------------------------ */

/* The report is here while it is being made, so that an error loses nothing. */
typedef struct Recorder {
  Record record;
  Report report;
} Recorder;

void recorder_event(Recorder *recorder, const GcEvent *event) {
  record_event(&recorder->record, event);
}

void recorder_stop(Global *g) {
  Recorder *recorder = api_of(g)->recorder;
  if (!recorder) return;
  api_of(g)->recorder = NULL;
  report_free(&recorder->report);
  heap_raw_free(&g->gc.heap, recorder, sizeof *recorder);
  events_route(g);
}

LUA_API int penumbra_record(lua_State *L, int on) {
  Global *g = L->global;
  recorder_stop(g);
  if (!on) return 1;
  Recorder *recorder = heap_raw_allocate(&g->gc.heap, sizeof *recorder);
  if (!recorder) return 0;
  if (!api_of(g)->samples && !penumbra_samplealloc(L, REPORT_INTERVAL)) {
    heap_raw_free(&g->gc.heap, recorder, sizeof *recorder);
    return 0;
  }
  record_begin(&recorder->record, &g->gc);
  recorder->report.text = NULL;
  api_of(g)->recorder = recorder;
  events_route(g);
  return 1;
}

/* -- The report ------------------------------------------------------------ */

/* The record comes last: it is long, and the census frees memory.  The work for
** the report itself is not recorded. */
static bool report_write(Report *report, lua_State *L, const char *title,
                         Record *record) {
  Global *g = L->global;
  report_text(report, "title", title);
  report_settings(report, g);
  report_number(report, "finalizers_called", g->gc.stats.finalizers_taken);
  report_number(report, "finalizers_due", worklist_count(&g->gc.to_finalize));
  report_lines(report, L); /* may raise an error */
  record_end(record);
  bool ok = report_census(report, L);
  if (ok) report_retained(report, g);
  if (ok) report_record(report, record);
  record_resume(record);
  return ok && report_end(report);
}

LUA_API int penumbra_report(lua_State *L, const char *title, lua_Writer writer,
                            void *ud) {
  Global *g = L->global;
  Recorder *recorder = api_of(g)->recorder;
  if (!recorder || g->gc.inside) return 0;
  report_free(&recorder->report);
  report_begin(&recorder->report, &g->gc.heap);
  bool ok = report_write(&recorder->report, L, title, &recorder->record);
  Report report = recorder->report; /* the writer may drop the record */
  recorder->report.text = NULL;
  ok = ok && writer(L, report.text, report.used, ud) == 0;
  report_free(&report);
  return ok;
}
