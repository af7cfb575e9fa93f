/* SPDX-License-Identifier: MIT */
/*
** page.c -- writing an HTML page with diagrams
*/
#include "observe/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_ROOM = 2048 /* bytes that one call may write */ };

/* -- Text ------------------------------------------------------------------ */

void page_begin(Page *page, PageWriter *write, void *context) {
  page->write = write;
  page->context = context;
  page->failed = false;
  page->used = 0;
}

static void page_flush(Page *page) {
  if (page->used > 0 && !page->failed &&
      page->write(page->context, page->buffer, page->used) != 0)
    page->failed = true;
  page->used = 0;
}

bool page_end(Page *page) {
  page_flush(page);
  return !page->failed;
}

void page_put(Page *page, const char *format, ...) {
  if (sizeof page->buffer - page->used < PAGE_ROOM) page_flush(page);
  va_list arguments;
  va_start(arguments, format);
  int length =
      vsnprintf(page->buffer + page->used, PAGE_ROOM, format, arguments);
  va_end(arguments);
  if (length > 0) page->used += size_min((size_t)length, PAGE_ROOM - 1);
}

/* Bytes that are not UTF-8 would be shown as unknown characters.  Control
** characters are not allowed in a page. */
void page_text(Page *page, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '<': page_put(page, "&lt;"); break;
      case '>': page_put(page, "&gt;"); break;
      case '&': page_put(page, "&amp;"); break;
      case '"': page_put(page, "&quot;"); break;
      default: page_put(page, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    }
  }
}

/* -- Numbers --------------------------------------------------------------- */

/* Three digits, or all digits in front of the point. */
static const char *number_print(char text[PAGE_NUMBER], double n,
                                const char *unit) {
  int digits = n >= 99.95 || n == floor(n) ? 0 : n >= 9.995 ? 1 : 2;
  snprintf(text, PAGE_NUMBER, "%.*f%s", digits, n, unit);
  return text;
}

/* The number in the first unit in which it is below 1000, or in the last. */
static const char *number_scaled(char text[PAGE_NUMBER], double n, double step,
                                 const char *const *unit, int units) {
  int i = 0;
  for (; i < units - 1 && n >= 1000; i++) n /= step;
  return number_print(text, n, unit[i]);
}

const char *page_bytes(char text[PAGE_NUMBER], double bytes) {
  static const char *const units[] = {" B", " KB", " MB", " GB", " TB"};
  return number_scaled(text, bytes, 1024, units, 5);
}

const char *page_time(char text[PAGE_NUMBER], double nanoseconds) {
  static const char *const units[] = {" ns", " \xC2\xB5s", " ms", " s"};
  if (nanoseconds == 0) return strcpy(text, "0");
  return number_scaled(text, nanoseconds, 1000, units, 4);
}

const char *page_count(char text[PAGE_NUMBER], uint64_t count) {
  char digits[24];
  int length =
      snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
  char *to = text;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) *to++ = ',';
    *to++ = digits[i];
  }
  *to = '\0';
  return text;
}

static const char *axis_number(char text[PAGE_NUMBER], AxisUnit unit,
                               double n) {
  char inner[PAGE_NUMBER];
  if (n == 0) return strcpy(text, "0");
  switch (unit) {
    case AXIS_BYTES: return page_bytes(text, n);
    case AXIS_BYTES_PER_SECOND:
      snprintf(text, PAGE_NUMBER, "%.20s/s", page_bytes(inner, n));
      return text;
    case AXIS_TIME: return page_time(text, n);
    case AXIS_PERCENT: return number_print(text, n, " %");
    case AXIS_COUNT: return number_print(text, n, "");
  }
  return text;
}

/* -- Axes ------------------------------------------------------------------ */

enum {
  WIDTH = 920,
  HEIGHT = 230,
  LEFT = 76,
  RIGHT = 14,
  TOP = 10,
  BOTTOM = 30
};

static double axis_part(const Axis *axis, double value) {
  if (axis->is_log) return log(value / axis->from) / log(axis->to / axis->from);
  return (value - axis->from) / (axis->to - axis->from);
}

static double axis_clamp(double n, double from, double to) {
  return n < from ? from : n > to ? to : n;
}

static double chart_x(const Chart *chart, double value) {
  double part = axis_clamp(axis_part(&chart->x, value), 0, 1);
  return LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double chart_y(const Chart *chart, double value) {
  double part = axis_clamp(axis_part(&chart->y, value), 0, 1);
  return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

static void axis_tick_x(const Chart *chart, double value) {
  char text[PAGE_NUMBER];
  int x = (int)(chart_x(chart, value) + 0.5);
  page_put(chart->page,
           "<path class=grid d='M%d %dV%d'/>"
           "<text x='%d' y='%d' text-anchor=middle>%s</text>",
           x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18,
           axis_number(text, chart->x.unit, value));
}

static void axis_tick_y(const Chart *chart, double value) {
  char text[PAGE_NUMBER];
  int y = (int)(chart_y(chart, value) + 0.5);
  page_put(chart->page,
           "<path class=grid d='M%d %dH%d'/>"
           "<text x='%d' y='%d' text-anchor=end>%s</text>",
           LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4,
           axis_number(text, chart->y.unit, value));
}

/* A round distance so that there are about `count` ticks. */
static double axis_step(const Axis *axis, int count) {
  double unit = 1, rough = (axis->to - axis->from) / count;
  bool binary = axis->unit == AXIS_BYTES || axis->unit == AXIS_BYTES_PER_SECOND;
  while (binary && axis->to / unit >= 1000) unit *= 1024;
  while (rough / unit >= 10) unit *= 10;
  while (rough / unit < 1 && unit > 1e-9) unit /= 10;
  double n = rough / unit;
  return unit * (n > 5 ? 10 : n > 2 ? 5 : n > 1 ? 2 : 1);
}

static void axis_ticks(const Chart *chart, const Axis *axis, int count,
                       void (*tick)(const Chart *, double)) {
  if (axis->is_log) {
    double n = pow(10, ceil(log10(axis->from) - 1e-9));
    for (; n <= axis->to * 1.0001; n *= 10) tick(chart, n);
    return;
  }
  double step = axis_step(axis, count);
  double first = ceil(axis->from / step - 1e-9);
  for (int i = 0; i < 20 && (first + i) * step <= axis->to * 1.0001; i++)
    tick(chart, (first + i) * step);
}

void chart_begin(Chart *chart, Page *page, const char *label, Axis x, Axis y) {
  *chart = (Chart){page, x, y};
  if (chart->x.to <= chart->x.from) chart->x.to = chart->x.from + 1;
  if (chart->y.to <= chart->y.from) chart->y.to = chart->y.from + 1;
  page_put(page, "<svg viewBox='0 0 %d %d' role=img><title>%s</title>", WIDTH,
           HEIGHT, label);
  axis_ticks(chart, &chart->x, 8, axis_tick_x);
  axis_ticks(chart, &chart->y, 5, axis_tick_y);
  page_put(page, "<path class=axis d='M%d %dV%dH%d'/>\n", LEFT, TOP,
           HEIGHT - BOTTOM, WIDTH - RIGHT);
}

/* Without printf's numbers, whose point depends on the locale. */
static void chart_number(Page *page, double n) {
  int tenths = (int)(n * 10 + 0.5);
  page_put(page, "%d.%d", tenths / 10, tenths % 10);
}

void chart_point(const Chart *chart, char command, double x, double y) {
  page_put(chart->page, "%c", command);
  chart_number(chart->page, chart_x(chart, x));
  page_put(chart->page, " ");
  chart_number(chart->page, chart_y(chart, y));
}

void chart_bar(const Chart *chart, const char *style, const ChartBar *bar) {
  double left = chart_x(chart, bar->from), right = chart_x(chart, bar->to);
  double top = chart_y(chart, bar->high), bottom = chart_y(chart, bar->low);
  Page *page = chart->page;
  page_put(page, "<path class='%s' d='M", style);
  chart_number(page, left);
  page_put(page, " ");
  chart_number(page, bottom);
  page_put(page, "V");
  chart_number(page, bottom - top < 0.8 ? bottom - 0.8 : top);
  page_put(page, "H");
  chart_number(page, right - left > 2 ? right - 0.8 : right);
  page_put(page, "V");
  chart_number(page, bottom);
  page_put(page, "z'><title>");
}

void chart_end(Chart *chart) { page_put(chart->page, "</svg>\n"); }

void chart_legend(Page *page, const char *style, const char *text) {
  page_put(page, "<span class=key><i class='%s'></i>%s</span> ", style, text);
}
