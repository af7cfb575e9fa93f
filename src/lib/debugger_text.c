/* SPDX-License-Identifier: MIT */
/*
** debugger_text.c -- what the debugger has found in the program, as JSON
*/
#include "debugger_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Texts that grow ------------------------------------------------------- */

void dap_free(Text *text) {
  free(text->bytes);
  *text = (Text){NULL, 0, 0, false};
}

static bool dap_reserve(Text *text, size_t size) {
  enum { FIRST = 256 };
  if (text->room - text->size > size) return true;
  size_t room = text->room ? text->room : FIRST;
  while (room - text->size <= size) room *= 2;
  char *bytes = text->failed ? NULL : realloc(text->bytes, room);
  if (!bytes) {
    text->failed = true;
    return false;
  }
  text->bytes = bytes;
  text->room = room;
  return true;
}

void dap_add(Text *text, const char *bytes, size_t size) {
  if (!dap_reserve(text, size)) return;
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
  text->bytes[text->size] = '\0';
}

/* For short texts. */
void dap_print(Text *text, const char *format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (length > 0)
    dap_add(text, line, size_min((size_t)length, sizeof line - 1));
}

/* -- Strings --------------------------------------------------------------- */

/* The length of the UTF-8 sequence; 0 if it is wrong. */
static size_t dap_utf8_length(const unsigned char *s, size_t size) {
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = s[0] < 0x80   ? 1
                  : s[0] < 0xc2 ? 0
                  : s[0] < 0xe0 ? 2
                  : s[0] < 0xf0 ? 3
                  : s[0] < 0xf5 ? 4
                                : 0;
  if (length <= 1) return length;
  if (length > size) return 0;
  unsigned code = s[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (s[i] & 0x3f);
  }
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

static void dap_bytes(Text *text, const char *bytes, size_t size) {
  const unsigned char *s = (const unsigned char *)bytes;
  for (size_t i = 0; i < size;) {
    size_t length = dap_utf8_length(s + i, size - i);
    if (length == 0)
      dap_print(text, "\\\\x%02X", s[i]);
    else if (s[i] == '"' || s[i] == '\\')
      dap_print(text, "\\%c", s[i]);
    else if (s[i] < ' ' || s[i] == 127)
      dap_print(text, "\\u%04x", s[i]);
    else
      dap_add(text, bytes + i, length);
    i += length ? length : 1;
  }
}

void dap_string(Text *text, const char *bytes, size_t size) {
  dap_add(text, "\"", 1);
  dap_bytes(text, bytes, size);
  dap_add(text, "\"", 1);
}

void dap_name(Text *text, const char *name) {
  if (text->size > 0 && text->bytes[text->size - 1] != '{')
    dap_add(text, ",", 1);
  dap_string(text, name, strlen(name));
  dap_add(text, ":", 1);
}

/* -- Values ---------------------------------------------------------------- */

enum { BRIEF_STRING = 60, WHOLE_STRING = 65536, BRIEF_ITEMS = 8 };

/* As in a program, but control characters of one line. */
static void quote_lua(Text *text, const char *s, size_t size, size_t most) {
  size_t shown = size_min(size, most);
  while (shown < size && shown > 0 && ((unsigned char)s[shown] & 0xc0) == 0x80)
    shown--; /* not within a character */
  dap_add(text, "\\\"", 2);
  for (size_t i = 0, from = 0; i <= shown; i++) {
    bool special = i < shown && (s[i] == '"' || s[i] == '\\' || s[i] == '\n' ||
                                 s[i] == '\r' || s[i] == '\t');
    if (!special && i < shown) continue;
    dap_bytes(text, s + from, i - from);
    from = i + 1;
    if (i == shown) break;
    if (s[i] == '"' || s[i] == '\\')
      dap_print(text, "\\\\\\%c", s[i]);
    else
      dap_print(text, "\\\\%c", s[i] == '\n' ? 'n' : s[i] == '\r' ? 'r' : 't');
  }
  dap_add(text, "\\\"", 2);
  if (shown < size) dap_print(text, "... (%zu bytes)", size);
}

static void brief_function(Text *text, lua_State *L, int index) {
  lua_Debug ar;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &ar);
  dap_print(text, "function");
  if (*ar.what == 'C') {
    dap_print(text, ": %p (C)", lua_topointer(L, index));
    return;
  }
  dap_print(text, " (");
  dap_bytes(text, ar.short_src, strlen(ar.short_src));
  dap_print(text, ":%d)", ar.linedefined);
}

/* The name in a metatable, or the type. */
static void brief_object(Text *text, lua_State *L, int index) {
  const char *name = luaL_typename(L, index);
  int pushed = 0;
  if (lua_getmetatable(L, index)) {
    lua_pushliteral(L, "__name");
    pushed = 2;
    if (lua_rawget(L, -2) == LUA_TSTRING) name = lua_tostring(L, -1);
  }
  dap_bytes(text, name, size_min(strlen(name), BRIEF_STRING));
  dap_print(text, ": %p", lua_topointer(L, index));
  lua_pop(L, pushed);
}

static void brief_scalar(Text *text, lua_State *L, int index, size_t most) {
  size_t size;
  const char *s;
  switch (lua_type(L, index)) {
    case LUA_TNIL: dap_print(text, "nil"); break;
    case LUA_TBOOLEAN:
      dap_print(text, lua_toboolean(L, index) ? "true" : "false");
      break;
    case LUA_TSTRING:
      s = lua_tolstring(L, index, &size);
      quote_lua(text, s, size, most);
      break;
    case LUA_TNUMBER:
      lua_pushvalue(L, index); /* the value itself stays a number */
      dap_print(text, "%s", lua_tostring(L, -1));
      lua_pop(L, 1);
      break;
    case LUA_TFUNCTION: brief_function(text, L, index); break;
    default: brief_object(text, L, index);
  }
}

static bool dap_is_name(const char *s, size_t size) {
  for (size_t i = 0; i < size; i++) {
    bool letter = (s[i] | 32) >= 'a' && (s[i] | 32) <= 'z';
    if (!letter && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9'))
      return false;
  }
  return size > 0 && size <= BRIEF_STRING;
}

/* An item of a table, whose key and value are on top. */
static void brief_item(Text *text, lua_State *L, lua_Integer expected) {
  size_t size;
  const char *s =
      lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : NULL;
  if (s && dap_is_name(s, size)) {
    dap_add(text, s, size);
    dap_print(text, " = ");
  } else if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) != expected) {
    dap_print(text, "[");
    brief_scalar(text, L, lua_gettop(L) - 1, BRIEF_STRING);
    dap_print(text, "] = ");
  }
  if (lua_type(L, -1) == LUA_TTABLE)
    dap_print(text, "{...}");
  else
    brief_scalar(text, L, lua_gettop(L), BRIEF_STRING);
}

static void brief_table(Text *text, lua_State *L, int index) {
  lua_Integer n = 0;
  dap_print(text, "{");
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (n > 0) dap_print(text, ", ");
    if (++n > BRIEF_ITEMS) {
      dap_print(text, "...");
      lua_pop(L, 2);
      break;
    }
    brief_item(text, L, n);
    lua_pop(L, 1);
  }
  dap_print(text, "}");
}

void dap_brief(Text *text, lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TTABLE) {
    brief_scalar(text, L, index, WHOLE_STRING);
    return;
  }
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    brief_object(text, L, index);
    dap_print(text, " ");
  }
  brief_table(text, L, index);
}

void dap_value(Text *text, lua_State *L, int index, int ref, int indexed) {
  index = lua_absindex(L, index);
  dap_name(text, "type");
  const char *type = luaL_typename(L, index);
  dap_string(text, type, strlen(type));
  dap_name(text, "text");
  dap_add(text, "\"", 1);
  dap_brief(text, L, index);
  dap_add(text, "\"", 1);
  if (ref == 0) return;
  dap_name(text, "ref");
  dap_print(text, "%d", ref);
  dap_name(text, "indexed");
  dap_print(text, "%d", indexed);
}
