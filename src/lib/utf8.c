/* SPDX-License-Identifier: MIT */
/*
** utf8.c -- the utf8 library
**
** Sequences have up to six bytes, for values below 2^31, as in the first
** definition of UTF-8.  In strict mode, which is the default, values beyond
** Unicode and surrogates are errors; the argument `lax` accepts them.
** Positions in the code count from 0.
*/

#include <limits.h>
#include <string.h>

#include "lib.h"
#include "values.h"
#include "lualib.h"

#define UTF8_MAX         0x7FFFFFFFu
#define UTF8_UNICODE_MAX 0x10FFFFu
#define UTF8_PATTERN     "[\0-\x7F\xC2-\xFD][\x80-\xBF]*"

typedef unsigned int CodePoint;

static inline bool utf8_is_continuation(const char *s) {
  return ((unsigned char)*s & 0xC0) == 0x80;
}

/* Negative positions count from the end; 0 is before the beginning. */
static lua_Integer utf8_position(lua_Integer pos, size_t len) {
  if (pos >= 0) return pos;
  if (0u - (size_t)pos > len) return 0;
  return (lua_Integer)len + pos + 1;
}

/* -- Decoding ------------------------------------------------------------ */

/* The number of bytes of a sequence that begins with this byte; 0 if none
** does. */
static int utf8_length(unsigned int lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC0) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  if (lead < 0xF8) return 4;
  if (lead < 0xFC) return 5;
  return lead < 0xFE ? 6 : 0;
}

static bool utf8_is_unicode(CodePoint code) {
  return code <= UTF8_UNICODE_MAX && !(0xD800 <= code && code <= 0xDFFF);
}

/* Decodes the sequence at s.  Returns its end, or NULL if it is invalid.  The
** zero at the end of the string stops a truncated sequence. */
static const char *utf8_decode(const char *s, CodePoint *code, bool strict) {
  static const CodePoint least[] = {
      0, 0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000,
  };
  const unsigned int lead = (unsigned char)*s;
  const int len = utf8_length(lead);
  if (len == 1) {
    *code = lead;
    return s + 1;
  }
  CodePoint c = lead & (0x7Fu >> len);
  for (int i = 1; i < len; i++) {
    if (!utf8_is_continuation(s + i)) return NULL;
    c = (c << 6) | ((unsigned char)s[i] & 0x3Fu);
  }
  if (len == 0 || c < least[len]) return NULL; /* or an overlong form */
  if (strict && !utf8_is_unicode(c)) return NULL;
  *code = c;
  return s + len;
}

static int utf8_raise_invalid(lua_State *L) {
  return luaL_error(L, "invalid UTF-8 code");
}

/* -- Functions ----------------------------------------------------------- */

/* The number of characters that begin between two positions, or fail and the
** position of the first invalid byte. */
static int utf8_len(lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  lua_Integer i = utf8_position(luaL_optinteger(L, 2, 1), len) - 1;
  const lua_Integer last = utf8_position(luaL_optinteger(L, 3, -1), len) - 1;
  const bool lax = lua_toboolean(L, 4);
  lua_Integer n = 0;
  luaL_argcheck(L, 0 <= i && i <= (lua_Integer)len, 2,
                "initial position out of bounds");
  luaL_argcheck(L, last < (lua_Integer)len, 3, "final position out of bounds");
  for (; i <= last; n++) {
    lib_step(L, (size_t)n);
    CodePoint code;
    const char *next = utf8_decode(s + i, &code, !lax);
    if (next == NULL) {
      luaL_pushfail(L);
      lua_pushinteger(L, i + 1);
      return 2;
    }
    i = next - s;
  }
  lua_pushinteger(L, n);
  return 1;
}

static int utf8_codepoint(lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  const lua_Integer from = utf8_position(luaL_optinteger(L, 2, 1), len);
  const lua_Integer to = utf8_position(luaL_optinteger(L, 3, from), len);
  const bool lax = lua_toboolean(L, 4);
  luaL_argcheck(L, from >= 1, 2, "out of bounds");
  luaL_argcheck(L, to <= (lua_Integer)len, 3, "out of bounds");
  if (from > to) return 0;
  if (to - from >= INT_MAX) return luaL_error(L, "string slice too long");
  luaL_checkstack(L, (int)(to - from) + 1, "string slice too long");
  const char *end = s + to;
  int n = 0;
  for (s += from - 1; s < end; n++) {
    lib_step(L, (size_t)n);
    CodePoint code;
    s = utf8_decode(s, &code, !lax);
    if (s == NULL) return utf8_raise_invalid(L);
    lua_pushinteger(L, (lua_Integer)code);
  }
  return n;
}

/* Writes a sequence of up to six bytes; returns its length. */
static int utf8_write_code(char *out, CodePoint code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  int len = 2;
  while (len < 6 && code >> (5 * len + 1) != 0) len++;
  for (int i = len - 1; i > 0; i--) {
    out[i] = (char)(0x80u | (code & 0x3Fu));
    code >>= 6;
  }
  out[0] = (char)((0xFF00u >> len & 0xFFu) | code);
  return len;
}

static int utf8_char(lua_State *L) {
  luaL_Buffer b;
  const int n = lua_gettop(L);
  luaL_buffinit(L, &b);
  for (int i = 1; i <= n; i++) {
    const lua_Unsigned code = (lua_Unsigned)luaL_checkinteger(L, i);
    luaL_argcheck(L, code <= UTF8_MAX, i, "value out of range");
    const int len = utf8_write_code(luaL_prepbuffsize(&b, 6), (CodePoint)code);
    luaL_addsize(&b, (size_t)len);
  }
  luaL_pushresult(&b);
  return 1;
}

/* Moves by n characters from the beginning of a character.  If the string ends
** first, the rest of n is not 0. */
static lua_Integer utf8_move(lua_State *L, const char *s, lua_Integer len,
                             lua_Integer pos, lua_Integer *n) {
  while (*n < 0 && pos > 0) {
    lib_step(L, (size_t) - *n);
    do {
      pos--;
    } while (pos > 0 && utf8_is_continuation(s + pos));
    ++*n;
  }
  while (*n > 0 && pos < len) {
    lib_step(L, (size_t)*n);
    do {
      pos++;
    } while (utf8_is_continuation(s + pos));
    --*n;
  }
  return pos;
}

static int utf8_offset(lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  lua_Integer n = luaL_checkinteger(L, 2);
  const lua_Integer start = n >= 0 ? 1 : (lua_Integer)len + 1;
  lua_Integer pos = utf8_position(luaL_optinteger(L, 3, start), len) - 1;
  luaL_argcheck(L, 0 <= pos && pos <= (lua_Integer)len, 3,
                "position out of bounds");
  if (n == 0) {
    while (pos > 0 && utf8_is_continuation(s + pos)) pos--;
  } else {
    if (utf8_is_continuation(s + pos))
      return luaL_error(L, "initial position is a continuation byte");
    if (n > 0) n--; /* the first is the one at pos itself */
    pos = utf8_move(L, s, (lua_Integer)len, pos, &n);
  }
  if (n == 0)
    lua_pushinteger(L, pos + 1);
  else
    luaL_pushfail(L);
  return 1;
}

/* -- Iteration ----------------------------------------------------------- */

/* The control variable is the position of the last character, counted from 1.
** As an index from 0 it is the byte after the first byte of that character. */
static int utf8_next(lua_State *L, bool strict) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  lua_Unsigned i = (lua_Unsigned)lua_tointeger(L, 2);
  if (i < len)
    while (utf8_is_continuation(s + i)) i++;
  if (i >= len) return 0;
  CodePoint code;
  const char *next = utf8_decode(s + i, &code, strict);
  if (next == NULL || utf8_is_continuation(next)) return utf8_raise_invalid(L);
  lua_pushinteger(L, (lua_Integer)i + 1);
  lua_pushinteger(L, (lua_Integer)code);
  return 2;
}

static int utf8_next_strict(lua_State *L) { return utf8_next(L, true); }

static int utf8_next_lax(lua_State *L) { return utf8_next(L, false); }

static int utf8_codes(lua_State *L) {
  static const lua_CFunction next[] = {utf8_next_strict, utf8_next_lax};
  if (utf8_is_continuation(luaL_checkstring(L, 1)))
    return luaL_argerror(L, 1, "invalid UTF-8 code");
  lua_pushcfunction(L, next[lua_toboolean(L, 2)]);
  return 1 + values_push(L, "vI", 1, (lua_Integer)0);
}

static const luaL_Reg utf8_functions[] = {
    {"char", utf8_char},   {"charpattern", NULL}, {"codepoint", utf8_codepoint},
    {"codes", utf8_codes}, {"len", utf8_len},     {"offset", utf8_offset},
    {NULL, NULL},
};

LUAMOD_API int luaopen_utf8(lua_State *L) {
  luaL_newlib(L, utf8_functions);
  lua_pushlstring(L, UTF8_PATTERN, sizeof(UTF8_PATTERN) - 1);
  lua_setfield(L, -2, "charpattern");
  return 1;
}
