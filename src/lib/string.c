/* SPDX-License-Identifier: MIT */
/*
** string.c -- the string library: its plain functions, and its opening
*/
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "declare.h"
#include "string_builder.h"
#include "lualib.h"
#include "string_impl.h"
#include "object/short_text.h"

static ALWAYS_INLINE bool take_string(const Value *args, unsigned argc,
                                      const String **s) {
  if (UNLIKELY(argc == 0 || !value_is_string(args))) return false;
  *s = value_string(args);
  return true;
}

/* -- Bytes and parts ------------------------------------------------------- */

NATIVE(string_len) {
  const String *s;
  if (!take_string(args, argc, &s)) return NATIVE_RETRY;
  return give_integer(out, (lua_Integer)string_length(s));
}

NATIVE(string_sub) {
  lua_Integer first, last = -1;
  const String *s;
  if (!take_string(args, argc, &s) || argc < 2 || !value_is_integer(&args[1]) ||
      !take_integer(args, argc, 2, &last))
    return NATIVE_RETRY;
  lua_Integer length = (lua_Integer)string_length(s);
  first = first_position(args[1].as.i, length);
  last = last_position(last, length);
  size_t count = first <= last ? (size_t)(last - first + 1) : 0;
  if (count == (size_t)length) return give_value(out, args);
  const char *bytes = string_bytes(s) + (count ? first - 1 : 0);
  if (UNLIKELY(native_is_costly(L, count))) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    lua_pushlstring(L, bytes, count); /* at the place of `out` */
    return 1;
  }
  return give_new_string(L, out, string_new_part(L, bytes, count));
}

/* Makes room for the bytes as results, in a call with a frame. */
static Value *byte_slots(lua_State *L, lua_Integer count) {
  if (UNLIKELY(count >= INT_MAX)) luaL_error(L, "string slice too long");
  luaL_checkstack(L, (int)count, "string slice too long");
  budget_spend(L, (size_t)count);
  return L->top;
}

NATIVE(string_byte) {
  lua_Integer first = 1, last;
  const String *s;
  if (!take_string(args, argc, &s) || !take_integer(args, argc, 1, &first))
    return NATIVE_RETRY;
  last = first;
  if (!take_integer(args, argc, 2, &last)) return NATIVE_RETRY;
  lua_Integer length = (lua_Integer)string_length(s);
  first = first_position(first, length);
  last = last_position(last, length);
  if (first > last) return 0;
  lua_Integer count = last - first + 1;
  if (UNLIKELY(count - 1 > (lua_Integer)argc)) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    out = byte_slots(L, count);
  }
  const char *bytes = string_bytes(s) + first - 1;
  for (lua_Integer i = 0; i < count; i++)
    value_set_integer(&out[i], (unsigned char)bytes[i]);
  return (int)count;
}

/* Checks the next code, which may be invalid, in a call with a frame. */
static COLD lua_Integer char_check(lua_State *L, int arg) {
  const lua_Unsigned code = (lua_Unsigned)luaL_checkinteger(L, arg);
  budget_spend(L, 0); /* the string that was read may be long */
  luaL_argcheck(L, code <= UCHAR_MAX, arg, "value out of range");
  return (lua_Integer)code;
}

NATIVE(string_char) {
  StringBuilder t;
  char *to = builder_begin(L, &t, argc, out);
  for (unsigned i = 0; i < argc; i++) {
    lua_Integer code = args[i].as.i;
    if (UNLIKELY(!value_is_integer(&args[i]) ||
                 (lua_Unsigned)code > UCHAR_MAX)) {
      if (!native_has_frame(L)) return NATIVE_RETRY;
      code = char_check(L, (int)i + 1);
    }
    to[i] = (char)(unsigned char)code;
  }
  return builder_give(L, &t, out);
}

/* -- Strings made of another one, byte by byte ----------------------------- */

/* The case mapping of the C library, in the current locale.  glibc's tables are
** read directly, because its functions look up their address for every
** character. */
#if defined __GLIBC__
typedef const __int32_t *CaseMap;

static CaseMap case_lower(void) { return *__ctype_tolower_loc(); }
static CaseMap case_upper(void) { return *__ctype_toupper_loc(); }
static ALWAYS_INLINE int case_of(CaseMap map, unsigned char c) {
  return map[c];
}
#else
typedef int (*CaseMap)(int);

static CaseMap case_lower(void) { return tolower; }
static CaseMap case_upper(void) { return toupper; }
static ALWAYS_INLINE int case_of(CaseMap map, unsigned char c) {
  return map(c);
}
#endif

/* Maps the byte `shift` bits up in the word. */
static ALWAYS_INLINE uint64_t map_byte(uint64_t word, unsigned shift,
                                       CaseMap map) {
  return (uint64_t)(uint8_t)case_of(map, word >> shift & 0xff) << shift;
}

/* Maps four of the eight bytes. */
static ALWAYS_INLINE uint64_t map_half(uint64_t word, unsigned shift,
                                       CaseMap map) {
  return map_byte(word, shift, map) | map_byte(word, shift + 8, map) |
         map_byte(word, shift + 16, map) | map_byte(word, shift + 24, map);
}

/* Reads and writes eight bytes at a time. */
static void write_mapped(char *to, const char *s, size_t length, CaseMap map) {
  size_t i = 0;
  for (; i + TEXT_WORD <= length; i += TEXT_WORD) {
    uint64_t word = text_load(s + i);
    text_store(to + i, map_half(word, 0, map) | map_half(word, 32, map));
  }
  for (; i < length; i++) to[i] = (char)case_of(map, (unsigned char)s[i]);
}

static void write_lower(char *to, const char *s, size_t length) {
  write_mapped(to, s, length, case_lower());
}

static void write_upper(char *to, const char *s, size_t length) {
  write_mapped(to, s, length, case_upper());
}

/* `s` is the end of the text to reverse. */
static void write_reversed(char *to, const char *s, size_t length) {
  size_t left = length;
  for (; left >= TEXT_WORD; left -= TEXT_WORD, to += TEXT_WORD)
    text_store(to, text_reverse(text_load(s + left - TEXT_WORD)));
  while (left > 0) *to++ = s[--left];
}

/* Pieces of the result are written one by one, because a budget may end.
** `from_end`: the last piece of the string is the first of the result. */
static ALWAYS_INLINE int give_mapped(lua_State *L, const Value *args,
                                     unsigned argc, Value *out, bool from_end,
                                     void (*write)(char *, const char *,
                                                   size_t)) {
  StringBuilder t;
  const String *s;
  if (!take_string(args, argc, &s)) return NATIVE_RETRY;
  size_t left = string_length(s);
  if (native_needs_frame(L, left)) return NATIVE_RETRY;
  const char *from = string_bytes(s);
  char *to = builder_begin(L, &t, left, out);
  for (; UNLIKELY(left > BUDGET_PIECE); left -= BUDGET_PIECE) {
    write(to, from_end ? from + left - BUDGET_PIECE : from, BUDGET_PIECE);
    budget_spend_bytes(L, BUDGET_PIECE);
    to += BUDGET_PIECE;
    if (!from_end) from += BUDGET_PIECE;
  }
  write(to, from, left);
  return builder_give(L, &t, out);
}

NATIVE(string_lower) {
  return give_mapped(L, args, argc, out, false, write_lower);
}

NATIVE(string_upper) {
  return give_mapped(L, args, argc, out, false, write_upper);
}

NATIVE(string_reverse) {
  return give_mapped(L, args, argc, out, true, write_reversed);
}

/* -- Repetition ------------------------------------------------------------ */

/* Fills `total` bytes.  The first `unit` bytes exist already; each copy doubles
** the filled part. */
static void rep_fill(lua_State *L, char *to, size_t unit, size_t total) {
  for (size_t done = unit; done < total;) {
    size_t n = done <= total - done ? done : total - done;
    budget_copy(L, to + done, to, n);
    done += n;
  }
}

/* Longer results are treated as errors. */
#define REP_MAX ((lua_Unsigned)INT_MAX)

NATIVE(string_rep) {
  static const Value no_separator = {.tag = TAG_NIL};
  StringBuilder t;
  const String *s;
  if (!take_string(args, argc, &s) || argc < 2 || !value_is_integer(&args[1]))
    return NATIVE_RETRY;
  const Value *separator = argc > 2 ? &args[2] : &no_separator;
  if (!value_is_string(separator) && !value_is_nil(separator))
    return NATIVE_RETRY;
  const bool joins = value_is_string(separator);
  const size_t gap = joins ? string_length(value_string(separator)) : 0;
  const size_t length = string_length(s), unit = length + gap;
  const lua_Integer n = args[1].as.i;
  if (n <= 0 || unit == 0)
    return give_new_string(L, out, string_new_short(L, "", 0));
  if (UNLIKELY(unit < length || unit > REP_MAX / (lua_Unsigned)n)) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    return luaL_error(L, "resulting string too large");
  }
  const size_t total = (size_t)n * unit - gap;
  if (native_needs_frame(L, total)) return NATIVE_RETRY;
  char *to = builder_begin(L, &t, total, out);
  budget_copy(L, to, string_bytes(s), length);
  if (n > 1) {
    if (joins)
      budget_copy(L, to + length, string_bytes(value_string(separator)), gap);
    rep_fill(L, to, unit, total);
  }
  return builder_give(L, &t, out);
}

/* -- Binary chunks ------------------------------------------------------- */

/* The buffer takes its stack slot only with the first piece: until then the
** function to dump must stay on top. */
typedef struct DumpTarget {
  bool started;
  luaL_Buffer buffer;
} DumpTarget;

static int dump_write(lua_State *L, const void *p, size_t size, void *ud) {
  DumpTarget *target = ud;
  if (!target->started) {
    target->started = true;
    luaL_buffinit(L, &target->buffer);
  }
  luaL_addlstring(&target->buffer, p, size);
  return 0;
}

static int string_dump_framed(lua_State *L) {
  DumpTarget target;
  const int strip = lua_toboolean(L, 2);
  lua_settop(L, 1);
  target.started = false;
  if (luai_unlikely(lua_dump(L, dump_write, &target, strip) != 0))
    return luaL_error(L, "unable to dump given function");
  luaL_pushresult(&target.buffer);
  return 1;
}

/* -- Opening ------------------------------------------------------------- */

#define STRING_NATIVES(RUN, BOTH, SPLIT, FRAMED)                           \
  RUN(string, byte, STRING(s), MAYBE(INTEGER, i), MAYBE(INTEGER, j))       \
  RUN(string, char, REST_OF(INTEGER))                                      \
  FRAMED(string, dump, FUNCTION(function), MAYBE(ANY, strip))              \
  SPLIT(string, find, STRING(s), STRING(pattern), MAYBE(INTEGER, init),    \
        MAYBE(ANY, plain))                                                 \
  FRAMED(string, format, STRING(formatstring), REST)                       \
  FRAMED(string, gmatch, STRING(s), STRING(pattern), MAYBE(INTEGER, init)) \
  FRAMED(string, gsub, STRING(s), STRING(pattern), OWN(ANY, repl),         \
         MAYBE(INTEGER, n))                                                \
  RUN(string, len, STRING(s))                                              \
  RUN(string, lower, STRING(s))                                            \
  FRAMED(string, match, STRING(s), STRING(pattern), MAYBE(INTEGER, init))  \
  FRAMED(string, pack, STRING(fmt), REST)                                  \
  FRAMED(string, packsize, STRING(fmt))                                    \
  RUN(string, rep, STRING(s), INTEGER(n), MAYBE(STRING, sep))              \
  RUN(string, reverse, STRING(s))                                          \
  RUN(string, sub, STRING(s), INTEGER(i), MAYBE(INTEGER, j))               \
  FRAMED(string, unpack, STRING(fmt), STRING(s), MAYBE(INTEGER, pos))      \
  RUN(string, upper, STRING(s))

NATIVE_LIBRARY(string, "string.", STRING_NATIVES)

void string_push_metatable(lua_State *L) {
  lua_createtable(L, 0, 9);
  string_open_arith(L);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");
}

/* All strings share one metatable; its __index is the library. */
static void string_set_metatable(lua_State *L) {
  string_push_metatable(L);
  lua_pushliteral(L, "");
  lua_pushvalue(L, -2);
  lua_setmetatable(L, -2);
  lua_pop(L, 2);
}

LUAMOD_API int luaopen_string(lua_State *L) {
  luaL_checkversion(L);
  lua_createtable(L, 0, string_count);
  native_open(L, string_natives);
  string_set_metatable(L);
  return 1;
}
