/* SPDX-License-Identifier: MIT */
/*
** events.h -- who hears of the collector's events: the host, and a trace
*/
#ifndef PENUMBRA_API_EVENTS_H
#define PENUMBRA_API_EVENTS_H

#include "object/thread.h"

/* Somebody began to listen or stopped.  Without anybody, events cost nothing. */
void events_route(Global *g);

/* Passes an event on to the trace, if there is one. */
void events_trace(Global *g, const GcEvent *event);

#endif
