/* SPDX-License-Identifier: MIT */
/*
** report.h -- a page about a run: plots, tables, and what they suggest
**
** One HTML file that needs nothing else: no network, no script.
*/
#ifndef PENUMBRA_OBSERVE_REPORT_H
#define PENUMBRA_OBSERVE_REPORT_H

#include "observe/page.h"
#include "observe/record.h"

/* A line of a table.  Which numbers it has depends on the table. */
typedef struct ReportRow {
  char name[200];
  uint64_t count;
  uint64_t bytes;
  uint64_t live;   /* of the bytes, still in use */
  uint64_t growth; /* bytes that major cycles found more and more of */
} ReportRow;

typedef struct ReportTable {
  const ReportRow *row;
  size_t count;
  uint64_t sum; /* of the bytes of all rows, also of those that are not here */
} ReportTable;

typedef struct ReportSetting {
  const char *name;
  char value[64];
} ReportSetting;

enum { REPORT_SETTINGS = 16 };

typedef struct Report {
  const Record *record;
  const char *title;
  ReportTable lines;    /* that allocate, the most bytes first */
  ReportTable growing;  /* lines whose live bytes grow, the most first */
  ReportTable types;    /* of live objects at the end */
  ReportTable names;    /* of live objects at the end */
  ReportTable retained; /* objects that keep most bytes alive at the end */
  bool has_retained;    /* ... which was affordable */
  size_t interval;      /* bytes between two samples; 0: no samples */
  uint64_t finalizer_nanoseconds;
  uint64_t finalizers_called;
  size_t finalizers_due;
  bool generational;
  ReportSetting setting[REPORT_SETTINGS];
  size_t setting_count;
} Report;

/* Writes the page.  False if the writer has failed. */
bool report_write(const Report *report, PageWriter *write, void *context);

/* -- advice.c -------------------------------------------------------------- */

/* Writes what the figures suggest, as items of a list. */
void advice_write(const Report *report, Page *page);

/* The part of the run, from 0 to 1, that the program waited. */
double report_share(const Report *report);

#endif
