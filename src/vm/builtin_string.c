/* SPDX-License-Identifier: MIT */
/*
** builtin_string.c -- functions on strings that the loop does itself
**
** Results are written where they will stay, without a buffer in between.
*/
#include <ctype.h>
#include <limits.h>

#include "object/budget.h"
#include "object/number.h"
#include "object/short_text.h"
#include "vm/builtin_impl.h"

/* Work that takes long is the library's if there is a budget. */
static ALWAYS_INLINE bool is_costly(const lua_State *L, size_t bytes) {
  return UNLIKELY(bytes > BUDGET_PIECE) && L->global->budget.on;
}

/* -- Bytes and parts ------------------------------------------------------- */

int builtin_byte(lua_State *L, Value *func, unsigned argc) {
  lua_Integer first = 1, last;
  (void)L;
  if (argc == 0 || !value_is_string(&func[1])) return -1;
  if (!take_integer(func, argc, 2, &first)) return -1;
  last = first;
  if (!take_integer(func, argc, 3, &last)) return -1;
  const String *s = value_string(&func[1]);
  lua_Integer length = (lua_Integer)string_length(s);
  first = first_position(first, length);
  last = last_position(last, length);
  if (first > last) return 0;
  if (last - first > (lua_Integer)argc) return -1;
  int count = (int)(last - first + 1);
  const char *bytes = string_bytes(s) + first - 1;
  for (int i = 0; i < count; i++)
    value_set_integer(&func[i], (unsigned char)bytes[i]);
  return count;
}

int builtin_char(lua_State *L, Value *func, unsigned argc) {
  char text[STRING_MAX_SHORT];
  if (argc > STRING_MAX_SHORT) return -1;
  for (unsigned i = 0; i < argc; i++) {
    const Value *v = &func[i + 1];
    if (!value_is_integer(v) || (lua_Unsigned)v->as.i > UINT8_MAX) return -1;
    text[i] = (char)v->as.i;
  }
  return give_new_string(L, func, string_new_short(L, text, argc));
}

int builtin_len(lua_State *L, Value *func, unsigned argc) {
  (void)L;
  if (argc == 0 || !value_is_string(&func[1])) return -1;
  size_t length = string_length(value_string(&func[1]));
  return give_integer(func, (lua_Integer)length);
}

int builtin_sub(lua_State *L, Value *func, unsigned argc) {
  lua_Integer first, last = -1;
  if (argc < 2 || !value_is_string(&func[1])) return -1;
  if (!take_integer(func, argc, 2, &first)) return -1;
  if (!take_integer(func, argc, 3, &last)) return -1;
  const String *s = value_string(&func[1]);
  lua_Integer length = (lua_Integer)string_length(s);
  first = first_position(first, length);
  last = last_position(last, length);
  size_t count = first <= last ? (size_t)(last - first + 1) : 0;
  if (count == (size_t)length) return give_value(func, &func[1]);
  if (is_costly(L, count)) return -1;
  const char *bytes = string_bytes(s) + (count ? first - 1 : 0);
  return give_new_string(L, func, string_new_part(L, bytes, count));
}

/* -- Finding text ---------------------------------------------------------- */

/* True if no character of the pattern means anything but itself. */
static bool is_plain_pattern(const char *p, size_t length) {
  static const bool is_special[UCHAR_MAX + 1] = {
      ['^'] = true, ['$'] = true, ['*'] = true, ['+'] = true, ['?'] = true,
      ['.'] = true, ['('] = true, ['['] = true, ['%'] = true, ['-'] = true,
  };
  for (size_t i = 0; i < length; i++)
    if (is_special[(unsigned char)p[i]]) return false;
  return true;
}

/* The first place where a text that is not empty occurs, or NULL. */
static const char *find_bytes(const char *s, size_t length, const char *text,
                              size_t text_length) {
  while (length >= text_length) {
    const char *hit = memchr(s, *text, length - text_length + 1);
    if (!hit || text_length == 1) return hit;
    if (memcmp(hit + 1, text + 1, text_length - 1) == 0) return hit;
    length -= (size_t)(hit + 1 - s);
    s = hit + 1;
  }
  return NULL;
}

static int give_nil(Value *func) {
  value_set_nil(func);
  return 1;
}

/* Patterns are the library's. */
int builtin_find(lua_State *L, Value *func, unsigned argc) {
  lua_Integer from = 1;
  if (argc < 2 || !value_is_string(&func[1]) || !value_is_string(&func[2]) ||
      !take_integer(func, argc, 3, &from))
    return -1;
  const String *s = value_string(&func[1]), *text = value_string(&func[2]);
  size_t length = string_length(s), text_length = string_length(text);
  const char *bytes = string_bytes(s);
  if (is_costly(L, length) || is_costly(L, text_length)) return -1;
  bool plain = argc > 3 && !value_is_falsy(&func[4]);
  if (text_length == 0 ||
      !(plain || is_plain_pattern(string_bytes(text), text_length)))
    return -1;
  from = first_position(from, (lua_Integer)length);
  if (from > (lua_Integer)length) return give_nil(func);
  const char *hit = find_bytes(bytes + from - 1, length - (size_t)from + 1,
                               string_bytes(text), text_length);
  if (!hit) return give_nil(func);
  value_set_integer(&func[0], hit - bytes + 1);
  value_set_integer(&func[1], hit - bytes + (lua_Integer)text_length);
  return 2;
}

/* -- New strings of a known length ----------------------------------------- */

typedef struct Result {
  String *s;                    /* or NULL: it is short, and in `text` */
  size_t length;
  char text[STRING_MAX_SHORT];
} Result;

/* Where to write the bytes. */
static char *result_begin(lua_State *L, Result *r, size_t length) {
  r->length = length;
  r->s = length > STRING_MAX_SHORT ? string_new_long(L, length) : NULL;
  return r->s ? string_buffer(r->s) : r->text;
}

static int result_give(lua_State *L, Value *func, const Result *r) {
  String *s = r->s ? r->s : string_new_short(L, r->text, r->length);
  return give_new_string(L, func, s);
}

/* A string made of another one byte by byte, as `write` does it. */
static ALWAYS_INLINE int give_mapped(lua_State *L, Value *func, unsigned argc,
                                     void (*write)(char *, const char *,
                                                   size_t)) {
  Result r;
  if (argc == 0 || !value_is_string(&func[1])) return -1;
  const String *s = value_string(&func[1]);
  size_t length = string_length(s);
  if (is_costly(L, length)) return -1;
  write(result_begin(L, &r, length), string_bytes(s), length);
  return result_give(L, func, &r);
}

/* What the C library makes of each character, in the current locale.  glibc's
** tables are looked up directly: its functions ask for their address at every
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

/* The byte that is `shift` bits up in the word. */
static ALWAYS_INLINE uint64_t map_byte(uint64_t word, unsigned shift,
                                       CaseMap map) {
  return (uint64_t)(uint8_t)case_of(map, word >> shift & 0xff) << shift;
}

/* Four bytes of eight. */
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

static void write_reversed(char *to, const char *s, size_t length) {
  size_t left = length;
  for (; left >= TEXT_WORD; left -= TEXT_WORD, to += TEXT_WORD)
    text_store(to, text_reverse(text_load(s + left - TEXT_WORD)));
  while (left > 0) *to++ = s[--left];
}

int builtin_lower(lua_State *L, Value *func, unsigned argc) {
  return give_mapped(L, func, argc, write_lower);
}

int builtin_upper(lua_State *L, Value *func, unsigned argc) {
  return give_mapped(L, func, argc, write_upper);
}

int builtin_reverse(lua_State *L, Value *func, unsigned argc) {
  return give_mapped(L, func, argc, write_reversed);
}

/* Each copy doubles what is there. */
static void repeat(char *to, const char *s, size_t length, size_t total) {
  memcpy(to, s, length);
  for (size_t done = length; done < total;) {
    size_t n = done <= total - done ? done : total - done;
    memcpy(to + done, to, n);
    done += n;
  }
}

/* Without a separator, and not so long that it might be a mistake. */
int builtin_rep(lua_State *L, Value *func, unsigned argc) {
  Result r;
  if (argc != 2 || !value_is_string(&func[1]) || !value_is_integer(&func[2]))
    return -1;
  const String *s = value_string(&func[1]);
  size_t length = string_length(s);
  lua_Integer n = func[2].as.i;
  if (n <= 0 || length == 0 || length > (size_t)INT_MAX / (lua_Unsigned)n)
    return -1;
  size_t total = length * (size_t)n;
  if (is_costly(L, total)) return -1;
  char *to = result_begin(L, &r, total);
  if (length == 1)
    memset(to, *string_bytes(s), total);
  else
    repeat(to, string_bytes(s), length, total);
  return result_give(L, func, &r);
}

/* -- table.concat ---------------------------------------------------------- */

/* What is joined: slots of an array, strings and numbers only. */
typedef struct Pieces {
  const Payload *value;
  const uint8_t *tag;
  size_t count;
  const char *separator;
  size_t separator_length;
} Pieces;

/* The text of piece i; a number's is in `text`. */
static ALWAYS_INLINE const char *piece_bytes(const Pieces *p, size_t i,
                                             char text[NUMBER_TEXT_SIZE],
                                             size_t *length) {
  if (LIKELY(tag_is_string(p->tag[i]))) {
    const String *s = (const String *)(const void *)p->value[i].cell;
    *length = string_length(s);
    return string_bytes(s);
  }
  Value number = {.as = p->value[i], .tag = p->tag[i]};
  *length = number_to_text(&number, text);
  return text;
}

/* The length of all, or 0 if one is no string or number, or it is too long. */
static size_t pieces_measure(const Pieces *p) {
  char text[NUMBER_TEXT_SIZE];
  size_t total = 0, length;
  for (size_t i = 0; i < p->count; i++) {
    if (!tag_is_string(p->tag[i]) && p->tag[i] != TAG_INTEGER &&
        p->tag[i] != TAG_FLOAT)
      return 0;
    piece_bytes(p, i, text, &length);
    total += length + p->separator_length;
    if (UNLIKELY(total > INT_MAX)) return 0;
  }
  return total - p->separator_length;
}

static void pieces_write(const Pieces *p, char *to) {
  char text[NUMBER_TEXT_SIZE];
  size_t length;
  for (size_t i = 0; i < p->count; i++) {
    if (i > 0) {
      bytes_copy_any(to, p->separator, p->separator_length);
      to += p->separator_length;
    }
    const char *bytes = piece_bytes(p, i, text, &length);
    bytes_copy_any(to, bytes, length);
    to += length;
  }
}

/* False if the arguments are out of the ordinary. */
static bool pieces_take(Pieces *p, lua_State *L, const Value *func,
                        unsigned argc) {
  lua_Integer first = 1, last;
  if (argc == 0 || !is_plain_table(&func[1])) return false;
  if (argc > 1 && !value_is_string(&func[2])) return false;
  if (!take_integer(func, argc, 3, &first)) return false;
  Table *t = value_table(&func[1]);
  if (argc < 4)
    last = (lua_Integer)table_length(L, t);
  else if (!take_integer(func, argc, 4, &last))
    return false;
  if (first < 1 || last < first || last > (lua_Integer)t->array_size)
    return false;
  const String *separator = argc > 1 ? value_string(&func[2]) : NULL;
  p->value = t->array + first - 1;
  p->tag = table_tags(t) + first - 1;
  p->count = (size_t)(last - first + 1);
  p->separator = separator ? string_bytes(separator) : "";
  p->separator_length = separator ? string_length(separator) : 0;
  return true;
}

/* A table without metamethods whose array has it all. */
int builtin_concat(lua_State *L, Value *func, unsigned argc) {
  Pieces pieces;
  Result r;
  if (!pieces_take(&pieces, L, func, argc)) return -1;
  if (is_costly(L, pieces.count * 64)) return -1;
  size_t length = pieces_measure(&pieces);
  if (length == 0 || is_costly(L, length)) return -1;
  pieces_write(&pieces, result_begin(L, &r, length));
  return result_give(L, func, &r);
}
