/* SPDX-License-Identifier: MIT */
/*
** trace.h -- the collector on a timeline
**
** Turns events into trace events (JSON, for Perfetto, chrome://tracing and
** DevTools), and into one line for each cycle.  Both are optional.
**
**   track       what is on it
**   program     steps and collections, while the program waits: as long as
**               the processor's time that they took
**   cycles      cycles, and the phases within them
**   marks       what the program marks itself: from one mark to the next
**   counters    bytes in use and the goal, objects that wait for finalizers
*/
#ifndef PENUMBRA_OBSERVE_TRACE_H
#define PENUMBRA_OBSERVE_TRACE_H

#include "gc/gc.h"

/* Takes text; anything but 0 ends the trace. */
typedef int TraceWriter(void *context, const char *text, size_t size);

enum { TRACE_BUFFER = 32768, TRACE_MARKS = 16, TRACE_NAME = 48 };

/* The last time that a name was marked. */
typedef struct TraceMark {
  char name[TRACE_NAME];
  uint64_t time;
} TraceMark;

typedef struct Trace {
  Gc *gc;
  TraceWriter *write;       /* trace events, or NULL */
  TraceWriter *write_line;  /* a line for each cycle, or NULL */
  void *context;
  bool failed;
  uint64_t began;           /* all times are counted from there */
  uint64_t cycle_began;     /* 0: none is known to be under way */
  uint64_t phase_began;     /* likewise */
  GcPhase phase;
  size_t cycle_bytes;       /* when it began */
  unsigned steps;           /* of the cycle */
  uint64_t steps_time;      /* nanoseconds of the processor's time */
  uint64_t longest;
  uint64_t cycles;
  TraceMark mark[TRACE_MARKS];
  unsigned mark_count;
  size_t used;              /* of the buffer */
  char buffer[TRACE_BUFFER];
} Trace;

/* Begins.  The trace must be fed with all events of the collector. */
void trace_begin(Trace *trace, Gc *gc, TraceWriter *write,
                 TraceWriter *write_line, void *context);
void trace_event(Trace *trace, const GcEvent *event);

/* The program has come to a place: the time since it was there before is shown
** under that name. */
void trace_mark(Trace *trace, const char *name);

/* Writes what is left.  False if something could not be written. */
bool trace_end(Trace *trace);

#endif
