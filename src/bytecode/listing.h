/* SPDX-License-Identifier: MIT */
/*
** listing.h -- code for human readers
*/
#ifndef PENUMBRA_BYTECODE_LISTING_H
#define PENUMBRA_BYTECODE_LISTING_H

#include <stdio.h>

#include "object/function.h"

/* Receives a listing piece by piece. */
typedef void ListingWriter(void *context, const char *text);

typedef struct ListingOptions {
  bool nested; /* nested functions, too */
  bool full;   /* constants, local variables and upvalues, too */
} ListingOptions;

void listing_write(const Proto *p, ListingOptions options, ListingWriter *write,
                   void *context);
void listing_to_file(const Proto *p, ListingOptions options, FILE *file);

/* Writes one instruction without its pc and line, such as "ADD_RI 2 0 1".
** Returns its length in words. */
enum { LISTING_LINE = 256 };
int listing_instruction(const Proto *p, size_t pc, char text[LISTING_LINE]);

#endif
