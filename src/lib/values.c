/* SPDX-License-Identifier: MIT */
/*
** values.c -- several values pushed or stored by one description
*/

#include "values.h"

static void value_push(lua_State *L, char letter, va_list *args) {
  switch (letter) {
    case 'b': lua_pushboolean(L, va_arg(*args, int)); break;
    case 'i': lua_pushinteger(L, va_arg(*args, int)); break;
    case 'I': lua_pushinteger(L, va_arg(*args, lua_Integer)); break;
    case 's': lua_pushstring(L, va_arg(*args, const char *)); break;
    case 'v': lua_pushvalue(L, va_arg(*args, int)); break;
    default: lua_pushnil(L); break;
  }
}

int values_push(lua_State *L, const char *shape, ...) {
  const char *letter = shape;
  va_list args;
  va_start(args, shape);
  while (*letter != '\0') value_push(L, *letter++, &args);
  va_end(args);
  return (int)(letter - shape);
}

void values_keep(lua_State *L, int t, const char *name) {
  t = lua_absindex(L, t);
  lua_pushvalue(L, -1);
  lua_setfield(L, t, name);
}

void field_store(lua_State *L, const Field *field, const void *structure) {
  const char *at = (const char *)structure + field->offset;
  lua_Integer n = field->delta;
  switch (field->kind) {
    case FIELD_TEXT: values_push(L, "s", *(const char *const *)at); break;
    case FIELD_CHARS: values_push(L, "s", at); break;
    case FIELD_FLAG: values_push(L, "b", *at); break;
    case FIELD_INT: values_push(L, "I", n + *(const int *)at); break;
    case FIELD_SHORT:
      values_push(L, "I", n + *(const unsigned short *)at);
      break;
    case FIELD_BYTE: values_push(L, "I", n + *(const unsigned char *)at); break;
  }
  lua_setfield(L, -2, field->name);
}
