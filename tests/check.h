/* SPDX-License-Identifier: MIT */
/*
** check.h -- a condition that ends a test program if it does not hold
*/
#ifndef PENUMBRA_TESTS_CHECK_H
#define PENUMBRA_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                           \
  do {                                                             \
    if (!(condition)) {                                            \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, \
              #condition);                                         \
      abort();                                                     \
    }                                                              \
  } while (0)

#endif
