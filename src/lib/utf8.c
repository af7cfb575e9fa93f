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

#include "declare.h"
#include "string_builder.h"
#include "lib.h"
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

/* The number of bytes of a long sequence, which begins with 0xF0 or more; 0 if
** none begins with this byte. */
static int utf8_length(unsigned int lead) {
  if (lead < 0xF8) return 4;
  if (lead < 0xFC) return 5;
  return lead < 0xFE ? 6 : 0;
}

static bool utf8_is_unicode(CodePoint code) {
  return code <= UTF8_UNICODE_MAX && !(0xD800 <= code && code <= 0xDFFF);
}

/* Sequences of four bytes or more. */
static const char *utf8_decode_long(const char *s, CodePoint *code,
                                    bool strict) {
  static const CodePoint least[] = {[4] = 0x10000, 0x200000, 0x4000000};
  const unsigned int lead = (unsigned char)*s;
  const int len = utf8_length(lead);
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

/* Decodes the sequence at s.  Returns its end, or NULL if it is invalid.  The
** zero at the end of the string stops a truncated sequence. */
static ALWAYS_INLINE const char *utf8_decode(const char *s, CodePoint *code,
                                             bool strict) {
  const unsigned int lead = (unsigned char)*s;
  if (lead < 0x80) {
    *code = lead;
    return s + 1;
  }
  if (lead >= 0xF0) return utf8_decode_long(s, code, strict);
  if (UNLIKELY(lead < 0xC2 || !utf8_is_continuation(s + 1))) return NULL;
  CodePoint c = (lead & 0x1Fu) << 6 | ((unsigned char)s[1] & 0x3Fu);
  if (lead < 0xE0) {
    *code = c;
    return s + 2;
  }
  if (UNLIKELY(!utf8_is_continuation(s + 2))) return NULL;
  c = c << 6 | ((unsigned char)s[2] & 0x3Fu);
  if (c < 0x800 || (strict && !utf8_is_unicode(c))) return NULL;
  *code = c;
  return s + 3;
}

/* -- Arguments and errors -------------------------------------------------- */

/* Errors, for a NativeFn to return. */
static int utf8_refuse(lua_State *L, int arg, const char *message) {
  return native_has_frame(L) ? luaL_argerror(L, arg, message) : NATIVE_RETRY;
}
static int utf8_refuse_code(lua_State *L) {
  return native_has_frame(L) ? luaL_error(L, "invalid UTF-8 code")
                             : NATIVE_RETRY;
}

typedef struct Utf8Text {
  const char *s;
  size_t len;
} Utf8Text;

/* Takes the first argument.  A budget wants a frame, because lib_step and
** utf8_pass_byte spend it. */
static ALWAYS_INLINE bool utf8_take(const lua_State *L, const Value *args,
                                    unsigned argc, Utf8Text *text) {
  if (argc == 0 || !value_is_string(args)) return false;
  text->s = string_bytes(value_string(args));
  text->len = string_length(value_string(args));
  return LIKELY(!L->global->budget.on) || native_has_frame(L);
}

/* Where to store results after a budget was spent: the stack may have moved. */
static ALWAYS_INLINE Value *utf8_results(const lua_State *L, Value *out) {
  return native_has_frame(L) ? L->top : out;
}

/* -- Functions ----------------------------------------------------------- */

/* The number of ASCII characters at s, below `end` and in groups of eight. */
static size_t utf8_ascii(const char *s, const char *end) {
  const char *start = s;
  for (; end - s >= 8; s += 8) {
    uint64_t word;
    memcpy(&word, s, sizeof word);
    if (word & UINT64_C(0x8080808080808080)) break;
  }
  return (size_t)(s - start);
}

/* The number of characters that begin between two positions, or fail and the
** position of the first invalid byte. */
NATIVE(utf8_len) {
  Utf8Text t;
  lua_Integer first = 1, last = -1, n = 0, ascii = 0;
  if (!utf8_take(L, args, argc, &t) || !take_integer(args, argc, 1, &first) ||
      !take_integer(args, argc, 2, &last))
    return NATIVE_RETRY;
  const bool strict = !is_true(args, argc, 3);
  lua_Integer i = utf8_position(first, t.len) - 1;
  last = utf8_position(last, t.len) - 1;
  if (i < 0 || i > (lua_Integer)t.len)
    return utf8_refuse(L, 2, "initial position out of bounds");
  if (last >= (lua_Integer)t.len)
    return utf8_refuse(L, 3, "final position out of bounds");
  while (i <= last) {
    CodePoint code;
    const char *next = utf8_decode(t.s + i, &code, strict);
    if (UNLIKELY(!next)) {
      out = utf8_results(L, out);
      value_set_nil(&out[0]);
      value_set_integer(&out[1], i + 1);
      return 2;
    }
    lib_step(L, (size_t)n);
    n++;
    i = next - t.s;
    ascii = code < 0x80 ? ascii + 1 : 0;
    if (ascii >= 8 && last - i >= 8 && !L->global->budget.on) {
      const size_t more = utf8_ascii(t.s + i, t.s + last);
      i += (lua_Integer)more;
      n += (lua_Integer)more;
      ascii = 0;
    }
  }
  return give_integer(utf8_results(L, out), n);
}

/* Makes room for the codes of a slice. */
static int utf8_slots(lua_State *L, lua_Integer count, const Value *out) {
  if (count <= (lua_Integer)native_free_slots(L, out)) return 0;
  if (!native_has_frame(L)) return NATIVE_RETRY;
  if (count >= INT_MAX) return luaL_error(L, "string slice too long");
  luaL_checkstack(L, (int)count + 1, "string slice too long");
  return 0;
}

static bool utf8_is_good(const char *s, const char *end, bool strict) {
  CodePoint code;
  while (s && s < end) s = utf8_decode(s, &code, strict);
  return s != NULL;
}

/* In a call with a frame, results are pushed one by one: lib_step may move the
** stack.  Without one, the first result replaces the function, so the other
** codes are checked before it is stored. */
NATIVE(utf8_codepoint) {
  Utf8Text t;
  lua_Integer from = 1;
  if (!utf8_take(L, args, argc, &t) || !take_integer(args, argc, 1, &from))
    return NATIVE_RETRY;
  from = utf8_position(from, t.len);
  lua_Integer to = from;
  if (!take_integer(args, argc, 2, &to)) return NATIVE_RETRY;
  to = utf8_position(to, t.len);
  const bool strict = !is_true(args, argc, 3);
  if (from < 1) return utf8_refuse(L, 2, "out of bounds");
  if (to > (lua_Integer)t.len) return utf8_refuse(L, 3, "out of bounds");
  if (from > to) return 0;
  if (utf8_slots(L, to - from + 1, out) != 0) return NATIVE_RETRY;
  const ptrdiff_t place = stack_save(L, utf8_results(L, out));
  const char *s = t.s + from - 1, *end = t.s + to;
  int n = 0;
  for (; s < end; n++) {
    lib_step(L, (size_t)n);
    CodePoint code;
    s = utf8_decode(s, &code, strict);
    if (UNLIKELY(!s)) return utf8_refuse_code(L);
    if (n == 0 && !native_has_frame(L) && !utf8_is_good(s, end, strict))
      return NATIVE_RETRY;
    value_set_integer(stack_restore(L, place) + n, (lua_Integer)code);
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

static size_t utf8_code_length(CodePoint code) {
  char bytes[6];
  return (size_t)utf8_write_code(bytes, code);
}

/* Checks one argument after the other: the first wrong one is reported. */
NATIVE(utf8_char) {
  StringBuilder t;
  size_t length = 0;
  for (unsigned i = 0; i < argc; i++) {
    if (UNLIKELY(!value_is_integer(&args[i]))) {
      if (!native_has_frame(L)) return NATIVE_RETRY;
      value_set_integer(&args[i], luaL_checkinteger(L, (int)i + 1));
      budget_spend(L, 0); /* the string that was read may be long */
    }
    const lua_Unsigned code = (lua_Unsigned)args[i].as.i;
    if (UNLIKELY(code > UTF8_MAX))
      return utf8_refuse(L, (int)i + 1, "value out of range");
    length += utf8_code_length((CodePoint)code);
  }
  char *to = builder_begin(L, &t, length, out);
  for (unsigned i = 0; i < argc; i++)
    to += utf8_write_code(to, (CodePoint)args[i].as.i);
  return builder_give(L, &t, out);
}

enum { UTF8_WORD = 8 }; /* bytes looked at together */

/* How many of UTF8_WORD bytes begin a character: those that are not 10xxxxxx. */
static ALWAYS_INLINE lua_Unsigned utf8_beginnings(const char *s) {
  const uint64_t high = UINT64_C(0x8080808080808080);
  uint64_t word;
  static_assert(sizeof word == UTF8_WORD, "the bytes of a word");
  memcpy(&word, s, sizeof word);
  const uint64_t others = (word & ~(word << 1) & high) >> 7;
  return UTF8_WORD - (others * (high >> 7) >> 56);
}

/* Call once for each byte that is passed over: a unit each, now and then. */
static inline void utf8_pass_byte(lua_State *L, size_t i) {
  enum { BYTES = 1024 };
  if (UNLIKELY(i % BYTES == BYTES - 1)) penumbra_spend(L, BYTES);
}

/* The beginning of the *n-th character after the one at pos.  If the string ends
** before, the rest of *n is not 0.  Words are passed in which it cannot be. */
static lua_Integer utf8_forward(lua_State *L, const char *s, lua_Integer len,
                                lua_Integer pos, lua_Unsigned *n) {
  lua_Unsigned left = *n;
  if (left == 0) return pos;
  for (pos++; left > UTF8_WORD && len - pos >= UTF8_WORD; pos += UTF8_WORD) {
    utf8_pass_byte(L, (size_t)pos | (UTF8_WORD - 1));
    left -= utf8_beginnings(s + pos);
  }
  for (; pos <= len; pos++) {
    utf8_pass_byte(L, (size_t)pos);
    if (!utf8_is_continuation(s + pos) && --left == 0) break;
  }
  *n = left;
  return pos;
}

/* The same in the other direction. */
static lua_Integer utf8_backward(lua_State *L, const char *s, lua_Integer pos,
                                 lua_Unsigned *n) {
  lua_Unsigned left = *n;
  while (left > UTF8_WORD && pos >= UTF8_WORD) {
    pos -= UTF8_WORD;
    utf8_pass_byte(L, (size_t)pos | (UTF8_WORD - 1));
    left -= utf8_beginnings(s + pos);
  }
  while (left > 0 && pos > 0) {
    do utf8_pass_byte(L, (size_t)--pos);
    while (pos > 0 && utf8_is_continuation(s + pos));
    left--;
  }
  *n = left;
  return pos;
}

/* Moves by *n characters, which may be negative. */
static lua_Integer utf8_move(lua_State *L, const char *s, lua_Integer len,
                             lua_Integer pos, lua_Integer *n) {
  lua_Unsigned left = *n >= 0 ? (lua_Unsigned)*n : 0 - (lua_Unsigned)*n;
  pos = *n >= 0 ? utf8_forward(L, s, len, pos, &left)
                : utf8_backward(L, s, pos, &left);
  *n = (lua_Integer)left;
  return pos;
}

NATIVE(utf8_offset) {
  Utf8Text t;
  if (!utf8_take(L, args, argc, &t) || argc < 2 || !value_is_integer(&args[1]))
    return NATIVE_RETRY;
  lua_Integer n = args[1].as.i;
  lua_Integer pos = n >= 0 ? 1 : (lua_Integer)t.len + 1;
  if (!take_integer(args, argc, 2, &pos)) return NATIVE_RETRY;
  pos = utf8_position(pos, t.len) - 1;
  if (pos < 0 || pos > (lua_Integer)t.len)
    return utf8_refuse(L, 3, "position out of bounds");
  if (n == 0) {
    while (pos > 0 && utf8_is_continuation(t.s + pos))
      utf8_pass_byte(L, (size_t)--pos);
  } else {
    if (utf8_is_continuation(t.s + pos)) {
      if (!native_has_frame(L)) return NATIVE_RETRY;
      return luaL_error(L, "initial position is a continuation byte");
    }
    if (n > 0) n--; /* the first is the one at pos itself */
    pos = utf8_move(L, t.s, (lua_Integer)t.len, pos, &n);
  }
  out = utf8_results(L, out);
  return n == 0 ? give_integer(out, pos + 1) : give_nil(out);
}

/* -- Iteration ----------------------------------------------------------- */

/* Passes the rest of a character.  A string that is not UTF-8 can have any number
** of such bytes: false if a budget has to be spent for them without a frame. */
static bool utf8_pass(lua_State *L, const char *s, lua_Unsigned *i) {
  const lua_Unsigned most = *i + UTF8_WORD;
  while (utf8_is_continuation(s + *i)) {
    if (UNLIKELY(*i == most && L->global->budget.on && !native_has_frame(L)))
      return false;
    if (*i >= most) utf8_pass_byte(L, (size_t)*i);
    ++*i;
  }
  return true;
}

/* The control variable is the position of the last character, counted from 1.
** As an index from 0 it is the byte after the first byte of that character. */
static ALWAYS_INLINE int utf8_next(lua_State *L, const Value *args,
                                   unsigned argc, Value *out, bool strict) {
  if (argc == 0 || !value_is_string(args)) return NATIVE_RETRY;
  const char *s = string_bytes(value_string(args));
  const size_t len = string_length(value_string(args));
  lua_Unsigned i;
  if (LIKELY(argc > 1 && value_is_integer(&args[1])))
    i = (lua_Unsigned)args[1].as.i;
  else if (native_has_frame(L))
    i = (lua_Unsigned)lua_tointeger(L, 2);
  else
    return NATIVE_RETRY;
  if (i < len && utf8_is_continuation(s + i)) {
    if (!utf8_pass(L, s, &i)) return NATIVE_RETRY;
    out = utf8_results(L, out);
  }
  if (i >= len) return 0;
  CodePoint code;
  const char *next = utf8_decode(s + i, &code, strict);
  if (UNLIKELY(!next || utf8_is_continuation(next))) return utf8_refuse_code(L);
  value_set_integer(&out[0], (lua_Integer)i + 1);
  value_set_integer(&out[1], (lua_Integer)code);
  return 2;
}

NATIVE(next_strict) { return utf8_next(L, args, argc, out, true); }
NATIVE(next_lax) { return utf8_next(L, args, argc, out, false); }

/* The iterators, which are in no table. */
#define NEXT_NATIVES(RUN, BOTH, SPLIT, FRAMED)    \
  RUN(next, strict, STRING(s), MAYBE(ANY, place)) \
  RUN(next, lax, STRING(s), MAYBE(ANY, place))

NATIVE_TABLE(next, "", NEXT_NATIVES)

NATIVE(utf8_codes) {
  if (argc == 0 || !value_is_string(args) || native_free_slots(L, out) < 3)
    return NATIVE_RETRY;
  if (utf8_is_continuation(string_bytes(value_string(args))))
    return utf8_refuse(L, 1, "invalid UTF-8 code");
  const bool lax = is_true(args, argc, 1);
  value_copy(&out[1], &args[0]);
  value_set_integer(&out[2], 0);
  value_set_c_function(&out[0], lax ? next_lax_c : next_strict_c);
  return 3;
}

/* -- Opening ------------------------------------------------------------- */

#define UTF8_NATIVES(RUN, BOTH, SPLIT, FRAMED)                          \
  RUN(utf8, char, REST)                                                 \
  RUN(utf8, codepoint, STRING(s), MAYBE(INTEGER, i), MAYBE(INTEGER, j), \
      MAYBE(ANY, lax))                                                  \
  RUN(utf8, codes, STRING(s), MAYBE(ANY, lax))                          \
  RUN(utf8, len, STRING(s), MAYBE(INTEGER, i), MAYBE(INTEGER, j),       \
      MAYBE(ANY, lax))                                                  \
  RUN(utf8, offset, STRING(s), INTEGER(n), MAYBE(INTEGER, i))

NATIVE_LIBRARY(utf8, "utf8.", UTF8_NATIVES)

LUAMOD_API int luaopen_utf8(lua_State *L) {
  lua_createtable(L, 0, utf8_count + 1);
  native_open(L, utf8_natives);
  native_set(L, next_strict_c, next_strict);
  native_set(L, next_lax_c, next_lax);
  lua_pushlstring(L, UTF8_PATTERN, sizeof(UTF8_PATTERN) - 1);
  lua_setfield(L, -2, "charpattern");
  return 1;
}
