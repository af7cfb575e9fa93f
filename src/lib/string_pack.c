/* SPDX-License-Identifier: MIT */
/*
** string_pack.c -- pack, packsize, unpack: values as bytes
**
** A format is a sequence of options.  pack_next() reads one and returns its
** kind, the size of its value, and the padding that aligns it at the current
** position.  The three functions differ only in what they do with that.
*/

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "string_builder.h"
#include "lib.h"
#include "string_impl.h"

enum {
  PACK_MAX_INT = 16,                   /* bytes of the largest integer */
  PACK_INT = (int)sizeof(lua_Integer), /* bytes of a lua_Integer */
  PACK_BITS = CHAR_BIT,
  PACK_BYTE = 0xff,
  PACK_PADDING = 0x00
};

typedef enum PackKind {
  PACK_SIGNED,
  PACK_UNSIGNED,
  PACK_FLOAT,  /* C float */
  PACK_NUMBER, /* lua_Number */
  PACK_DOUBLE,
  PACK_CHARS,  /* c: a string of fixed size */
  PACK_STRING, /* s: a length, then the string */
  PACK_ZERO,   /* z: a string, then a zero */
  PACK_PAD,    /* x: one byte */
  PACK_ALIGN,  /* X: up to an alignment */
  PACK_NOTHING /* spaces and settings */
} PackKind;

typedef struct Pack {
  lua_State *L;
  const char *format; /* the rest of the format */
  bool little;
  int max_align;
} Pack;

typedef struct PackItem {
  PackKind kind;
  int size;    /* of the value, or of a string's length */
  int padding; /* bytes before it */
} PackItem;

/* The alignment of this machine. */
struct PackAlign {
  char c;
  union {
    LUAI_MAXALIGN;
  } u;
};

static bool pack_native_little(void) {
  const union {
    int number;
    char first;
  } probe = {1};
  return probe.first == 1;
}

static void pack_init(Pack *pk, lua_State *L, const char *format) {
  pk->L = L;
  pk->format = format;
  pk->little = pack_native_little();
  pk->max_align = 1;
}

/* -- Reading the format -------------------------------------------------- */

static bool pack_is_digit(char c) { return '0' <= c && c <= '9'; }

/* A number in the format, or `def` if there is none.  Reading stops before it
** can overflow; the remaining digits are then an invalid option. */
static int pack_read_number(Pack *pk, int def) {
  if (!pack_is_digit(*pk->format)) return def;
  int n = 0;
  size_t digits = 0; /* zeros in front may be many */
  do {
    lib_step_byte(pk->L, digits++);
    n = n * 10 + (*pk->format++ - '0');
  } while (pack_is_digit(*pk->format) && n <= (INT_MAX - 9) / 10);
  return n;
}

/* The size of an integer. */
static int pack_read_size(Pack *pk, int def) {
  const int size = pack_read_number(pk, def);
  if (luai_unlikely(size < 1 || size > PACK_MAX_INT))
    luaL_error(pk->L, "integral size (%d) out of limits [1,%d]", size,
               PACK_MAX_INT);
  return size;
}

static PackKind pack_chars(Pack *pk, int *size) {
  *size = pack_read_number(pk, -1);
  if (luai_unlikely(*size == -1))
    luaL_error(pk->L, "missing size for format option 'c'");
  return PACK_CHARS;
}

static PackKind pack_set_little(Pack *pk, bool little) {
  pk->little = little;
  return PACK_NOTHING;
}

static PackKind pack_set_align(Pack *pk) {
  pk->max_align = pack_read_size(pk, (int)offsetof(struct PackAlign, u));
  return PACK_NOTHING;
}

/* Options of values.  Some have a size after them, which has a default. */
typedef struct PackOption {
  uint8_t kind;
  uint8_t size; /* 0: it is another option */
  bool takes_size;
} PackOption;

static const PackOption pack_values[UCHAR_MAX + 1] = {
    ['b'] = {PACK_SIGNED, sizeof(char), false},
    ['B'] = {PACK_UNSIGNED, sizeof(char), false},
    ['h'] = {PACK_SIGNED, sizeof(short), false},
    ['H'] = {PACK_UNSIGNED, sizeof(short), false},
    ['l'] = {PACK_SIGNED, sizeof(long), false},
    ['L'] = {PACK_UNSIGNED, sizeof(long), false},
    ['j'] = {PACK_SIGNED, sizeof(lua_Integer), false},
    ['J'] = {PACK_UNSIGNED, sizeof(lua_Integer), false},
    ['T'] = {PACK_UNSIGNED, sizeof(size_t), false},
    ['f'] = {PACK_FLOAT, sizeof(float), false},
    ['n'] = {PACK_NUMBER, sizeof(lua_Number), false},
    ['d'] = {PACK_DOUBLE, sizeof(double), false},
    ['i'] = {PACK_SIGNED, sizeof(int), true},
    ['I'] = {PACK_UNSIGNED, sizeof(int), true},
    ['s'] = {PACK_STRING, sizeof(size_t), true},
};

static PackKind pack_read_other(Pack *pk, int *size) {
  const char c = *pk->format++;
  *size = 0;
  switch (c) {
    case 'c': return pack_chars(pk, size);
    case 'z': return PACK_ZERO;
    case 'x': *size = 1; return PACK_PAD;
    case 'X': return PACK_ALIGN;
    case ' ': return PACK_NOTHING;
    case '<': return pack_set_little(pk, true);
    case '>': return pack_set_little(pk, false);
    case '=': return pack_set_little(pk, pack_native_little());
    case '!': return pack_set_align(pk);
    default:
      luaL_error(pk->L, "invalid format option '%c'", c);
      return PACK_NOTHING;
  }
}

static ALWAYS_INLINE PackKind pack_read_option(Pack *pk, int *size) {
  const PackOption *option = &pack_values[(unsigned char)*pk->format];
  if (option->size == 0) return pack_read_other(pk, size);
  pk->format++;
  *size = option->takes_size ? pack_read_size(pk, option->size) : option->size;
  return (PackKind)option->kind;
}

/* The alignment of an option: X takes that of the option after it. */
static int pack_alignment(Pack *pk, PackKind kind, int size) {
  if (kind != PACK_ALIGN) return size;
  int next_size = 0;
  if (*pk->format == '\0' || pack_read_option(pk, &next_size) == PACK_CHARS ||
      next_size == 0)
    luaL_argerror(pk->L, 1, "invalid next option for option 'X'");
  return next_size;
}

/* Reads the next option, to be used at position `total`. */
static ALWAYS_INLINE PackItem pack_next(Pack *pk, size_t total) {
  PackItem item;
  item.kind = pack_read_option(pk, &item.size);
  item.padding = 0;
  if (LIKELY(pk->max_align == 1 && item.kind != PACK_ALIGN)) return item;
  int align = pack_alignment(pk, item.kind, item.size);
  if (align <= 1 || item.kind == PACK_CHARS) return item;
  if (align > pk->max_align) align = pk->max_align;
  if (luai_unlikely((align & (align - 1)) != 0))
    luaL_argerror(pk->L, 1, "format asks for alignment not power of 2");
  item.padding = (align - (int)(total & (size_t)(align - 1))) & (align - 1);
  return item;
}

/* -- Packing ------------------------------------------------------------- */

static void pack_add_int(luaL_Buffer *b, lua_Unsigned n, bool little, int size,
                         bool negative) {
  unsigned char *p = (unsigned char *)luaL_prepbuffsize(b, (size_t)size);
  for (int i = 0; i < size; i++) {
    const int at = little ? i : size - 1 - i;
    if (i < PACK_INT) {
      p[at] = (unsigned char)(n & PACK_BYTE);
      n >>= PACK_BITS;
    } else {
      p[at] = negative ? PACK_BYTE : 0; /* extends the sign */
    }
  }
  luaL_addsize(b, (size_t)size);
}

/* Copies bytes in the requested order. */
static void pack_copy(char *to, const char *from, int size, bool little) {
  if (little == pack_native_little()) {
    memcpy(to, from, (size_t)size);
    return;
  }
  for (int i = 0; i < size; i++) to[i] = from[size - 1 - i];
}

static void pack_add_bytes(luaL_Buffer *b, const void *from, int size,
                           bool little) {
  pack_copy(luaL_prepbuffsize(b, (size_t)size), from, size, little);
  luaL_addsize(b, (size_t)size);
}

static void pack_add_signed(Pack *pk, luaL_Buffer *b, int size, int arg) {
  const lua_Integer n = luaL_checkinteger(pk->L, arg);
  if (size < PACK_INT) {
    const lua_Integer limit = (lua_Integer)1 << (size * PACK_BITS - 1);
    luaL_argcheck(pk->L, -limit <= n && n < limit, arg, "integer overflow");
  }
  pack_add_int(b, (lua_Unsigned)n, pk->little, size, n < 0);
}

static void pack_add_unsigned(Pack *pk, luaL_Buffer *b, int size, int arg) {
  const lua_Unsigned n = (lua_Unsigned)luaL_checkinteger(pk->L, arg);
  if (size < PACK_INT)
    luaL_argcheck(pk->L, n < (lua_Unsigned)1 << (size * PACK_BITS), arg,
                  "unsigned overflow");
  pack_add_int(b, n, pk->little, size, false);
}

static void pack_add_float(Pack *pk, luaL_Buffer *b, PackKind kind, int arg) {
  const lua_Number x = luaL_checknumber(pk->L, arg);
  if (kind == PACK_FLOAT) {
    const float f = (float)x;
    pack_add_bytes(b, &f, sizeof(f), pk->little);
  } else {
    const double d = (double)x;
    pack_add_bytes(b, &d, sizeof(d), pk->little);
  }
}

/* Many bytes in pieces, because a budget may end. */
static void pack_add_padding(luaL_Buffer *b, size_t n) {
  char *to = luaL_prepbuffsize(b, n);
  size_t left = n;
  for (; luai_unlikely(left > BUDGET_PIECE); left -= BUDGET_PIECE) {
    memset(to, PACK_PADDING, BUDGET_PIECE);
    budget_spend_bytes(b->L, BUDGET_PIECE);
    to += BUDGET_PIECE;
  }
  memset(to, PACK_PADDING, left);
  luaL_addsize(b, n);
}

static size_t pack_add_chars(Pack *pk, luaL_Buffer *b, int size, int arg) {
  size_t len;
  const char *s = luaL_checklstring(pk->L, arg, &len);
  luaL_argcheck(pk->L, len <= (size_t)size, arg,
                "string longer than given size");
  luaL_addlstring(b, s, len);
  pack_add_padding(b, (size_t)size - len);
  return 0;
}

/* These two functions return how much they added beyond the item's own size. */
static size_t pack_add_string(Pack *pk, luaL_Buffer *b, int size, int arg) {
  size_t len;
  const char *s = luaL_checklstring(pk->L, arg, &len);
  luaL_argcheck(pk->L,
                size >= (int)sizeof(size_t) || len < (size_t)1
                                                         << (size * PACK_BITS),
                arg, "string length does not fit in given size");
  pack_add_int(b, (lua_Unsigned)len, pk->little, size, false);
  luaL_addlstring(b, s, len);
  return len;
}

static size_t pack_add_zero(Pack *pk, luaL_Buffer *b, int arg) {
  size_t len;
  const char *s = luaL_checklstring(pk->L, arg, &len);
  luaL_argcheck(pk->L, budget_find(pk->L, s, '\0', len) == NULL, arg,
                "string contains zeros");
  luaL_addlstring(b, s, len + 1);
  return len + 1;
}

static size_t pack_add_value(Pack *pk, luaL_Buffer *b, PackItem item, int arg) {
  switch (item.kind) {
    case PACK_SIGNED: pack_add_signed(pk, b, item.size, arg); return 0;
    case PACK_UNSIGNED: pack_add_unsigned(pk, b, item.size, arg); return 0;
    case PACK_CHARS: return pack_add_chars(pk, b, item.size, arg);
    case PACK_STRING: return pack_add_string(pk, b, item.size, arg);
    case PACK_ZERO: return pack_add_zero(pk, b, arg);
    default: pack_add_float(pk, b, item.kind, arg); return 0;
  }
}

int string_pack_framed(lua_State *L) {
  luaL_Buffer b;
  Pack pk;
  int arg = 1;
  size_t total = 0;
  pack_init(&pk, L, lua_tostring(L, 1));
  lua_pushnil(L); /* separates the arguments from the buffer */
  luaL_buffinit(L, &b);
  while (*pk.format != '\0') {
    budget_spend(L, 16);
    const PackItem item = pack_next(&pk, total);
    total += (size_t)item.padding + (size_t)item.size;
    pack_add_padding(&b, (size_t)item.padding);
    if (item.kind == PACK_PAD)
      pack_add_padding(&b, 1);
    else if (item.kind < PACK_PAD)
      total += pack_add_value(&pk, &b, item, ++arg);
  }
  luaL_pushresult(&b);
  return 1;
}

int string_packsize_framed(lua_State *L) {
  Pack pk;
  size_t total = 0;
  pack_init(&pk, L, lua_tostring(L, 1));
  while (*pk.format != '\0') {
    budget_spend(L, 16);
    const PackItem item = pack_next(&pk, total);
    luaL_argcheck(L, item.kind != PACK_STRING && item.kind != PACK_ZERO, 1,
                  "variable-length format");
    const size_t size = (size_t)item.size + (size_t)item.padding;
    luaL_argcheck(L, total <= (size_t)INT_MAX - size, 1,
                  "format result too large");
    total += size;
  }
  lua_pushinteger(L, (lua_Integer)total);
  return 1;
}

/* -- Unpacking ----------------------------------------------------------- */

/* Bytes beyond the size of a Lua integer must only repeat its sign. */
static void unpack_check_rest(Pack *pk, const char *s, int size, lua_Integer n,
                              bool is_signed) {
  const int expected = is_signed && n < 0 ? PACK_BYTE : 0;
  for (int i = PACK_INT; i < size; i++) {
    const int at = pk->little ? i : size - 1 - i;
    if (luai_unlikely((unsigned char)s[at] != expected))
      luaL_error(pk->L, "%d-byte integer does not fit into Lua Integer", size);
  }
}

static lua_Integer unpack_int(Pack *pk, const char *s, int size,
                              bool is_signed) {
  lua_Unsigned n = 0;
  const int limit = size <= PACK_INT ? size : PACK_INT;
  for (int i = limit - 1; i >= 0; i--) {
    const int at = pk->little ? i : size - 1 - i;
    n = (n << PACK_BITS) | (unsigned char)s[at];
  }
  if (size < PACK_INT && is_signed) {
    const lua_Unsigned sign = (lua_Unsigned)1 << (size * PACK_BITS - 1);
    n = (n ^ sign) - sign;
  } else if (size > PACK_INT) {
    unpack_check_rest(pk, s, size, (lua_Integer)n, is_signed);
  }
  return (lua_Integer)n;
}

static lua_Number unpack_float(Pack *pk, const char *s, PackItem item) {
  if (item.kind == PACK_FLOAT) {
    float f;
    pack_copy((char *)&f, s, item.size, pk->little);
    return (lua_Number)f;
  }
  double d;
  pack_copy((char *)&d, s, item.size, pk->little);
  return (lua_Number)d;
}

/* Pushes the value at s, `left` bytes before the end.  Returns how many bytes
** it takes beyond the item's own size. */
static size_t unpack_value(Pack *pk, const char *s, size_t left,
                           PackItem item) {
  lua_State *L = pk->L;
  size_t len;
  switch (item.kind) {
    case PACK_SIGNED:
    case PACK_UNSIGNED:
      lua_pushinteger(L,
                      unpack_int(pk, s, item.size, item.kind == PACK_SIGNED));
      return 0;
    case PACK_CHARS: lua_pushlstring(L, s, (size_t)item.size); return 0;
    case PACK_STRING:
      len = (size_t)unpack_int(pk, s, item.size, false);
      luaL_argcheck(L, len <= left - (size_t)item.size, 2,
                    "data string too short");
      lua_pushlstring(L, s + item.size, len);
      return len;
    case PACK_ZERO: {
      const char *zero = budget_find(L, s, '\0', left);
      luaL_argcheck(L, zero != NULL, 2, "unfinished string for format 'z'");
      len = (size_t)(zero - s);
      lua_pushlstring(L, s, len);
      return len + 1;
    }
    default: lua_pushnumber(L, unpack_float(pk, s, item)); return 0;
  }
}

int string_unpack_framed(lua_State *L) {
  Pack pk;
  size_t len;
  int n = 0;
  const char *format = lua_tostring(L, 1);
  const char *data = lua_tolstring(L, 2, &len);
  size_t pos = bytes_before(L, len);
  luaL_argcheck(L, pos <= len, 3, "initial position out of string");
  pack_init(&pk, L, format);
  while (*pk.format != '\0') {
    budget_spend(L, 16);
    const PackItem item = pack_next(&pk, pos);
    const size_t size = (size_t)item.padding + (size_t)item.size;
    luaL_argcheck(L, size <= len - pos, 2, "data string too short");
    pos += (size_t)item.padding;
    if (item.kind < PACK_PAD) {
      luaL_checkstack(L, 2, "too many results");
      pos += unpack_value(&pk, data + pos, len - pos, item);
      n++;
    }
    pos += (size_t)item.size;
  }
  lua_pushinteger(L, (lua_Integer)pos + 1);
  return n + 1;
}
