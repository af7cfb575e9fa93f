/* SPDX-License-Identifier: MIT */
/*
** values.c -- several values pushed or stored by one description
*/

#include "values.h"

#include "object/meta.h"
#include "vm/call.h"

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

const char *values_word(const Value *v) {
  switch (v->tag) {
    case TAG_NIL: return "nil";
    case TAG_FALSE: return "false";
    case TAG_TRUE: return "true";
    default: return NULL;
  }
}

/* Most values that come here have a __tostring. */
const char *values_push_text(lua_State *L, int arg, size_t *len) {
  const Value *v = L->frame->func + arg;
  Table *metatable = meta_of(L, v);
  Value *top = L->top;
  const char *word = metatable ? NULL : values_word(v);
  if (word) {
    *len = strlen(word);
    return lua_pushstring(L, word);
  }
  if (!metatable ||
      !table_get_str(L, metatable, string_new_cached(L, "__tostring"), top))
    return luaL_tolstring(L, arg, len);
  value_copy(top + 1, v);
  L->top = top + 2;
  call_value_no_yield(L, top, 1);
  if (luai_unlikely(!lua_isstring(L, -1)))
    luaL_error(L, "'__tostring' must return a string");
  return lua_tolstring(L, -1, len); /* converts a number */
}

void field_store(lua_State *L, const Field *field, const void *structure) {
  const char *at = (const char *)structure + field->offset;
  lua_Integer n = field->delta;
  switch (field->kind) {
    case FIELD_TEXT: lua_pushstring(L, *(const char *const *)at); break;
    case FIELD_CHARS: lua_pushstring(L, at); break;
    case FIELD_FLAG: lua_pushboolean(L, *at); break;
    case FIELD_INT: lua_pushinteger(L, n + *(const int *)at); break;
    case FIELD_SHORT: lua_pushinteger(L, n + *(const uint16_t *)at); break;
    case FIELD_BYTE: lua_pushinteger(L, n + *(const uint8_t *)at); break;
  }
  lua_setfield(L, -2, field->name);
}
