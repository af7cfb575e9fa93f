/* SPDX-License-Identifier: MIT */
/*
** string_format.c -- string.format
**
** Every conversion first becomes a Spec.  Integers, strings and characters are
** then written here, and so are pointers; floats by decimal_write.  Unusual
** floats are left to snprintf, which uses the stored text of the conversion.
*/

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "string_impl.h"
#include "values.h"
#include "object/budget.h"
#include "object/decimal.h"
#include "object/number.h"

enum {
  SPEC_TEXT = 32,  /* size of the text of a conversion */
  SPEC_LIMIT = 22, /* the longest one accepted, with '%' */
  ITEM_SIZE = 120, /* enough for all but %f, width 99 */
  ITEM_SIZE_F = 110 + DBL_MAX_10_EXP,
  DIRECT_LENGTH = 100, /* longer strings are never padded */
  CONVERSION_UNITS = 16,
  SCANNED_PER_UNIT = 32
};

enum {
  FLAG_LEFT = 1,
  FLAG_PLUS = 2,
  FLAG_SPACE = 4,
  FLAG_ALT = 8,
  FLAG_ZERO = 16
};

typedef struct Spec {
  char text[SPEC_TEXT]; /* "%-5.2" and so on, then the letter */
  size_t len;           /* without the letter */
  char letter;
  int flags;
  int width;
  int precision; /* -1: none given */
} Spec;

/* -- Reading a conversion ------------------------------------------------ */

static bool spec_is_part(char c) {
  if (c >= '0' && c <= '9') return true;
  return c == '-' || c == '+' || c == ' ' || c == '#' || c == '.';
}

/* Copies flags, width and precision.  They are checked later, when the letter
** is known.  Returns where the letter is. */
static const char *spec_read(lua_State *L, Spec *spec, const char *p) {
  size_t len = 0;
  while (len < SPEC_LIMIT && spec_is_part(p[len])) len++;
  if (luai_unlikely(len + 1 >= SPEC_LIMIT))
    luaL_error(L, "invalid format (too long)");
  spec->text[0] = '%';
  memcpy(spec->text + 1, p, len);
  spec->len = len + 1;
  spec->letter = p[len];
  spec->text[spec->len] = p[len];
  spec->text[spec->len + 1] = '\0';
  return p + len;
}

static int flag_bit(char c) {
  switch (c) {
    case '-': return FLAG_LEFT;
    case '+': return FLAG_PLUS;
    case ' ': return FLAG_SPACE;
    case '#': return FLAG_ALT;
    default: return FLAG_ZERO;
  }
}

/* Reads at most two digits. */
static const char *spec_digits(const char *p, int *value) {
  for (int i = 0; i < 2 && isdigit((unsigned char)*p); i++)
    *value = *value * 10 + (*p++ - '0');
  return p;
}

/* Parses the copied text, accepting these flags, and a precision if allowed. */
static void spec_parse(lua_State *L, Spec *spec, const char *flags,
                       bool precision) {
  const char *p = spec->text + 1;
  spec->flags = spec->width = 0;
  spec->precision = -1;
  for (; *p != '\0' && strchr(flags, *p); p++) spec->flags |= flag_bit(*p);
  if (*p != '0') { /* a zero here is a flag that is not allowed */
    p = spec_digits(p, &spec->width);
    if (*p == '.' && precision) {
      spec->precision = 0;
      p = spec_digits(p + 1, &spec->precision);
    }
  }
  if (luai_unlikely(p != spec->text + spec->len))
    luaL_error(L, "invalid conversion specification: '%s'", spec->text);
}

/* Puts a length modifier before the letter. */
static void spec_insert(Spec *spec, const char *modifier) {
  const size_t n = strlen(modifier);
  memcpy(spec->text + spec->len, modifier, n);
  spec->text[spec->len + n] = spec->letter;
  spec->text[spec->len + n + 1] = '\0';
}

/* -- Writing ------------------------------------------------------------- */

/* Adds text of `len` characters in a field of the spec's width. */
static void format_add_padded(luaL_Buffer *b, const Spec *spec, const char *s,
                              size_t len) {
  const size_t width = (size_t)spec->width;
  const size_t pad = width > len ? width - len : 0;
  char *p = luaL_prepbuffsize(b, len + pad);
  const bool left = (spec->flags & FLAG_LEFT) != 0;
  memset(left ? p + len : p, ' ', pad);
  memcpy(left ? p : p + pad, s, len);
  luaL_addsize(b, len + pad);
}

/* Adds a number made of digits, after adding zeros and then a sign or prefix in
** front of it.  There is room before `p` for any width and precision. */
static void format_add_number(luaL_Buffer *b, const Spec *spec, char *p,
                              const char *end, const char *prefix) {
  const int prefix_len = (int)strlen(prefix);
  int least = spec->precision < 0 ? 1 : spec->precision;
  if (spec->precision < 0 && (spec->flags & FLAG_ZERO) &&
      !(spec->flags & FLAG_LEFT) && spec->width > prefix_len + 1)
    least = spec->width - prefix_len;
  while (end - p < least) *--p = '0';
  if (spec->letter == 'o' && (spec->flags & FLAG_ALT) && *p != '0') *--p = '0';
  p -= prefix_len;
  memcpy(p, prefix, (size_t)prefix_len);
  format_add_padded(b, spec, p, (size_t)(end - p));
}

static const char *format_sign(const Spec *spec, bool negative) {
  if (negative) return "-";
  if (spec->flags & FLAG_PLUS) return "+";
  return spec->flags & FLAG_SPACE ? " " : "";
}

static void format_add_signed(luaL_Buffer *b, const Spec *spec, lua_Integer n) {
  char text[ITEM_SIZE + 1];
  char *end = text + ITEM_SIZE;
  const lua_Unsigned size = n < 0 ? 0u - (lua_Unsigned)n : (lua_Unsigned)n;
  *end = '\0';
  format_add_number(b, spec, number_digits(end, size, 10, "0123456789"), end,
                    format_sign(spec, n < 0));
}

static void format_add_unsigned(luaL_Buffer *b, const Spec *spec,
                                lua_Unsigned n) {
  char text[ITEM_SIZE + 1];
  char *end = text + ITEM_SIZE, *p;
  const char *prefix = "";
  const bool alt = (spec->flags & FLAG_ALT) && n != 0;
  *end = '\0';
  switch (spec->letter) {
    case 'x':
      p = number_digits(end, n, 16, "0123456789abcdef");
      prefix = alt ? "0x" : "";
      break;
    case 'X':
      p = number_digits(end, n, 16, "0123456789ABCDEF");
      prefix = alt ? "0X" : "";
      break;
    case 'o': p = number_digits(end, n, 8, "01234567"); break;
    default: p = number_digits(end, n, 10, "0123456789"); break;
  }
  format_add_number(b, spec, p, end, prefix);
}

/* Writes a float without the C library if no flag asks for a sign, leading
** zeros or an additional point. */
static bool format_add_usual(luaL_Buffer *b, const Spec *spec, lua_Number x) {
  char text[DECIMAL_TEXT_SIZE];
  if (spec->flags & ~FLAG_LEFT) return false;
  const int precision = spec->precision < 0 ? 6 : spec->precision;
  const size_t len = decimal_write(text, x, spec->letter, precision);
  if (len == 0) return false;
  format_add_padded(b, spec, text, len);
  return true;
}

/* Charges for the text of a float.  The C library computes all of its digits,
** of which there may be hundreds. */
static NO_INLINE void format_charge(const lua_State *L, lua_Number x) {
  enum { UNITS = 16 };
  int exponent = 0;
  if (isfinite(x)) frexp(x, &exponent);
  budget_charge(L, UNITS + (size_t)abs(exponent));
}

static void format_add_float(luaL_Buffer *b, Spec *spec, lua_Number x) {
  if (UNLIKELY(b->L->global->budget.on)) format_charge(b->L, x);
  if (format_add_usual(b, spec, x)) return;
  const size_t size = spec->letter == 'f' ? ITEM_SIZE_F : ITEM_SIZE;
  char *p = luaL_prepbuffsize(b, size);
  spec_insert(spec, LUA_NUMBER_FRMLEN);
  luaL_addsize(b, (size_t)snprintf(p, size, spec->text, (LUAI_UACNUMBER)x));
}

static void format_add_pointer(lua_State *L, luaL_Buffer *b, Spec *spec,
                               int arg) {
  const void *address = lua_topointer(L, arg);
  if (!address) {
    format_add_padded(b, spec, "(null)", 6);
    return;
  }
  char text[32];
  char *end = text + sizeof text;
  char *p = number_address(end, address);
  format_add_padded(b, spec, p, (size_t)(end - p));
}

/* The value's text is on top of the stack while the buffer is used, so it must
** be added as a value if the buffer may grow.  The value is converted before
** the modifiers are checked, as for integers. */
static void format_add_string(lua_State *L, luaL_Buffer *b, Spec *spec,
                              int arg) {
  size_t len;
  const char *s = values_push_text(L, arg, &len);
  if (spec->len > 1)
    luaL_argcheck(L, budget_find(L, s, '\0', len) == NULL, arg,
                  "string contains zeros");
  spec_parse(L, spec, "-", true);
  if (spec->len == 1 || (spec->precision < 0 && len >= DIRECT_LENGTH)) {
    luaL_addvalue(b);
    return;
  }
  if (spec->precision >= 0 && (size_t)spec->precision < len)
    len = (size_t)spec->precision;
  char item[ITEM_SIZE]; /* len < 100 here */
  memcpy(item, s, len);
  lua_pop(L, 1);
  format_add_padded(b, spec, item, len);
}

/* -- %q ------------------------------------------------------------------ */

/* A decimal escape takes all its digits if another digit follows. */
static void quote_add_control(luaL_Buffer *b, unsigned char c, char next) {
  char text[8];
  const char *form = isdigit((unsigned char)next) ? "\\%03d" : "\\%d";
  const int n = snprintf(text, sizeof(text), form, (int)c);
  luaL_addlstring(b, text, (size_t)n);
}

static void quote_add_string(luaL_Buffer *b, const char *s, size_t len) {
  enum { PIECE = 1024 };
  luaL_addchar(b, '"');
  budget_charge(b->L, len % PIECE);
  for (; len-- > 0; s++) {
    if (UNLIKELY(len % PIECE == 0)) budget_spend(b->L, 2 * PIECE);
    if (*s == '"' || *s == '\\' || *s == '\n') {
      luaL_addchar(b, '\\');
      luaL_addchar(b, *s);
    } else if (iscntrl((unsigned char)*s)) {
      quote_add_control(b, (unsigned char)*s, s[1]);
    } else {
      luaL_addchar(b, *s);
    }
  }
  luaL_addchar(b, '"');
}

/* A hexadecimal float is exact.  The locale may have another decimal point than
** Lua, which is replaced. */
static void quote_add_float(luaL_Buffer *b, lua_Number x) {
  char text[ITEM_SIZE];
  if (x == (lua_Number)HUGE_VAL) {
    luaL_addstring(b, "1e9999");
  } else if (x == -(lua_Number)HUGE_VAL) {
    luaL_addstring(b, "-1e9999");
  } else if (x != x) {
    luaL_addstring(b, "(0/0)");
  } else {
    snprintf(text, sizeof(text), "%a", x);
    for (char *p = text; *p != '\0'; p++)
      if (!isalnum((unsigned char)*p) && *p != '-' && *p != '+') *p = '.';
    luaL_addstring(b, text);
  }
}

/* The least integer has no decimal literal. */
static void quote_add_integer(luaL_Buffer *b, lua_Integer n) {
  char text[ITEM_SIZE];
  const char *form =
      n == LUA_MININTEGER ? "0x%" LUA_INTEGER_FRMLEN "x" : LUA_INTEGER_FMT;
  luaL_addlstring(b, text, (size_t)snprintf(text, sizeof(text), form, n));
}

/* Adds a literal that Lua reads back as the same value. */
static void format_add_literal(lua_State *L, luaL_Buffer *b, int arg) {
  size_t len;
  const char *s;
  switch (lua_type(L, arg)) {
    case LUA_TSTRING:
      s = lua_tolstring(L, arg, &len);
      quote_add_string(b, s, len);
      break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, arg))
        quote_add_integer(b, lua_tointeger(L, arg));
      else
        quote_add_float(b, lua_tonumber(L, arg));
      break;
    case LUA_TNIL:
    case LUA_TBOOLEAN:
      luaL_tolstring(L, arg, NULL);
      luaL_addvalue(b);
      break;
    default: luaL_argerror(L, arg, "value has no literal form");
  }
}

/* -- The whole format ---------------------------------------------------- */

/* The most common conversions, without modifiers. */
static bool format_add_simple(lua_State *L, luaL_Buffer *b, char letter,
                              int arg) {
  if (letter == 's' && lua_type(L, arg) == LUA_TSTRING) {
    size_t len;
    const char *s = lua_tolstring(L, arg, &len);
    luaL_addlstring(b, s, len);
    return true;
  }
  if (letter == 'd' && lua_isinteger(L, arg)) {
    Spec spec = {.letter = 'd', .precision = -1};
    format_add_signed(b, &spec, lua_tointeger(L, arg));
    return true;
  }
  return false;
}

static void format_add_char(lua_State *L, luaL_Buffer *b, const Spec *spec,
                            int arg) {
  const char c = (char)(unsigned char)luaL_checkinteger(L, arg);
  format_add_padded(b, spec, &c, 1);
}

/* If both the argument and the specification are wrong, the error is about the
** argument, unless the conversion is 'c', 'a' or 'A'. */
static void spec_parse_integer(lua_State *L, Spec *spec, const char *flags,
                               int arg) {
  luaL_checkinteger(L, arg);
  spec_parse(L, spec, flags, true);
}

static void spec_parse_float(lua_State *L, Spec *spec, int arg) {
  if (spec->letter != 'a' && spec->letter != 'A') luaL_checknumber(L, arg);
  spec_parse(L, spec, "-+#0 ", true);
}

/* Adds the argument by its conversion. */
static void format_add_item(lua_State *L, luaL_Buffer *b, Spec *spec, int arg) {
  switch (spec->letter) {
    case 'c':
      spec_parse(L, spec, "-", false);
      format_add_char(L, b, spec, arg);
      break;
    case 'd':
    case 'i':
      spec_parse_integer(L, spec, "-+0 ", arg);
      format_add_signed(b, spec, luaL_checkinteger(L, arg));
      break;
    case 'u':
      spec_parse_integer(L, spec, "-0", arg);
      format_add_unsigned(b, spec, (lua_Unsigned)luaL_checkinteger(L, arg));
      break;
    case 'o':
    case 'x':
    case 'X':
      spec_parse_integer(L, spec, "-#0", arg);
      format_add_unsigned(b, spec, (lua_Unsigned)luaL_checkinteger(L, arg));
      break;
    case 'a':
    case 'A':
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      spec_parse_float(L, spec, arg);
      format_add_float(b, spec, luaL_checknumber(L, arg));
      break;
    case 'p':
      spec_parse(L, spec, "-", false);
      format_add_pointer(L, b, spec, arg);
      break;
    case 'q':
      if (luai_unlikely(spec->len != 1))
        luaL_error(L, "specifier '%%q' cannot have modifiers");
      format_add_literal(L, b, arg);
      break;
    case 's': format_add_string(L, b, spec, arg); break;
    default: luaL_error(L, "invalid conversion '%s' to 'format'", spec->text);
  }
}

int string_format_framed(lua_State *L) {
  size_t len;
  luaL_Buffer b;
  Spec spec;
  const int top = lua_gettop(L);
  int arg = 1;
  const char *p = lua_tolstring(L, 1, &len);
  const char *end = p + len, *percent;
  const bool counts = L->global->budget.on;
  luaL_buffinit(L, &b);
  if (UNLIKELY(counts)) budget_spend(L, len / SCANNED_PER_UNIT);
  while ((percent = memchr(p, '%', (size_t)(end - p))) != NULL) {
    if (UNLIKELY(counts)) budget_spend(L, CONVERSION_UNITS);
    luaL_addlstring(&b, p, (size_t)(percent - p));
    p = percent + 1;
    if (*p == '%') {
      luaL_addchar(&b, *p++);
      continue;
    }
    if (++arg > top) return luaL_argerror(L, arg, "no value");
    if (!format_add_simple(L, &b, *p, arg)) {
      p = spec_read(L, &spec, p);
      format_add_item(L, &b, &spec, arg);
    }
    if (p < end) p++;
  }
  luaL_addlstring(&b, p, (size_t)(end - p));
  luaL_pushresult(&b);
  return 1;
}
