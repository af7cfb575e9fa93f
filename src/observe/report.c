/* SPDX-License-Identifier: MIT */
/*
** report.c -- a page about a run: plots, tables, and what they suggest
*/
#include "observe/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char report_style[] =
    ":root{--ground:#fff;--ink:#1c2128;--soft:#5d6673;--line:#e2e6eb;"
    "--card:#f6f8fa;--a:#2463c9;--b:#c2482d;--c:#1d8a5b;--d:#8256c4}"
    "@media(prefers-color-scheme:dark){:root{--ground:#14181d;--ink:#e3e8ee;"
    "--soft:#98a3b0;--line:#2c333c;--card:#1c2228;--a:#6ea3f5;--b:#ef8a6f;"
    "--c:#55c595;--d:#b595ee}}"
    "*{box-sizing:border-box}body{background:var(--ground);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:990px;"
    "padding:28px 24px 60px}h1{font-size:26px;margin:0}"
    "h2{font-size:18px;margin:38px 0 4px}p{margin:4px 0 10px;"
    "color:var(--soft);max-width:52em}"
    ".tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:10px;"
    "margin:20px 0}"
    ".tile{background:var(--card);border:1px solid var(--line);"
    "border-radius:8px;padding:10px 14px;color:var(--soft);font-size:13px}"
    ".tile b{display:block;font-size:21px;color:var(--ink);"
    "font-weight:600;font-variant-numeric:tabular-nums}"
    "ul{margin:8px 0;padding:12px 16px 12px 34px;background:var(--card);"
    "border:1px solid var(--line);border-left:4px solid var(--a);"
    "border-radius:8px}li{margin:3px 0}"
    "svg{width:100%;height:auto;display:block;margin-top:4px}"
    "svg text{fill:var(--soft);font-size:12px}"
    ".grid{stroke:var(--line);fill:none}.axis{stroke:var(--soft);fill:none}"
    ".la{stroke:var(--a)}.lb{stroke:var(--b)}.lc{stroke:var(--c)}"
    ".ld{stroke:var(--d)}.la,.lb,.lc,.ld{fill:none;stroke-width:1.6}"
    ".lb{stroke-dasharray:6 4}"
    ".fa{fill:var(--a)}.fb{fill:var(--b)}.fc{fill:var(--c)}.fd{fill:var(--d)}"
    ".pale{opacity:.22}"
    ".key{font-size:13px;color:var(--soft);margin-right:14px}"
    ".key i{display:inline-block;width:12px;height:12px;border-radius:3px;"
    "margin-right:6px;vertical-align:-1px}i.fa{background:var(--a)}"
    "i.fb{background:var(--b)}i.fc{background:var(--c)}"
    "i.fd{background:var(--d)}"
    "table{border-collapse:collapse;width:100%;margin-top:6px;"
    "font-variant-numeric:tabular-nums}th{text-align:right;font-weight:600;"
    "color:var(--soft);font-size:13px;border-bottom:1px solid var(--line);"
    "padding:4px 8px}td{text-align:right;padding:3px 8px;"
    "border-bottom:1px solid var(--line);white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left;white-space:normal;"
    "overflow-wrap:anywhere;font-family:ui-monospace,monospace;"
    "font-size:13px}th:first-child{font-family:inherit}"
    ".bar{width:130px;padding-right:0}.bar div{height:10px;border-radius:3px;"
    "background:var(--a);min-width:1px}.two{display:grid;"
    "grid-template-columns:1fr 1fr;gap:28px}"
    "@media(max-width:700px){.two{grid-template-columns:1fr}"
    ".tiles{grid-template-columns:1fr 1fr}}";

/* -- Text ------------------------------------------------------------------ */

double report_share(const Report *report) {
  const GcHistogram *h = &report->record->pauses;
  double all = (double)record_length(report->record);
  double waited = (double)(h->total_nanoseconds + h->collections_nanoseconds);
  return all > 0 ? waited / all : 0;
}

static void report_section(Page *page, const char *title, const char *text) {
  page_put(page, "\n<h2>%s</h2>\n<p>%s</p>\n", title, text);
}

static void report_tile(Page *page, const char *value, const char *name) {
  page_put(page, "<div class=tile><b>%s</b>%s</div>\n", value, name);
}

static void report_tiles(const Report *report, Page *page) {
  const Record *r = report->record;
  char text[PAGE_NUMBER], more[64];
  double seconds = (double)record_length(r) / 1e9;
  page_put(page, "<div class=tiles>\n");
  report_tile(page, page_time(text, (double)record_length(r)), "run time");
  snprintf(more, sizeof more, "%.1f %%", 100 * report_share(report));
  report_tile(page, more, "of it waited for the collector");
  report_tile(page, page_time(text, (double)r->pauses.longest_nanoseconds),
              "longest pause (step)");
  report_tile(page, page_time(text, (double)record_percentile(r, 99)),
              "99 % of pauses are shorter");
  report_tile(page, page_bytes(text, (double)r->peak), "largest heap");
  report_tile(page, page_bytes(text, (double)r->allocated), "allocated");
  snprintf(more, sizeof more, "%s/s",
           page_bytes(text, seconds > 0 ? (double)r->allocated / seconds : 0));
  report_tile(page, more, "allocation rate");
  snprintf(more, sizeof more, "%u + %u", r->sum.majors, r->sum.minors);
  report_tile(page, more, "major and minor cycles");
  page_put(page, "</div>\n");
}

/* -- Curves over time ------------------------------------------------------ */

static Axis report_times(const Record *r) {
  return (Axis){AXIS_TIME, false, 0, (double)record_length(r)};
}

static double time_middle(const Record *r, size_t i) {
  double end = (double)record_length(r);
  double middle = ((double)i + 0.5) * (double)r->width;
  return middle < end ? middle : end;
}

static double most_of_times(const Record *r, bool with_goal) {
  double most = 1;
  for (size_t i = 0; i < r->time_count; i++) {
    const RecordTime *t = &r->time[i];
    if ((double)t->most > most) most = (double)t->most;
    if (with_goal && (double)t->goal > most) most = (double)t->goal;
  }
  return most;
}

/* From the least to the most bytes in use, for each interval. */
static void heap_band(const Chart *chart, const Record *r) {
  page_put(chart->page, "<path class='fa pale' d='");
  for (size_t i = 0; i < r->time_count; i++) {
    const RecordTime *t = &r->time[i];
    double from = (double)i * (double)r->width, to = from + (double)r->width;
    if (t->most == t->least) continue;
    chart_point(chart, 'M', from, (double)t->least);
    chart_point(chart, 'L', from, (double)t->most);
    chart_point(chart, 'L', to, (double)t->most);
    chart_point(chart, 'L', to, (double)t->least);
    page_put(chart->page, "z");
  }
  page_put(chart->page, "'/>\n");
}

/* Through the first and the last value of each interval.  If there are too many
** cycles for that, through the highest. */
static void heap_line(const Chart *chart, const Record *r) {
  bool many = (r->sum.majors + r->sum.minors) * 4 > r->time_count;
  char command = 'M';
  page_put(chart->page, "<path class=la d='");
  for (size_t i = 0; i < r->time_count; i++) {
    const RecordTime *t = &r->time[i];
    if (t->most == 0) continue;
    double quarter = (double)r->width / 4, middle = time_middle(r, i);
    size_t first = many ? t->most : t->first, last = many ? t->most : t->last;
    chart_point(chart, command, middle - quarter, (double)first);
    chart_point(chart, 'L', middle + quarter, (double)last);
    command = 'L';
  }
  page_put(chart->page, "'/>\n");
}

/* In steps, because the goal changes at once. */
static void goal_line(const Chart *chart, const Record *r) {
  double last = 0;
  char command = 'M';
  page_put(chart->page, "<path class=lb d='");
  for (size_t i = 0; i < r->time_count; i++) {
    double x = time_middle(r, i), goal = (double)r->time[i].goal;
    if (r->time[i].most == 0) continue;
    if (command == 'L') chart_point(chart, 'L', x, last);
    chart_point(chart, command, x, goal);
    command = 'L';
    last = goal;
  }
  page_put(chart->page, "'/>\n");
}

static void report_heap(const Report *report, Page *page) {
  const Record *r = report->record;
  Chart chart;
  report_section(page, "Heap and goal",
                 "Bytes in use, dead objects included until they are swept. A "
                 "cycle of the collector should end before the heap reaches "
                 "the goal.");
  chart_legend(page, "fa", "heap, least to most");
  chart_legend(page, "fb", "goal");
  chart_begin(&chart, page, "Heap and goal over time", report_times(r),
              (Axis){AXIS_BYTES, false, 0, 1.05 * most_of_times(r, true)});
  heap_band(&chart, r);
  heap_line(&chart, r);
  goal_line(&chart, r);
  chart_end(&chart);
}

/* Intervals that one bar shows. */
static size_t times_of_bar(const Record *r) {
  enum { BARS = 128 };
  return (r->time_count + BARS - 1) / BARS;
}

/* The number of the bar from interval i on: percent, or bytes in a second. */
static double rate_of_bar(const Record *r, size_t i, bool waited) {
  double end = (double)record_length(r), from = (double)i * (double)r->width;
  double width = (double)r->width * (double)times_of_bar(r), sum = 0;
  if (width > end - from) width = end - from;
  for (size_t k = i; k < i + times_of_bar(r) && k < r->time_count; k++)
    sum += (double)(waited ? r->time[k].waited : r->time[k].allocated);
  if (width <= 0) return 0;
  return waited ? fmin(100, 100 * sum / width) : sum * 1e9 / width;
}

static double largest_rate(const Record *r, bool waited) {
  double most = 1;
  for (size_t i = 0; i < r->time_count; i += times_of_bar(r))
    most = fmax(most, rate_of_bar(r, i, waited));
  return most;
}

static void rate_bars(const Chart *chart, const Record *r, const char *style,
                      bool waited) {
  char text[PAGE_NUMBER];
  size_t step = times_of_bar(r);
  for (size_t i = 0; i < r->time_count; i += step) {
    double rate = rate_of_bar(r, i, waited);
    if (rate <= 0) continue;
    ChartBar bar = {(double)i * (double)r->width,
                    (double)(i + step) * (double)r->width, 0, rate};
    chart_bar(chart, style, &bar);
    if (waited)
      page_put(chart->page, "%.1f %%", rate);
    else
      page_put(chart->page, "%s/s", page_bytes(text, rate));
    page_put(chart->page, "</title></path>");
  }
  page_put(chart->page, "\n");
}

static void report_rates(const Report *report, Page *page) {
  const Record *r = report->record;
  Chart chart;
  report_section(page, "Allocation rate",
                 "Every byte allocated costs the collector some work.");
  chart_begin(
      &chart, page, "Bytes allocated per second, over time", report_times(r),
      (Axis){AXIS_BYTES_PER_SECOND, false, 0, 1.05 * largest_rate(r, false)});
  rate_bars(&chart, r, "fc", false);
  chart_end(&chart);
  report_section(page, "Time in the collector",
                 "The part of the time that the program waited for steps and "
                 "whole collections, without finalizers.");
  double most = fmin(100, 1.05 * largest_rate(r, true));
  chart_begin(&chart, page, "Share of the collector, over time",
              report_times(r), (Axis){AXIS_PERCENT, false, 0, most});
  rate_bars(&chart, r, "fa", true);
  chart_end(&chart);
}

/* -- Pauses ---------------------------------------------------------------- */

/* Buckets from the first to the last that are in use. */
static void used_buckets(const GcHistogram *h, unsigned *first,
                         unsigned *last) {
  *first = HISTOGRAM_BUCKETS;
  *last = 0;
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
    if (h->count[i] == 0) continue;
    if (*first == HISTOGRAM_BUCKETS) *first = i;
    *last = i;
  }
}

static uint64_t fullest_bucket(const GcHistogram *h) {
  uint64_t most = 1;
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
    if (h->count[i] > most) most = h->count[i];
  return most;
}

static void pause_bars(const Chart *chart, const GcHistogram *h) {
  char from[PAGE_NUMBER], to[PAGE_NUMBER], count[PAGE_NUMBER];
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
    if (h->count[i] == 0) continue;
    ChartBar bar = {(double)gc_bucket_begin(i), (double)gc_bucket_begin(i + 1),
                    0, (double)h->count[i]};
    if (bar.from < chart->x.from) bar.from = chart->x.from;
    chart_bar(chart, "fa", &bar);
    page_put(chart->page, "%s steps from %s to %s</title></path>",
             page_count(count, h->count[i]), page_time(from, bar.from),
             page_time(to, bar.to));
  }
  page_put(chart->page, "\n");
}

static void percentile_table(const Record *r, Page *page) {
  static const double percents[] = {50, 90, 99, 99.9};
  const GcHistogram *h = &r->pauses;
  char text[PAGE_NUMBER];
  page_put(page,
           "<table id=pauses data-steps=%llu data-total=%llu><tr><th>"
           "<th>steps<th>total",
           (unsigned long long)h->steps,
           (unsigned long long)h->total_nanoseconds);
  for (int i = 0; i < 4; i++) page_put(page, "<th>%g %%", percents[i]);
  page_put(page, "<th>longest\n<tr><td>steps<td>%s",
           page_count(text, h->steps));
  page_put(page, "<td>%s", page_time(text, (double)h->total_nanoseconds));
  for (int i = 0; i < 4; i++)
    page_put(page, "<td>%s",
             page_time(text, (double)record_percentile(r, percents[i])));
  page_put(page, "<td>%s", page_time(text, (double)h->longest_nanoseconds));
  page_put(page, "\n<tr><td>whole collections<td>%s",
           page_count(text, h->collections));
  page_put(page, "<td>%s<td><td><td><td>",
           page_time(text, (double)h->collections_nanoseconds));
  page_put(page, "<td>%s\n</table>\n",
           page_time(text, (double)h->longest_collection));
}

/* The longest wait of some intervals that follow each other. */
static uint64_t longest_of_bar(const Record *r, size_t i) {
  uint64_t longest = 0;
  for (size_t k = i; k < i + times_of_bar(r) && k < r->time_count; k++)
    if (r->time[k].longest > longest) longest = r->time[k].longest;
  return longest;
}

static void report_longest(const Record *r, Page *page) {
  char text[PAGE_NUMBER];
  size_t step = times_of_bar(r);
  double most = 1;
  Chart chart;
  for (size_t i = 0; i < r->time_count; i++)
    most = fmax(most, (double)r->time[i].longest);
  page_put(page, "<p>When the long ones were: the longest wait, whole "
                 "collections included.</p>\n");
  chart_begin(&chart, page, "Longest wait over time", report_times(r),
              (Axis){AXIS_TIME, false, 0, 1.05 * most});
  for (size_t i = 0; i < r->time_count; i += step) {
    double longest = (double)longest_of_bar(r, i);
    if (longest <= 0) continue;
    ChartBar bar = {(double)i * (double)r->width,
                    (double)(i + step) * (double)r->width, 0, longest};
    chart_bar(&chart, "fb", &bar);
    page_put(page, "%s</title></path>", page_time(text, longest));
  }
  chart_end(&chart);
}

static void report_pauses(const Report *report, Page *page) {
  const GcHistogram *h = &report->record->pauses;
  unsigned first, last;
  Chart chart;
  report_section(page, "Pauses",
                 "How long the program waited for each step of the collector, "
                 "in CPU time. Whole collections, which the program asked for "
                 "or which ran because memory was short, are counted "
                 "separately.");
  percentile_table(report->record, page);
  report_longest(report->record, page);
  if (h->steps == 0) return;
  page_put(page, "<p>How many steps took how long.</p>\n");
  used_buckets(h, &first, &last);
  double from = fmax(100, (double)gc_bucket_begin(first));
  double to = fmax(10 * from, (double)gc_bucket_begin(last + 1));
  chart_begin(&chart, page, "Number of steps by duration",
              (Axis){AXIS_TIME, true, from, to},
              (Axis){AXIS_COUNT, false, 0, 1.05 * (double)fullest_bucket(h)});
  pause_bars(&chart, h);
  chart_end(&chart);
}

/* -- Utilization ----------------------------------------------------------- */

static double utilization(const RecordWindow *w) {
  return 100 - 100 * (double)w->worst / (double)w->length;
}

static void report_utilization(const Report *report, Page *page) {
  const Record *r = report->record;
  char text[PAGE_NUMBER];
  Chart chart;
  report_section(
      page, "Minimum mutator utilization",
      "Take a window of time of some length, and move it to the worst place of "
      "the run. This is the part of the window that the program had for "
      "itself. At the length of a frame, it tells whether frames are in time.");
  chart_begin(&chart, page, "Minimum mutator utilization by window",
              (Axis){AXIS_TIME, true, 1e5, 2e9},
              (Axis){AXIS_PERCENT, false, 0, 100});
  page_put(page, "<path class=la d='");
  for (int i = 0; i < RECORD_WINDOWS; i++) {
    const RecordWindow *w = &r->window[i];
    if (w->length > record_length(r)) break;
    chart_point(&chart, i == 0 ? 'M' : 'L', (double)w->length, utilization(w));
  }
  page_put(page, "'/>");
  for (int i = 0; i < RECORD_WINDOWS; i++) {
    const RecordWindow *w = &r->window[i];
    double x = (double)w->length, y = utilization(w);
    if (w->length > record_length(r)) break;
    ChartBar bar = {x * 0.94, x * 1.06, y - 1.5, y + 1.5};
    chart_bar(&chart, "fa", &bar);
    page_put(page, "%.1f %% of %s</title></path>", y, page_time(text, x));
  }
  chart_end(&chart);
}

/* -- Cycles ---------------------------------------------------------------- */

static double mean_of_group(const RecordCycle *c, uint64_t sum) {
  return (double)sum / (double)(c->majors + c->minors);
}

static void cycle_bars(const Chart *chart, const Record *r) {
  char before[PAGE_NUMBER], live[PAGE_NUMBER];
  double step = (chart->x.to - chart->x.from) / 230;
  for (size_t i = 0; i < r->cycle_count; i++) {
    const RecordCycle *c = &r->cycle[i];
    double high = mean_of_group(c, c->before), low = mean_of_group(c, c->live);
    double at = (double)c->time;
    ChartBar bar = {at - step, at + step, 0, low};
    ChartBar dead = {at - step, at + step, low, high};
    if (high > low) {
      chart_bar(chart, "fb pale", &dead);
      page_put(chart->page, "freed</title></path>");
    }
    chart_bar(chart, c->majors > 0 ? "fa" : "fd", &bar);
    page_put(chart->page, "%u cycles: %s of %s survived</title></path>",
             c->majors + c->minors, page_bytes(live, low),
             page_bytes(before, high > low ? high : low));
  }
  page_put(chart->page, "\n");
}

static void report_cycles(const Report *report, Page *page) {
  const Record *r = report->record;
  double most = 1;
  Chart chart;
  for (size_t i = 0; i < r->cycle_count; i++) {
    const RecordCycle *c = &r->cycle[i];
    most = fmax(most, mean_of_group(c, c->before));
    most = fmax(most, mean_of_group(c, c->live));
  }
  report_section(page, "Survivors",
                 "Each bar is a cycle, at the time when it ended, or the mean "
                 "of some cycles that follow each other. It begins with the "
                 "whole bar in use, and finds the full part alive.");
  chart_legend(page, "fa", "survived a major cycle");
  chart_legend(page, "fd", "survived a minor cycle");
  chart_legend(page, "fb pale", "in use before, and dead");
  chart_begin(&chart, page, "Survivors of each cycle", report_times(r),
              (Axis){AXIS_BYTES, false, 0, 1.05 * most});
  cycle_bars(&chart, r);
  chart_end(&chart);
}

/* -- Tables ---------------------------------------------------------------- */

static void table_name(Page *page, const ReportRow *row) {
  page_put(page, "<tr><td>");
  page_text(page, row->name);
}

static void table_bar(Page *page, uint64_t part, uint64_t whole) {
  int percent = whole > 0 ? (int)(100 * (double)part / (double)whole + 0.5) : 0;
  page_put(page, "<td class=bar><div style='width:%d%%'></div>\n", percent);
}

static void report_lines(const Report *report, Page *page) {
  const ReportTable *t = &report->lines;
  char text[PAGE_NUMBER], more[300];
  if (report->interval == 0) return;
  snprintf(more, sizeof more,
           "Estimates from one sample for each %s. What is in use is what the "
           "last cycle found alive.",
           page_bytes(text, (double)report->interval));
  report_section(page, "Lines that allocate most", more);
  page_put(page,
           "<table id=lines data-bytes=%llu><tr><th>line<th>bytes"
           "<th>objects<th>in use<th>share<th>\n",
           (unsigned long long)t->sum);
  for (size_t i = 0; i < t->count; i++) {
    const ReportRow *row = &t->row[i];
    table_name(page, row);
    page_put(page, "<td>%s", page_bytes(text, (double)row->bytes));
    page_put(page, "<td>%s", page_count(text, row->count));
    page_put(page, "<td>%s", page_bytes(text, (double)row->live));
    page_put(page, "<td>%.1f %%",
             t->sum > 0 ? 100 * (double)row->bytes / (double)t->sum : 0.0);
    table_bar(page, row->bytes, t->sum);
  }
  page_put(page, "</table>\n");
}

static void report_growing(const Report *report, Page *page) {
  const ReportTable *t = &report->growing;
  char text[PAGE_NUMBER];
  if (t->count == 0) return;
  report_section(page, "Lines whose objects get more and more",
                 "Major cycles found more bytes of these lines alive again and "
                 "again. It may be a leak, or a structure that is being built. "
                 "gc.why tells who keeps such an object.");
  page_put(page, "<table id=growing><tr><th>line<th>grown by<th>in use<th>\n");
  for (size_t i = 0; i < t->count; i++) {
    const ReportRow *row = &t->row[i];
    table_name(page, row);
    page_put(page, "<td>%s", page_bytes(text, (double)row->growth));
    page_put(page, "<td>%s", page_bytes(text, (double)row->live));
    table_bar(page, row->growth, t->row[0].growth);
  }
  page_put(page, "</table>\n");
}

static void count_table(Page *page, const ReportTable *t, const char *id,
                        const char *head) {
  char text[PAGE_NUMBER];
  page_put(page, "<table id=%s><tr><th>%s<th>objects<th>bytes<th>\n", id, head);
  for (size_t i = 0; i < t->count; i++) {
    const ReportRow *row = &t->row[i];
    table_name(page, row);
    page_put(page, "<td>%s", page_count(text, row->count));
    page_put(page, "<td>%s", page_bytes(text, (double)row->bytes));
    table_bar(page, row->bytes, t->sum);
  }
  page_put(page, "</table>\n");
}

static void report_census(const Report *report, Page *page) {
  report_section(page, "What is held at the end",
                 "All live objects when the report was written, after the "
                 "program's own functions have returned: what globals, modules "
                 "and the registry still hold.");
  page_put(page, "<div class=two><div>\n");
  count_table(page, &report->names, "names", "name or class");
  page_put(page, "</div><div>\n");
  count_table(page, &report->types, "types", "type");
  page_put(page, "</div></div>\n");
}

static void report_retained(const Report *report, Page *page) {
  const ReportTable *t = &report->retained;
  char text[PAGE_NUMBER];
  if (!report->has_retained) return;
  report_section(page, "What keeps most alive at the end",
                 "If one of these objects were gone, so many bytes would be "
                 "free.");
  page_put(page, "<table id=retained><tr><th>path<th>keeps<th>\n");
  for (size_t i = 0; i < t->count; i++) {
    table_name(page, &t->row[i]);
    page_put(page, "<td>%s", page_bytes(text, (double)t->row[i].bytes));
    table_bar(page, t->row[i].bytes, t->sum);
  }
  page_put(page, "</table>\n");
}

static void report_settings(const Report *report, Page *page) {
  report_section(page, "Settings", "At the end of the run.");
  page_put(page, "<table id=settings>\n");
  for (size_t i = 0; i < report->setting_count; i++)
    page_put(page, "<tr><td>%s<td>%s\n", report->setting[i].name,
             report->setting[i].value);
  page_put(page, "</table>\n");
}

/* -- The page -------------------------------------------------------------- */

static void report_head(const Report *report, Page *page) {
  page_put(page, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
                 "<meta name=viewport content='width=device-width'>\n<title>");
  page_text(page, report->title);
  page_put(page, " \xE2\x80\x93 collector report</title>\n<style>");
  for (const char *s = report_style; *s;
       s += strlen(s) < 1000 ? strlen(s) : 1000)
    page_put(page, "%.1000s", s);
  page_put(page, "</style></head><body>\n<h1>");
  page_text(page, report->title);
  page_put(page, "</h1>\n<p>What the collector did, and why.</p>\n");
}

bool report_write(const Report *report, PageWriter *write, void *context) {
  Page page;
  page_begin(&page, write, context);
  report_head(report, &page);
  report_tiles(report, &page);
  page_put(&page, "<ul id=advice>\n");
  advice_write(report, &page);
  page_put(&page, "</ul>\n");
  report_heap(report, &page);
  report_rates(report, &page);
  report_pauses(report, &page);
  report_utilization(report, &page);
  report_cycles(report, &page);
  report_lines(report, &page);
  report_growing(report, &page);
  report_census(report, &page);
  report_retained(report, &page);
  report_settings(report, &page);
  page_put(&page, "</body></html>\n");
  return page_end(&page);
}
