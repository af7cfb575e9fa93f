/* SPDX-License-Identifier: MIT */
/*
** trace.c -- the collector on a timeline
*/
#include "observe/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TRACK_PROGRAM = 1, TRACK_CYCLES, TRACK_MARKS };
enum { TRACE_EVENT_MAX = 512 /* bytes that one event may take */ };

/* -- Text ------------------------------------------------------------------ */

static void trace_flush(Trace *trace) {
  if (trace->file.buffer) {
    buffered_put(&trace->file, trace->buffer, trace->used);
    buffered_flush(&trace->file);
  } else if (trace->used > 0 && !trace->failed) {
    if (trace->write(trace->context, trace->buffer, trace->used) != 0)
      trace->failed = true;
  }
  trace->used = 0;
}

static PRINTF_LIKE(2, 3) void trace_put(Trace *trace, const char *format, ...) {
  if (TRACE_BUFFER - trace->used < TRACE_EVENT_MAX) trace_flush(trace);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(trace->buffer + trace->used,
                         TRACE_BUFFER - trace->used, format, arguments);
  va_end(arguments);
  if (length > 0) trace->used += (size_t)length;
}

static double microseconds(uint64_t nanoseconds) {
  return (double)nanoseconds / 1000;
}

/* Begins an event with a duration.  The caller adds its arguments and the
** closing brace. */
static void put_span(Trace *trace, int track, const char *name, uint64_t from,
                     uint64_t duration) {
  if (from < trace->began) from = trace->began;
  trace_put(trace,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":\"%s\","
            "\"ts\":%.3f,\"dur\":%.3f",
            track, name, microseconds(from - trace->began),
            microseconds(duration));
}

static void put_instant(Trace *trace, const char *name, uint64_t time,
                        size_t bytes) {
  trace_put(trace,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%d,"
            "\"name\":\"%s\",\"ts\":%.3f,\"args\":{\"bytes\":%zu}}",
            TRACK_PROGRAM, name, microseconds(time - trace->began), bytes);
}

static void put_counter(Trace *trace, const char *name, uint64_t time,
                        size_t value) {
  trace_put(trace,
            ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"%s\",\"ts\":%.3f,"
            "\"args\":{\"%s\":%zu}}",
            name, microseconds(time - trace->began), name, value);
}

static void put_track(Trace *trace, int track, const char *name) {
  trace_put(trace,
            "%s\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\","
            "\"args\":{\"name\":\"%s\"}}",
            track == TRACK_PROGRAM ? "" : ",", track, name);
}

/* -- Counters -------------------------------------------------------------- */

static void put_counters(Trace *trace, uint64_t time) {
  const Gc *gc = trace->gc;
  put_counter(trace, "heap", time, gc_count(gc));
  put_counter(trace, "goal", time, gc_goal(gc));
  put_counter(trace, "to finalize", time, worklist_count(&gc->to_finalize));
}

/* -- Lines ----------------------------------------------------------------- */

/* The line is written when the step that has ended the cycle has ended, too. */
static void put_cycle_line(Trace *trace) {
  char line[256];
  const GcEvent *event = &trace->line;
  double megabyte = 1048576;
  int length = snprintf(
      line, sizeof line,
      "gc %llu @%.3fs %s: %.3f ms in %u steps, longest %.3f ms (%s), "
      "%.3f ms wall, %.1f->%.1f MB, goal %.1f MB\n",
      (unsigned long long)trace->cycles,
      (double)(event->time - trace->began) / 1e9,
      event->minor ? "minor" : "major", (double)trace->steps_time / 1e6,
      trace->steps, (double)trace->longest / 1e6, gc_wait_name(trace->cause),
      (double)(event->time - trace->line_began) / 1e6,
      (double)trace->cycle_bytes / megabyte, (double)event->bytes / megabyte,
      (double)gc_goal(trace->gc) / megabyte);
  if (length > 0) trace->write_line(trace->context, line, (size_t)length);
  trace->line_waits = false;
}

/* Counts `part` nanoseconds of a wait for the cycle.  The whole wait has taken
** `whole` so far: a collection by hand may end one cycle and do another. */
static void count_wait(Trace *trace, const GcEvent *event, uint64_t part,
                       uint64_t whole) {
  trace->steps_time += part;
  if (whole <= trace->longest) return;
  trace->longest = whole;
  trace->cause = event->wait;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The time of the current wait that belongs to the cycle under way. */
static void count_step(Trace *trace, const GcEvent *event) {
  if (!event->wait_began) return;
  uint64_t from = later(event->wait_began, trace->cycle_cpu);
  trace->steps++;
  count_wait(trace, event, event->cpu - from, event->cpu - event->wait_began);
}

/* -- Events ---------------------------------------------------------------- */

static void phase_ends(Trace *trace, uint64_t time) {
  if (trace->phase_began && trace->has_events) {
    put_span(trace, TRACK_CYCLES, gc_phase_name(trace->phase),
             trace->phase_began, time - trace->phase_began);
    trace_put(trace, "}");
  }
  trace->phase_began = 0;
}

static void phase_begins(Trace *trace, const GcEvent *event) {
  phase_ends(trace, event->time);
  trace->phase = event->phase;
  if (event->phase != PHASE_PAUSE) trace->phase_began = event->time;
  if (trace->has_events) put_counters(trace, event->time);
}

static void cycle_begins(Trace *trace, const GcEvent *event) {
  if (trace->line_waits) put_cycle_line(trace);
  trace->cycle_began = event->time;
  trace->cycle_cpu = event->cpu;
  trace->cycle_bytes = event->bytes;
  trace->steps = 0;
  trace->steps_time = trace->longest = 0;
}

static void trace_cycle_ends(Trace *trace, const GcEvent *event) {
  phase_ends(trace, event->time);
  trace->cycles++;
  if (!trace->cycle_began) return;
  if (trace->has_events) {
    put_span(trace, TRACK_CYCLES, event->minor ? "minor cycle" : "major cycle",
             trace->cycle_began, event->time - trace->cycle_began);
    trace_put(trace, ",\"args\":{\"before\":%zu,\"after\":%zu}}",
              trace->cycle_bytes, event->bytes);
  }
  count_step(trace, event);
  trace->line_waits = trace->write_line != NULL;
  trace->line = *event;
  trace->line_began = trace->cycle_began;
  trace->cycle_began = 0;
}

static void step_ends(Trace *trace, const GcEvent *event, const char *name) {
  if (trace->line_waits) { /* what is left of the step after the cycle */
    count_wait(trace, event, event->cpu - trace->line.cpu, event->nanoseconds);
    put_cycle_line(trace);
  } else if (trace->cycle_began) {
    count_step(trace, event);
  }
  if (!trace->has_events) return;
  put_span(trace, TRACK_PROGRAM, name, event->time - event->nanoseconds,
           event->nanoseconds);
  trace_put(trace, ",\"args\":{\"phase\":\"%s\",\"work\":%zu,\"bytes\":%zu}}",
            gc_phase_name(event->phase), event->work, event->bytes);
}

void trace_event(Trace *trace, const GcEvent *event) {
  switch (event->type) {
    case EVENT_CYCLE_BEGIN: cycle_begins(trace, event); break;
    case EVENT_CYCLE_END: trace_cycle_ends(trace, event); break;
    case EVENT_PHASE: phase_begins(trace, event); break;
    case EVENT_STEP: step_ends(trace, event, "step"); break;
    case EVENT_COLLECT: step_ends(trace, event, "collection"); break;
    case EVENT_LARGE_CELL:
      if (trace->has_events)
        put_instant(trace, "large object", event->time, event->bytes);
      break;
    case EVENT_EMERGENCY:
      if (trace->has_events)
        put_instant(trace, "emergency", event->time, event->bytes);
      break;
    case EVENT_FINALIZER: break; /* there may be millions */
  }
}

/* -- Marks ----------------------------------------------------------------- */

/* Replaces control characters, quotes, backslashes and bytes that are not ASCII
** by '_', because names are written into JSON without escapes. */
static void name_copy(char *to, const char *name) {
  size_t i = 0;
  for (; name[i] && i < TRACE_NAME - 1; i++) {
    bool plain = (unsigned char)name[i] >= ' ' && name[i] != '"' &&
                 name[i] != '\\' && (unsigned char)name[i] < 0x7F;
    to[i] = plain ? name[i] : '_';
  }
  to[i] = '\0';
}

void trace_mark(Trace *trace, const char *name) {
  uint64_t now = gc_clock();
  char copy[TRACE_NAME];
  if (!trace->has_events) return;
  name_copy(copy, name);
  unsigned i = 0;
  while (i < trace->mark_count && strcmp(trace->mark[i].name, copy) != 0) i++;
  if (i == TRACE_MARKS) i = TRACE_MARKS - 1;
  TraceMark *mark = &trace->mark[i];
  if (i < trace->mark_count && strcmp(mark->name, copy) == 0) {
    put_span(trace, TRACK_MARKS + (int)i, copy, mark->time, now - mark->time);
    trace_put(trace, "}");
  } else {
    memcpy(mark->name, copy, TRACE_NAME);
    put_track(trace, TRACK_MARKS + (int)i, copy);
  }
  if (i >= trace->mark_count) trace->mark_count = i + 1;
  mark->time = now;
}

/* -- Beginning and end ----------------------------------------------------- */

static bool open_file(Trace *trace, FILE *file) {
  write_queue_open(&trace->writes);
  if (buffered_open(&trace->file, &trace->gc->heap, &trace->writes, file))
    return true;
  write_queue_finish(&trace->writes);
  return false;
}

/* The program waits until the file is closed. */
static void close_file(Trace *trace) {
  if (write_queue_is_lost(&trace->writes)) trace->failed = true;
  buffered_close(&trace->file);
  write_queue_finish(&trace->writes);
  buffered_free_spare(&trace->gc->heap, &trace->writes);
  if (trace->file.error != 0) trace->failed = true;
}

bool trace_begin(Trace *trace, Gc *gc, const TraceTarget *target) {
  memset(trace, 0, offsetof(Trace, buffer));
  trace->gc = gc;
  trace->write = target->write;
  trace->write_line = target->write_line;
  trace->context = target->context;
  trace->has_events = target->write || target->file;
  trace->began = gc_clock();
  if (target->file && !open_file(trace, target->file)) return false;
  if (!trace->has_events) return true;
  trace_put(trace, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  put_track(trace, TRACK_PROGRAM, "program waits");
  put_track(trace, TRACK_CYCLES, "cycles");
  put_counters(trace, trace->began);
  return true;
}

bool trace_end(Trace *trace) {
  if (trace->line_waits) put_cycle_line(trace);
  if (!trace->has_events) return true;
  phase_ends(trace, gc_clock());
  trace_put(trace, "\n]}\n");
  trace_flush(trace);
  if (trace->file.buffer) close_file(trace);
  return !trace->failed;
}
