/* SPDX-License-Identifier: MIT */
/*
** compiler_test.h -- a state to compile in, and compiled functions as text
**
** There is no vm here.  The tests compile functions and inspect them, but do
** not run them.
*/
#ifndef PENUMBRA_TESTS_COMPILER_TEST_H
#define PENUMBRA_TESTS_COMPILER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytecode/bytecode.h"
#include "bytecode/listing.h"
#include "bytecode/verify.h"
#include "compiler/compiler.h"
#include "object/thread.h"
#include "lua.h"

/* -- Memory that can fail -------------------------------------------------- */

typedef struct TestMemory {
  size_t bytes;       /* allocated now */
  long until_failure; /* allocations that still succeed; negative: all */
} TestMemory;

static void *test_allocate(void *context, void *old, size_t old_size,
                           size_t new_size) {
  TestMemory *m = context;
  size_t given = old ? old_size : 0;
  if (new_size == 0) {
    free(old);
    m->bytes -= given;
    return NULL;
  }
  if (new_size > given && m->until_failure == 0) return NULL;
  if (new_size > given && m->until_failure > 0) m->until_failure--;
  void *new = realloc(old, new_size);
  assert_non_null(new);
  m->bytes += new_size - given;
  return new;
}

/* -- Compiling ------------------------------------------------------------- */

typedef struct Source {
  const char *text;
  size_t length;
  size_t piece; /* bytes that the reader gives at a time */
} Source;

static const char *test_read(lua_State *L, void *context, size_t *size) {
  Source *s = context;
  const char *text = s->text;
  (void)L;
  *size = s->length < s->piece ? s->length : s->piece;
  s->text += *size;
  s->length -= *size;
  return *size ? text : NULL;
}

typedef struct Compilation {
  Source source;
  LuaClosure *closure;
} Compilation;

static void test_compile_body(lua_State *L, void *data) {
  Compilation *c = data;
  Stream stream;
  stream_init(&stream, L, test_read, &c->source);
  int first = stream_get(&stream);
  c->closure = compiler_compile(L, &stream, "=test", first);
}

/* Compiles `length` bytes given in pieces.  Returns the closure, or NULL after
** an error.  Pushes one value: the closure or the error. */
static LuaClosure *test_compile_pieces(lua_State *L, const char *text,
                                       size_t length, size_t piece,
                                       int *status) {
  Compilation c = {{text, length, piece}, NULL};
  ptrdiff_t base = stack_save(L, L->top);
  *status = raise_protect(L, test_compile_body, &c);
  if (*status != LUA_OK) raise_error_value(L, *status, stack_restore(L, base));
  assert_int_equal(stack_save(L, L->top) - base, (int)sizeof(Value));
  return *status == LUA_OK ? c.closure : NULL;
}

static inline LuaClosure *test_compile(lua_State *L, const char *text) {
  int status;
  return test_compile_pieces(L, text, strlen(text), SIZE_MAX, &status);
}

/* The message of the error on top of the stack. */
static inline const char *test_message(lua_State *L) {
  assert_true(value_is_string(L->top - 1));
  return string_bytes(value_string(L->top - 1));
}

/* -- Inspecting ------------------------------------------------------------ */

/* Writes a function as the names of its opcodes, optionally with operands. */
static inline void test_describe(const Proto *p, bool operands, char *out,
                                 size_t size) {
  char line[LISTING_LINE];
  size_t pc = 0;
  *out = '\0';
  while (pc < p->code_size) {
    pc += (size_t)listing_instruction(p, pc, line);
    char *end = strpbrk(line, operands ? "\t" : " ");
    if (end) *end = '\0';
    for (char *c = line, *to = line;; c++) { /* reduce spaces to one */
      if (*c == ' ' && (c[1] == ' ' || c[1] == '\0')) continue;
      *to++ = *c;
      if (!*c) break;
    }
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? "; " : "", line);
  }
}

#endif
