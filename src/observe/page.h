/* SPDX-License-Identifier: MIT */
/*
** page.h -- writing an HTML page with diagrams
**
** Diagrams are SVG inside the page.  Their colors are those of the page's style,
** so they follow a dark or a light setting of the reader.
*/
#ifndef PENUMBRA_OBSERVE_PAGE_H
#define PENUMBRA_OBSERVE_PAGE_H

#include "base/base.h"

#include <stdint.h>

/* Takes text.  Any result but 0 stops the page. */
typedef int PageWriter(void *context, const char *text, size_t size);

typedef struct Page {
  PageWriter *write;
  void *context;
  bool failed;
  size_t used;
  char buffer[8192];
} Page;

void page_begin(Page *page, PageWriter *write, void *context);
/* True if all text was written. */
bool page_end(Page *page);

/* Writes text as printf does.  One call writes at most 2000 bytes. */
COLD PRINTF_LIKE(2, 3) void page_put(Page *page, const char *format, ...);
/* Writes text that is not HTML. */
void page_text(Page *page, const char *text);

/* -- Numbers for people ---------------------------------------------------- */

enum { PAGE_NUMBER = 32 };

/* "12.3 MB", "950 µs", "1,234".  All return `text`. */
const char *page_bytes(char text[PAGE_NUMBER], double bytes);
const char *page_time(char text[PAGE_NUMBER], double nanoseconds);
const char *page_count(char text[PAGE_NUMBER], uint64_t count);

/* -- Diagrams -------------------------------------------------------------- */

/* What the numbers of an axis mean. */
typedef enum AxisUnit {
  AXIS_BYTES,
  AXIS_BYTES_PER_SECOND,
  AXIS_TIME, /* nanoseconds */
  AXIS_PERCENT,
  AXIS_COUNT
} AxisUnit;

typedef struct Axis {
  AxisUnit unit;
  bool is_log;
  double from, to;
} Axis;

typedef struct Chart {
  Page *page;
  Axis x, y;
} Chart;

/* Begins a diagram with its axes.  `label` says what it shows, for readers that
** do not see it. */
void chart_begin(Chart *chart, Page *page, const char *label, Axis x, Axis y);
void chart_end(Chart *chart);

/* Writes a command of a path, "M" or "L", to a point. */
void chart_point(const Chart *chart, char command, double x, double y);

/* Begins a bar.  The caller writes what a reader sees who points at it, and
** "</title></path>". */
typedef struct ChartBar {
  double from, to;
  double low, high;
} ChartBar;
void chart_bar(const Chart *chart, const char *style, const ChartBar *bar);

/* An entry of a legend. */
void chart_legend(Page *page, const char *style, const char *text);

#endif
