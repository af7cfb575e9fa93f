/* SPDX-License-Identifier: MIT */
/*
** record.h -- what the collector did during a run, in bounded memory
**
** Takes in all events of the collector and keeps what a report needs:
**
**   times     the run, cut into at most RECORD_TIMES intervals of equal length.
**             When the run gets longer, pairs of intervals become one.
**   cycles    at most RECORD_CYCLES groups of cycles that follow each other.
**             When there are more, pairs of groups become one.
**   pauses    durations of steps, as a histogram
**   windows   for some lengths of time, the most that the program waited in any
**             window of that length (for minimum mutator utilization)
**
** A window is looked at in WINDOW_PARTS parts.  Windows begin at a part, and one
** more part is included, so that the result is never too good.
*/
#ifndef PENUMBRA_OBSERVE_RECORD_H
#define PENUMBRA_OBSERVE_RECORD_H

#include "gc/gc.h"

enum {
  RECORD_TIMES = 512,
  RECORD_CYCLES = 512,
  RECORD_WINDOWS = 14,
  WINDOW_PARTS = 64
};

/* An interval of the run. */
typedef struct RecordTime {
  size_t least, most; /* bytes in use; most is 0: no event */
  size_t first, last; /* the same, at the first and the last event */
  size_t goal;        /* the highest one */
  uint64_t allocated; /* bytes */
  uint64_t waited;    /* nanoseconds of steps and collections */
  uint64_t longest;   /* nanoseconds of the longest of them */
} RecordTime;

/* Some cycles that follow each other.  Sums, except for `time`. */
typedef struct RecordCycle {
  uint64_t time; /* when the last one ended, in nanoseconds of the run */
  uint32_t majors, minors;
  uint32_t late;       /* cycles that ended well beyond their goal */
  uint64_t before;     /* bytes in use when they began */
  uint64_t live;       /* bytes that they found live */
  uint64_t major_live; /* the same, of major ones only */
} RecordCycle;

typedef struct RecordWindow {
  uint64_t length; /* nanoseconds */
  uint64_t worst;  /* nanoseconds that the program waited in such a window */
  uint64_t last;   /* number of the last part that is in use */
  uint64_t sum;    /* of all parts */
  uint64_t part[WINDOW_PARTS + 1];
} RecordWindow;

typedef struct Record {
  Gc *gc;
  uint64_t began;    /* gc_clock */
  uint64_t ended;    /* 0: it is under way */
  uint64_t width;    /* nanoseconds of an interval */
  size_t time_count; /* intervals in use */
  RecordTime time[RECORD_TIMES];
  size_t cycle_count;
  uint32_t cycle_group; /* cycles in a full group */
  RecordCycle cycle[RECORD_CYCLES];
  size_t cycle_bytes; /* in use when the cycle began */
  bool cycle_known;   /* ... which was after the record began */
  bool cycle_late;
  size_t goal;        /* the last one */
  size_t clock;       /* heap.allocation_clock at the last event */
  uint64_t clock_at;  /* ... which was then, in nanoseconds of the run */
  uint64_t allocated; /* bytes */
  GcHistogram pauses;
  uint64_t large; /* objects of 64 KB and more */
  uint64_t emergencies;
  size_t peak; /* most bytes in use at an event */
  RecordWindow window[RECORD_WINDOWS];
} Record;

/* Begins a record.  The caller passes all events to record_event. */
void record_begin(Record *record, Gc *gc);
void record_event(Record *record, const GcEvent *event);

/* Nothing is recorded from record_end to record_resume, if that follows. */
void record_end(Record *record);
void record_resume(Record *record);

/* Nanoseconds from the beginning to the end, or to now. */
uint64_t record_length(const Record *record);

#endif
