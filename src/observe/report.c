/* SPDX-License-Identifier: MIT */
/*
** report.c -- a report of a run, as JSON
*/
#include "observe/report.h"

#include <stdio.h>
#include <string.h>

#include "observe/json.h"

/* -- Text ------------------------------------------------------------------ */

void report_free(Report *report) {
  if (report->text) heap_raw_free(report->heap, report->text, report->capacity);
  report->text = NULL;
}

static bool report_grow(Report *report, size_t size) {
  size_t capacity = size_max(2 * report->capacity, report->used + size);
  char *text = heap_raw_allocate(report->heap, capacity);
  if (!text) return false;
  if (report->used > 0) memcpy(text, report->text, report->used);
  report_free(report);
  report->text = text;
  report->capacity = capacity;
  return true;
}

static void report_put(Report *report, const char *text) {
  size_t size = strlen(text);
  if (report->failed) return;
  if (report->capacity - report->used < size && !report_grow(report, size)) {
    report->failed = true;
    return;
  }
  memcpy(report->text + report->used, text, size);
  report->used += size;
}

static void report_string(Report *report, const char *text) {
  char character[JSON_CHARACTER];
  const char *end = text + strlen(text);
  report_put(report, "\"");
  while (text < end) {
    text += json_character(character, text, (size_t)(end - text));
    report_put(report, character);
  }
  report_put(report, "\"");
}

/* Writes what stands in front of a value. */
static void report_name(Report *report, const char *name) {
  char last = report->used > 0 ? report->text[report->used - 1] : '{';
  if (last != '{' && last != '[') report_put(report, name ? "," : ",\n");
  if (!name) return;
  report_string(report, name);
  report_put(report, ":");
}

void report_open(Report *report, const char *name, char bracket) {
  report_name(report, name);
  report_put(report, (char[]){bracket, '\0'});
}

void report_close(Report *report, char bracket) {
  report_put(report, (char[]){bracket, '\0'});
}

void report_number(Report *report, const char *name, uint64_t number) {
  char text[24];
  report_name(report, name);
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  report_put(report, text);
}

void report_text(Report *report, const char *name, const char *text) {
  report_name(report, name);
  report_string(report, text);
}

void report_begin(Report *report, Heap *heap) {
  *report = (Report){.heap = heap};
  report_put(report, "{");
  report_text(report, "format", "penumbra report");
  report_number(report, "version", 1);
}

bool report_end(Report *report) {
  report_put(report, "}\n");
  return !report->failed;
}

/* -- The record ------------------------------------------------------------ */

/* Writes an object.  The names of its numbers are separated by spaces. */
static void report_numbers(Report *report, const char *name, const char *names,
                           const uint64_t *numbers) {
  report_open(report, name, '{');
  for (const char *at = names; *at; numbers++) {
    char text[16];
    size_t length = strcspn(at, " ");
    snprintf(text, sizeof text, "%.*s", (int)length, at);
    report_number(report, text, *numbers);
    at += length + (at[length] == ' ');
  }
  report_close(report, '}');
}

static void report_times(Report *report, const Record *record) {
  report_number(report, "interval", record->width);
  report_open(report, "times", '[');
  for (size_t i = 0; i < record->time_count; i++) {
    const RecordTime *t = &record->time[i];
    report_numbers(report, NULL,
                   "least most first last goal allocated waited longest",
                   (uint64_t[]){t->least, t->most, t->first, t->last, t->goal,
                                t->allocated, t->waited, t->longest});
  }
  report_close(report, ']');
}

static void report_cycles(Report *report, const Record *record) {
  report_open(report, "cycles", '[');
  for (size_t i = 0; i < record->cycle_count; i++) {
    const RecordCycle *c = &record->cycle[i];
    report_numbers(report, NULL,
                   "time majors minors late before live major_live",
                   (uint64_t[]){c->time, c->majors, c->minors, c->late,
                                c->before, c->live, c->major_live});
  }
  report_close(report, ']');
}

static void report_durations(Report *report, const GcHistogram *h) {
  report_open(report, "durations", '[');
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
    if (h->count[i] > 0)
      report_numbers(report, NULL, "from to count",
                     (uint64_t[]){gc_bucket_begin(i), gc_bucket_begin(i + 1),
                                  h->count[i]});
  report_close(report, ']');
}

static void report_waits(Report *report, const GcHistogram *h) {
  report_open(report, "waits", '[');
  for (int i = 0; i < WAIT_COUNT; i++) {
    report_open(report, NULL, '{');
    report_text(report, "cause", gc_wait_name((GcWait)i));
    report_number(report, "longest", h->longest_wait[i]);
    report_close(report, '}');
  }
  report_close(report, ']');
}

static void report_pauses(Report *report, const GcHistogram *h) {
  static const char names[] = "count total longest";
  report_numbers(
      report, "steps", names,
      (uint64_t[]){h->steps, h->total_nanoseconds, h->longest_nanoseconds});
  report_numbers(report, "collections", names,
                 (uint64_t[]){h->collections, h->collections_nanoseconds,
                              h->longest_collection});
  report_durations(report, h);
  report_number(report, "finalizers_time", h->finalizers_nanoseconds);
  report_waits(report, h);
}

/* Windows that are longer than the run say nothing. */
static void report_windows(Report *report, const Record *record) {
  report_open(report, "windows", '[');
  for (int i = 0; i < RECORD_WINDOWS; i++) {
    const RecordWindow *w = &record->window[i];
    if (w->length > record_length(record)) break;
    report_numbers(report, NULL, "length worst",
                   (uint64_t[]){w->length, w->worst});
  }
  report_close(report, ']');
}

void report_record(Report *report, const Record *record) {
  report_number(report, "length", record_length(record));
  report_number(report, "largest_heap", record->peak);
  report_number(report, "allocated", record->allocated);
  report_number(report, "large_objects", record->large);
  report_number(report, "emergencies", record->emergencies);
  report_pauses(report, &record->pauses);
  report_windows(report, record);
  report_cycles(report, record);
  report_times(report, record);
}
