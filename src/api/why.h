/* SPDX-License-Identifier: MIT */
/*
** why.h -- paths to objects in words, for other files of the API
*/
#ifndef PENUMBRA_API_WHY_H
#define PENUMBRA_API_WHY_H

#include "api/describe.h"
#include "observe/reach.h"

/* Writes the path by which the walk reached the object. */
void why_text(const Reach *reach, Paths *paths, Cell *target, char *text,
              size_t room);

#endif
