/* SPDX-License-Identifier: MIT */
/*
** check.h -- assertions that print what they saw
**
**   ASSERT(cond, "format", ...)       cheap; on in debug builds
**   ASSERT_DEEP(cond, "format", ...)  for checks that walk structures; on in
**                                     stress builds
**
** Both still compile, and their arguments are still type-checked, when they
** are switched off.  A failure prints the place, the condition and the values,
** and aborts, unless a test has installed a handler.
*/
#ifndef PENUMBRA_CHECK_H
#define PENUMBRA_CHECK_H

#include "base/base.h"

#define ASSERT_IF(enabled, cond, ...)                       \
  do {                                                      \
    if ((enabled) && UNLIKELY(!(cond)))                     \
      check_failed(__FILE__, __LINE__, #cond, __VA_ARGS__); \
  } while (0)

#define ASSERT(cond, ...)      ASSERT_IF(PENUMBRA_DEBUG, cond, __VA_ARGS__)
#define ASSERT_DEEP(cond, ...) ASSERT_IF(PENUMBRA_STRESS, cond, __VA_ARGS__)

/* For verifiers: checks in every build, because the caller asked for it. */
#define REQUIRE(cond, ...) ASSERT_IF(1, cond, __VA_ARGS__)

/* Reports a failed assertion.  Returns only if a handler is installed. */
COLD PRINTF_LIKE(4, 5) void check_failed(const char *file, int line,
                                         const char *condition,
                                         const char *format, ...);

/* Sets the handler of failed assertions, for tests that provoke them.  NULL
** restores the default, which prints and aborts.  The process has one
** handler. */
typedef void CheckHandler(void *context, const char *message);
void check_set_handler(CheckHandler *handler, void *context);

#endif
