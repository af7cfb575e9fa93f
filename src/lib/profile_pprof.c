/* SPDX-License-Identifier: MIT */
/*
** profile_pprof.c -- the library `penumbra.profile`: the format of pprof
**
** A profile is one protocol buffers message: samples refer to locations by
** number, locations to functions and lines, functions to strings.  Here each
** frame text has a location and a function of its own, with the same number.
**
**   Profile   1 sample_type  2 sample  4 location  5 function  6 string_table
**             14 default_sample_type
**   Sample    1 location_id (innermost first)  2 value
**   Location  1 id  4 line { 1 function_id  2 line }
**   Function  1 id  2 name  4 filename
*/

#include <stdlib.h>
#include <string.h>

#include "profile_impl.h"

/* -- Messages ------------------------------------------------------------ */

/* A field is its number and its wire type, then its value. */
enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

enum { VARINT_SIZE = 10 };

/* Writes seven bits in a byte, the lowest first; returns the number of
** bytes. */
static size_t varint_to(char *to, lua_Unsigned n) {
  size_t size = 0;
  for (; n >= 0x80; n >>= 7) to[size++] = (char)(n | 0x80);
  to[size++] = (char)n;
  return size;
}

static void put_varint(luaL_Buffer *b, lua_Unsigned n) {
  char bytes[VARINT_SIZE];
  luaL_addlstring(b, bytes, varint_to(bytes, n));
}

static void put_number(luaL_Buffer *b, unsigned field, lua_Unsigned n) {
  put_varint(b, field << 3 | WIRE_NUMBER);
  put_varint(b, n);
}

/* Writes a field that holds bytes to the file. */
static void write_bytes(FILE *file, unsigned field, const char *bytes,
                        size_t size) {
  char head[1 + VARINT_SIZE];
  head[0] = (char)(field << 3 | WIRE_BYTES);
  fwrite(head, 1, 1 + varint_to(head + 1, size), file);
  fwrite(bytes, 1, size, file);
}

/* Writes the buffer as a message. */
static void write_message(lua_State *L, luaL_Buffer *b, FILE *file,
                          unsigned field) {
  size_t size;
  luaL_pushresult(b);
  const char *bytes = lua_tolstring(L, -1, &size);
  write_bytes(file, field, bytes, size);
  lua_pop(L, 1);
}

/* -- Strings ------------------------------------------------------------- */

/* The number of the string on top, which is popped.  The table at `strings`
** maps strings to their places in the list.  A new string is written. */
static lua_Integer string_number(lua_State *L, int strings, FILE *file) {
  lua_pushvalue(L, -1);
  if (lua_rawget(L, strings) == LUA_TNUMBER) {
    const lua_Integer n = lua_tointeger(L, -1);
    lua_pop(L, 2);
    return n;
  }
  lua_pop(L, 1);
  size_t size;
  const char *bytes = lua_tolstring(L, -1, &size);
  write_bytes(file, 6, bytes, size);
  lua_rawgeti(L, strings, 0);
  const lua_Integer n = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_pushinteger(L, n);
  lua_rawset(L, strings);
  lua_pushinteger(L, n + 1);
  lua_rawseti(L, strings, 0);
  return n;
}

/* -- Frames -------------------------------------------------------------- */

/* Where the parts of "name (file:line)" begin and end. */
typedef struct FrameText {
  const char *name, *name_end;
  const char *file, *file_end;
  long line; /* 0: none */
} FrameText;

static FrameText frame_parse(const char *text, size_t size) {
  const char *end = text + size;
  FrameText f = {text, end, end, end, 0};
  const char *open = memchr(text, '(', size);
  if (!open || open == text) return f;
  f.name_end = open - 1;
  f.file = open + 1;
  f.file_end = end - 1; /* the closing parenthesis */
  for (const char *c = end - 1; c > f.file; c--)
    if (*c == ':') {
      f.line = strtol(c + 1, NULL, 10);
      f.file_end = c;
      break;
    }
  return f;
}

static lua_Integer text_number(lua_State *L, int strings, FILE *file,
                               const char *from, const char *to) {
  lua_pushlstring(L, from, (size_t)(to - from));
  return string_number(L, strings, file);
}

static void write_location(lua_State *L, FILE *file, lua_Integer id,
                           long line) {
  char inner[2 * (1 + VARINT_SIZE)];
  size_t n = 0;
  luaL_Buffer b;
  inner[n++] = 1 << 3 | WIRE_NUMBER;
  n += varint_to(inner + n, (lua_Unsigned)id);
  inner[n++] = 2 << 3 | WIRE_NUMBER;
  n += varint_to(inner + n, (lua_Unsigned)line);
  luaL_buffinit(L, &b);
  put_number(&b, 1, (lua_Unsigned)id);
  put_varint(&b, 4 << 3 | WIRE_BYTES);
  put_varint(&b, n);
  luaL_addlstring(&b, inner, n);
  write_message(L, &b, file, 4);
}

/* Writes function and location number `id`. */
static void write_frame(lua_State *L, int strings, FILE *file, const char *text,
                        size_t size, lua_Integer id) {
  const FrameText f = frame_parse(text, size);
  luaL_Buffer b;
  const lua_Integer name = text_number(L, strings, file, f.name, f.name_end);
  const lua_Integer source = text_number(L, strings, file, f.file, f.file_end);
  luaL_buffinit(L, &b);
  put_number(&b, 1, (lua_Unsigned)id);
  put_number(&b, 2, (lua_Unsigned)name);
  put_number(&b, 4, (lua_Unsigned)source);
  write_message(L, &b, file, 5);
  write_location(L, file, id, f.line > 0 ? f.line : 0);
}

/* The number of a frame; a new frame is written. */
static lua_Integer frame_number(lua_State *L, int frames, int strings,
                                FILE *file, const char *text, size_t size) {
  lua_pushlstring(L, text, size);
  if (lua_rawget(L, frames) == LUA_TNUMBER) {
    const lua_Integer id = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return id;
  }
  lua_pop(L, 1);
  lua_rawgeti(L, frames, 0);
  const lua_Integer id = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  lua_pushinteger(L, id);
  lua_rawseti(L, frames, 0);
  lua_pushlstring(L, text, size);
  lua_pushinteger(L, id);
  lua_rawset(L, frames);
  write_frame(L, strings, file, text, size, id);
  return id;
}

/* -- Samples ------------------------------------------------------------- */

enum { SAMPLE_DEPTH = 128, SAMPLE_VALUES = 4 };

/* The stack is text, the outermost frame first.  The numbers are in the list on
** top. */
static void write_sample(lua_State *L, int frames, int strings, FILE *file,
                         const char *stack, int count) {
  lua_Integer id[SAMPLE_DEPTH];
  lua_Unsigned value[SAMPLE_VALUES] = {0};
  int depth = 0;
  luaL_Buffer b;
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, -1, i + 1);
    value[i] = (lua_Unsigned)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  for (const char *text = stack; text && depth < SAMPLE_DEPTH;) {
    const char *end = strchr(text, ';');
    const size_t size = end ? (size_t)(end - text) : strlen(text);
    id[depth++] = frame_number(L, frames, strings, file, text, size);
    text = end ? end + 1 : NULL;
  }
  luaL_buffinit(L, &b);
  while (depth > 0) put_number(&b, 1, (lua_Unsigned)id[--depth]);
  for (int i = 1; i <= count; i++) put_number(&b, 2, value[i - 1]);
  write_message(L, &b, file, 2);
}

/* Returns the number of the type's name. */
static lua_Integer write_sample_type(lua_State *L, int strings, FILE *file,
                                     const ProfileType *type) {
  luaL_Buffer b;
  lua_pushstring(L, type->name);
  const lua_Integer type_number = string_number(L, strings, file);
  lua_pushstring(L, type->unit);
  const lua_Integer unit_number = string_number(L, strings, file);
  luaL_buffinit(L, &b);
  put_number(&b, 1, (lua_Unsigned)type_number);
  put_number(&b, 2, (lua_Unsigned)unit_number);
  write_message(L, &b, file, 1);
  return type_number;
}

static void write_shown_type(FILE *file, lua_Integer name) {
  char field[1 + VARINT_SIZE];
  field[0] = 14 << 3 | WIRE_NUMBER;
  fwrite(field, 1, 1 + varint_to(field + 1, (lua_Unsigned)name), file);
}

void profile_write_pprof(lua_State *L, int idx, FILE *file,
                         const ProfileType *types, int count, int shown) {
  luaL_checkstack(L, 16, NULL);
  const int top = lua_gettop(L), strings = top + 1, frames = top + 2;
  lua_newtable(L);
  lua_newtable(L);
  lua_pushinteger(L, 0);
  lua_rawseti(L, strings, 0);
  lua_pushliteral(L, "");
  string_number(L, strings, file); /* number 0 */
  for (int i = 0; i < count; i++) {
    const lua_Integer name = write_sample_type(L, strings, file, &types[i]);
    if (i == shown) write_shown_type(file, name);
  }
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1))
    write_sample(L, frames, strings, file, lua_tostring(L, -2), count);
  lua_settop(L, top);
}
