/* SPDX-License-Identifier: MIT */
/*
** check.c -- where a failed assertion ends up
*/
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static CheckHandler *failure_handler;
static void *failure_context;

void check_set_handler(CheckHandler *handler, void *context) {
  failure_handler = handler;
  failure_context = context;
}

void check_failed(const char *file, int line, const char *condition,
                  const char *format, ...) {
  char text[512];
  int length =
      snprintf(text, sizeof text, "%s:%d: %s: ", file, line, condition);
  if (length > 0 && (size_t)length < sizeof text) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
  }
  if (failure_handler) {
    failure_handler(failure_context, text);
    return;
  }
  fprintf(stderr, "penumbra: assertion failed: %s\n", text);
  abort();
}
