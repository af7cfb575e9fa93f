/* SPDX-License-Identifier: MIT */
/*
** events.h -- passes the collector's events to the host and to a trace
*/
#ifndef PENUMBRA_API_EVENTS_H
#define PENUMBRA_API_EVENTS_H

#include "object/thread.h"

/* Call after the host's listener or the trace has changed.  If there is
** neither, events cost nothing. */
void events_route(Global *g);

/* Passes an event on to the trace, if there is one. */
void events_trace(Global *g, const GcEvent *event);

/* Passes an event on to the record of a report, if there is one. */
void events_record(Global *g, const GcEvent *event);

#endif
