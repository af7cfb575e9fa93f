/* SPDX-License-Identifier: MIT */
/*
** report.h -- a report of a run, as JSON
**
** The text is collected in memory.  So nobody who reads it runs before it is
** complete, and may use or free what it describes.  docs/report.md lists the
** members.
*/
#ifndef PENUMBRA_OBSERVE_REPORT_H
#define PENUMBRA_OBSERVE_REPORT_H

#include "observe/record.h"

typedef struct Report {
  Heap *heap;
  char *text;
  size_t used, capacity;
  bool failed; /* no memory */
} Report;

/* Begins with an object, whose members follow. */
void report_begin(Report *report, Heap *heap);
/* Ends the object.  False if the text is not complete. */
bool report_end(Report *report);
void report_free(Report *report);

/* Each of these writes a member of an object, or an item of a list if `name` is
** NULL.  A list or an object begins with its bracket and ends with the other. */
void report_open(Report *report, const char *name, char bracket);
void report_close(Report *report, char bracket);
void report_number(Report *report, const char *name, uint64_t number);
void report_text(Report *report, const char *name, const char *text);

/* Writes all that was recorded, as members. */
void report_record(Report *report, const Record *record);

#endif
