/* SPDX-License-Identifier: MIT */
/*
** decimal.h -- floats as decimal text, as printf writes them
**
** The results are exact, with integers of 128 bits alone.  A float is m * 2^e,
** so the wanted digits are m * 2^e * 10^s, rounded.  As long as these factors
** fit, which holds for numbers of usual size, that is a multiplication and a
** shift, or a division.
*/
#ifndef PENUMBRA_OBJECT_DECIMAL_H
#define PENUMBRA_OBJECT_DECIMAL_H

#include "base/base.h"
#include "object/types.h"

enum { DECIMAL_TEXT_SIZE = 64 }; /* room for any result */

/* Writes `n` as "%.<precision><letter>" would with f, e or g, without a
** terminating zero.  Returns the length, or 0 if this function cannot do it. */
size_t decimal_write(char *text, Number n, char letter, int precision);

/* Writes the digits of `n` so that they end before `end`, and returns where
** they begin.  Writes nothing for 0. */
char *decimal_digits(char *end, uint64_t n);

#endif
