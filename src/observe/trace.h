/* SPDX-License-Identifier: MIT */
/*
** trace.h -- the collector on a timeline
**
** Turns events of the collector into trace events (JSON, for Perfetto,
** chrome://tracing and DevTools), and into one line for each cycle.  Both are
** optional.
**
**   track            what it shows
**   program waits    steps and collections, while the program waits; their
**                    length is the CPU time that they took
**   cycles           cycles, and the phases within them
**   marks            the time from one mark of the program to the next, with a
**                    track for each name
**   counters         bytes in use, the goal, objects that wait for finalizers
*/
#ifndef PENUMBRA_OBSERVE_TRACE_H
#define PENUMBRA_OBSERVE_TRACE_H

#include "gc/gc.h"
#include "observe/buffered_file.h"

/* Takes text.  If the writer of trace events returns anything but 0, it gets no
** more text.  The result of the writer of lines is ignored. */
typedef int TraceWriter(void *context, const char *text, size_t size);

/* Where a trace goes. */
typedef struct TraceTarget {
  FILE *file;         /* trace events: another thread writes and closes it */
  TraceWriter *write; /* trace events, if `file` is NULL; or NULL */
  TraceWriter *write_line; /* a line for each cycle, or NULL */
  void *context;           /* of both functions */
} TraceTarget;

enum { TRACE_BUFFER = 32768, TRACE_MARKS = 16, TRACE_NAME = 48 };

/* When a name was marked last. */
typedef struct TraceMark {
  char name[TRACE_NAME];
  uint64_t time;
} TraceMark;

typedef struct Trace {
  Gc *gc;
  TraceWriter *write;
  TraceWriter *write_line;
  void *context;
  WriteQueue writes;
  BufferedFile file; /* without a buffer if there is none */
  bool has_events;
  bool failed;
  uint64_t began;       /* when the trace began: time 0 of all events */
  uint64_t cycle_began; /* 0: no cycle is known to be under way */
  uint64_t phase_began; /* 0: no phase is known to be under way */
  GcPhase phase;
  size_t cycle_bytes;  /* bytes in use when the cycle began */
  unsigned steps;      /* steps of the cycle */
  uint64_t steps_time; /* their CPU time in nanoseconds */
  uint64_t longest;    /* CPU time of the longest of them */
  GcWait cause;        /* of the longest */
  uint64_t cycle_cpu;  /* CPU time of the thread when the cycle began */
  bool line_waits;     /* the line of an ended cycle is to be written */
  GcEvent line;        /* ... which ended with this event */
  uint64_t line_began; /* ... and began then */
  uint64_t cycles;
  TraceMark mark[TRACE_MARKS];
  unsigned mark_count;
  size_t used; /* bytes of the buffer in use */
  char buffer[TRACE_BUFFER];
} Trace;

/* Begins a trace.  The caller must pass all events of the collector to
** trace_event.  False: no memory.  Then the file is still the caller's. */
bool trace_begin(Trace *trace, Gc *gc, const TraceTarget *target);
void trace_event(Trace *trace, const GcEvent *event);

/* Sets a mark.  The trace shows the time since the last mark of the same
** name. */
void trace_mark(Trace *trace, const char *name);

/* Writes the rest of the trace.  False if some trace events could not be
** written. */
bool trace_end(Trace *trace);

#endif
