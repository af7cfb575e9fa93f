/* SPDX-License-Identifier: MIT */
/*
** report.c -- the API: penumbra.h, a report of a run
**
** The record listens to the collector (observe/record.h).  A report adds what
** samples of allocations and a census know.
*/
#include "observe/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "penumbra.h"

#include "api/api_impl.h"
#include "api/events.h"
#include "api/describe.h"
#include "api/samples.h"
#include "api/why.h"
#include "observe/dominators.h"

enum {
  TABLES = 5,
  ROWS = 20,              /* rows of a table on the page */
  REPORT_INTERVAL = 65536 /* bytes between two samples */
};

/* -- Rows ------------------------------------------------------------------ */

/* Rows that are added up by name.  Their number is bounded by the number of
** sites, or of sorts of a census. */
typedef struct RowList {
  Heap *heap;
  ReportRow *row;
  size_t count, room;
  uint64_t sum; /* of their bytes */
  bool failed;
} RowList;

static void rows_free(RowList *list) {
  if (list->row)
    heap_raw_free(list->heap, list->row, list->room * sizeof *list->row);
  list->row = NULL;
}

static void rows_grow(RowList *list) {
  size_t room = list->room ? 2 * list->room : 64;
  ReportRow *row = heap_raw_allocate(list->heap, room * sizeof *row);
  if (!row) {
    list->failed = true;
    return;
  }
  if (list->count > 0) memcpy(row, list->row, list->count * sizeof *row);
  rows_free(list);
  list->row = row;
  list->room = room;
}

static void rows_add(RowList *list, const ReportRow *row) {
  if (list->count == list->room) rows_grow(list);
  if (list->count == list->room) return;
  list->row[list->count++] = *row;
  list->sum += row->bytes;
}

static int row_by_name(const void *a, const void *b) {
  return strcmp(((const ReportRow *)a)->name, ((const ReportRow *)b)->name);
}

static int row_by_bytes(const void *a, const void *b) {
  uint64_t x = ((const ReportRow *)a)->bytes, y = ((const ReportRow *)b)->bytes;
  return x < y ? 1 : x > y ? -1 : row_by_name(a, b);
}

static int row_by_growth(const void *a, const void *b) {
  uint64_t x = ((const ReportRow *)a)->growth;
  uint64_t y = ((const ReportRow *)b)->growth;
  return x < y ? 1 : x > y ? -1 : row_by_name(a, b);
}

/* Adds rows of the same name. */
static void rows_join(RowList *list) {
  size_t count = 0;
  if (list->count == 0) return;
  qsort(list->row, list->count, sizeof *list->row, row_by_name);
  for (size_t i = 0; i < list->count; i++) {
    ReportRow *last = count > 0 ? &list->row[count - 1] : NULL;
    const ReportRow *row = &list->row[i];
    if (!last || strcmp(last->name, row->name) != 0) {
      list->row[count++] = *row;
      continue;
    }
    last->count += row->count;
    last->bytes += row->bytes;
    last->live += row->live;
    last->growth += row->growth;
  }
  list->count = count;
}

static ReportTable rows_table(RowList *list,
                              int (*order)(const void *, const void *)) {
  if (list->count > 0) qsort(list->row, list->count, sizeof *list->row, order);
  return (ReportTable){list->row, size_min(list->count, ROWS), list->sum};
}

/* Drops small rows from the end of a sorted table. */
static void table_cut(ReportTable *table) {
  enum { LEAST = 6, PARTS = 1000 };
  while (table->count > LEAST &&
         table->row[table->count - 1].bytes * PARTS < table->sum)
    table->count--;
}

/* -- Lines that allocate --------------------------------------------------- */

static void line_add(void *ud, const penumbra_Site *site) {
  ReportRow row = {
      .count = site->objects, .bytes = site->bytes, .live = site->live_bytes};
  if (site->growing) row.growth = site->growth;
  snprintf(row.name, sizeof row.name, "%s", stack_line(site->stack));
  rows_add(ud, &row);
}

/* -- The census ------------------------------------------------------------ */

typedef struct CensusRows {
  RowList *types, *names;
} CensusRows;

static void census_row(void *ud, int by, const char *name, lua_Unsigned count,
                       lua_Unsigned bytes) {
  const CensusRows *rows = ud;
  ReportRow row = {.count = count, .bytes = bytes};
  snprintf(row.name, sizeof row.name, "%s", name);
  if (by == PENUMBRA_BYTYPE) rows_add(rows->types, &row);
  if (by == PENUMBRA_BYNAME) rows_add(rows->names, &row);
}

/* -- What keeps most alive ------------------------------------------------- */

/* Objects that are there in any program. */
static bool is_foundation(const Global *g, const Cell *cell) {
  return cell == g->registry.as.cell || cell == thread_cell(g->main);
}

static void retained_rows(RowList *list, Global *g, const Dominators *d,
                          Paths *paths) {
  enum { TOP = ROWS + 4 };
  uint32_t top[TOP];
  size_t count = dominators_top(d, top, TOP);
  for (size_t i = 0; i < count && list->count < ROWS; i++) {
    Cell *cell = dominators_cell(d, top[i]);
    ReportRow row = {.bytes = d->retained[top[i]]};
    if (is_foundation(g, cell) || row.bytes * 200 < d->retained[0]) continue;
    why_text(&d->reach, paths, cell, row.name, sizeof row.name);
    if (row.name[0]) rows_add(list, &row);
  }
  list->sum = d->retained[0];
}

static bool retained_fill(RowList *list, Global *g) {
  Dominators d;
  Paths *paths = heap_raw_allocate(&g->gc.heap, sizeof *paths);
  if (!paths) return false;
  describe_paths(paths, g);
  Describer describer = {describe_more, describe_weakness, describe_weigh,
                         describe_node, describe_edge,     paths};
  bool ok = dominators_find(&d, &g->gc, &describer);
  if (ok) retained_rows(list, g, &d, paths);
  dominators_free(&d);
  heap_raw_free(&g->gc.heap, paths, sizeof *paths);
  return ok;
}

/* -- Settings -------------------------------------------------------------- */

static PRINTF_LIKE(3, 4) void setting_add(Report *report, const char *name,
                                          const char *format, ...) {
  va_list arguments;
  if (report->setting_count == REPORT_SETTINGS) return;
  ReportSetting *setting = &report->setting[report->setting_count++];
  setting->name = name;
  va_start(arguments, format);
  vsnprintf(setting->value, sizeof setting->value, format, arguments);
  va_end(arguments);
}

static void setting_bytes(Report *report, const char *name, size_t bytes) {
  char text[PAGE_NUMBER];
  if (bytes > 0)
    setting_add(report, name, "%s", page_bytes(text, (double)bytes));
  else
    setting_add(report, name, "none");
}

static void settings_fill(Report *report, const Global *g) {
  const Gc *gc = &g->gc;
  setting_add(report, "mode", "%s",
              gc->generational ? "generational" : "incremental");
  setting_add(report, "running", "%s",
              gc->stopped ? "no: stopped by the program" : "yes");
  setting_add(report, "pause", "%d %%", gc->pause);
  setting_add(report, "step multiplier", "%d %%", gc->step_multiplier);
  setting_add(report, "minor multiplier", "%d %%", gc->minor_multiplier);
  setting_add(report, "major multiplier", "%d %%", gc->major_multiplier);
  setting_add(report, "most finalizers after a step", "%d",
              g->finalizers_per_step);
  setting_bytes(report, "limit of memory (--max-memory)", gc->heap.limit);
  setting_bytes(report, "soft target (gc.target)", gc->target);
  setting_add(report, "bound for steps in a frame (gc.frame)",
              gc->pace.frame_most ? "%llu \xC2\xB5s" : "none",
              (unsigned long long)gc->pace.frame_most / 1000);
  setting_add(report, "version", "%s", LUA_RELEASE);
}

/* -- The record ------------------------------------------------------------ */

static Record *record_of(const Global *g) {
  return g->observer[OBSERVER_REPORT].data;
}

void events_record(Global *g, const GcEvent *event) {
  Record *record = record_of(g);
  if (record) record_event(record, event);
}

static void record_drop(Global *g) {
  Record *record = record_of(g);
  if (!record) return;
  g->observer[OBSERVER_REPORT].data = NULL;
  g->finalizers_timed = false;
  heap_raw_free(&g->gc.heap, record, sizeof *record);
  events_route(g);
}

LUA_API int penumbra_record(lua_State *L, int on) {
  Global *g = L->global;
  record_drop(g);
  if (!on) return 1;
  Record *record = heap_raw_allocate(&g->gc.heap, sizeof *record);
  if (!record) return 0;
  if (!samples_of(g) && !penumbra_samplealloc(L, REPORT_INTERVAL)) {
    heap_raw_free(&g->gc.heap, record, sizeof *record);
    return 0;
  }
  record_begin(record, &g->gc);
  g->observer[OBSERVER_REPORT] = (Observer){record, record_drop};
  g->finalizers_timed = true;
  g->finalizer_nanoseconds = 0;
  events_route(g);
  return 1;
}

/* -- The report ------------------------------------------------------------ */

typedef struct ReportOutput {
  lua_State *L;
  lua_Writer writer;
  void *ud;
} ReportOutput;

static int report_output(void *context, const char *text, size_t size) {
  ReportOutput *out = context;
  return out->writer(out->L, text, size, out->ud);
}

static bool report_with_rows(lua_State *L, Report *report, RowList list[TABLES],
                             ReportOutput *out) {
  RowList *lines = &list[0], *growing = &list[1];
  Global *g = L->global;
  CensusRows census = {&list[2], &list[3]};
  penumbra_getsites(L, line_add, lines);
  if (!penumbra_census(L, census_row, &census)) return false;
  report->has_retained = retained_fill(&list[4], g);
  for (int i = 0; i < 4; i++) rows_join(&list[i]);
  for (size_t i = 0; i < lines->count; i++)
    if (lines->row[i].growth > 0) rows_add(growing, &lines->row[i]);
  for (int i = 0; i < TABLES; i++)
    if (list[i].failed) return false;
  if (samples_of(g)) report->interval = g->gc.watch.interval;
  report->lines = rows_table(lines, row_by_bytes);
  report->growing = rows_table(growing, row_by_growth);
  report->types = rows_table(census.types, row_by_bytes);
  report->names = rows_table(census.names, row_by_bytes);
  table_cut(&report->names);
  report->retained = rows_table(&list[4], row_by_bytes);
  return report_write(report, report_output, out);
}

/* The work for the report itself is not recorded. */
LUA_API int penumbra_report(lua_State *L, const char *title, lua_Writer writer,
                            void *ud) {
  Global *g = L->global;
  Record *record = record_of(g);
  if (!record || g->gc.inside) return 0;
  RowList list[TABLES] = {{.heap = NULL}};
  Report report = {.record = record,
                   .title = title,
                   .generational = g->gc.generational,
                   .finalizers_called = g->gc.stats.finalizers_taken,
                   .finalizers_due = worklist_count(&g->gc.to_finalize),
                   .finalizer_nanoseconds = g->finalizer_nanoseconds};
  ReportOutput out = {L, writer, ud};
  for (int i = 0; i < TABLES; i++) list[i].heap = &g->gc.heap;
  settings_fill(&report, g);
  record_end(record);
  bool ok = report_with_rows(L, &report, list, &out);
  for (int i = 0; i < TABLES; i++) rows_free(&list[i]);
  record_resume(record);
  return ok;
}
