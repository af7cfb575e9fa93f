/* SPDX-License-Identifier: MIT */
/*
** listing.c -- penumbra_listcode: its output and its result
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "penumbra.h"

enum { TEXT_SIZE = 65536, WRITER_STOPS = 42 };

typedef struct Text {
  size_t length;
  int pieces_left; /* number of pieces until the writer stops */
  char bytes[TEXT_SIZE];
} Text;

static int text_append(lua_State *L, const void *p, size_t size, void *ud) {
  (void)L;
  Text *text = ud;
  if (text->pieces_left-- == 0) return WRITER_STOPS;
  assert_true(text->length + size < TEXT_SIZE);
  memcpy(text->bytes + text->length, p, size);
  text->length += size;
  text->bytes[text->length] = '\0';
  return 0;
}

static void *test_alloc(void *ud, void *block, size_t old, size_t size) {
  (void)ud;
  (void)old;
  if (size > 0) return realloc(block, size);
  free(block);
  return NULL;
}

static const char *next_piece(lua_State *L, void *ud, size_t *size) {
  const char **source = ud, *piece = *source;
  (void)L;
  *size = piece ? strlen(piece) : 0;
  *source = NULL;
  return piece;
}

static lua_State *state_with(const char *source) {
  lua_State *L = lua_newstate(test_alloc, NULL);
  assert_non_null(L);
  assert_int_equal(lua_load(L, next_piece, &source, "=test", NULL), LUA_OK);
  return L;
}

static const char source_nested[] =
    "local outer = 1.5\n"
    "function f(a, ...)\n"
    "  return function() return outer, a, 'text' end\n"
    "end\n";

static Text text;

static int list(lua_State *L, int full, int pieces) {
  text.length = 0;
  text.pieces_left = pieces;
  text.bytes[0] = '\0';
  return penumbra_listcode(L, full, text_append, &text);
}

static void lists_functions_inside(void **state) {
  (void)state;
  lua_State *L = state_with(source_nested);
  assert_int_equal(list(L, 0, -1), 0);
  assert_non_null(strstr(text.bytes, "main <test:0,0>"));
  assert_non_null(strstr(text.bytes, "function <test:2,4>"));
  assert_non_null(strstr(text.bytes, "function <test:3,3>"));
  assert_non_null(strstr(text.bytes, "\"text\""));
  assert_null(strstr(text.bytes, "constants ("));
  assert_int_equal(lua_gettop(L), 1);
  lua_close(L);
}

static void lists_variables_if_full(void **state) {
  (void)state;
  lua_State *L = state_with(source_nested);
  assert_int_equal(list(L, 1, -1), 0);
  assert_non_null(strstr(text.bytes, "constants ("));
  assert_non_null(strstr(text.bytes, "\touter\t"));
  assert_non_null(strstr(text.bytes, "\t_ENV\t"));
  lua_close(L);
}

static void stops_with_the_writer(void **state) {
  (void)state;
  lua_State *L = state_with(source_nested);
  assert_int_equal(list(L, 1, 3), WRITER_STOPS);
  size_t short_length = text.length;
  assert_int_equal(list(L, 1, -1), 0);
  assert_true(short_length < text.length);
  lua_close(L);
}

static int c_function(lua_State *L) {
  (void)L;
  return 0;
}

static void refuses_what_has_no_code(void **state) {
  (void)state;
  lua_State *L = state_with("");
  lua_pushcfunction(L, c_function);
  assert_int_equal(list(L, 0, -1), 1);
  lua_pushnil(L);
  assert_int_equal(list(L, 0, -1), 1);
  assert_int_equal(text.length, 0);
  lua_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_functions_inside),
      cmocka_unit_test(lists_variables_if_full),
      cmocka_unit_test(stops_with_the_writer),
      cmocka_unit_test(refuses_what_has_no_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
