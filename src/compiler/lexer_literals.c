/* SPDX-License-Identifier: MIT */
/*
** lexer_literals.c -- strings and numerals
**
** Bytes are collected in `text`.  An escape sequence is collected as written,
** so that an error can show it, and then replaced by its meaning.
*/
#include "compiler/lexer_impl.h"

#include "object/format.h"
#include "object/number.h"

/* -- Escape sequences ------------------------------------------------------ */

static void escape_check(Lexer *lx, bool condition, const char *message) {
  if (condition) return;
  if (lx->current != STREAM_END) lexer_save_and_skip(lx); /* to show it */
  lexer_error_near(lx, message, TOKEN_STRING);
}

static int escape_read_hex_digit(Lexer *lx) {
  escape_check(lx, char_is_hex(lx->current), "hexadecimal digit expected");
  int value = char_hex_value(lx->current);
  lexer_save_and_skip(lx);
  return value;
}

/* \xXX; the current byte is the x. */
static int escape_read_hex(Lexer *lx) {
  lexer_save_and_skip(lx);
  int high = escape_read_hex_digit(lx);
  return high * 16 + escape_read_hex_digit(lx);
}

/* \d, \dd or \ddd. */
static int escape_read_decimal(Lexer *lx) {
  int value = 0;
  for (int i = 0; i < 3 && char_is_digit(lx->current); i++) {
    value = 10 * value + lx->current - '0';
    lexer_save_and_skip(lx);
  }
  escape_check(lx, value <= 255, "decimal escape too large");
  return value;
}

/* \u{hexadecimal digits}; the current byte is the u. */
static uint32_t escape_read_utf8(Lexer *lx) {
  lexer_save_and_skip(lx);
  escape_check(lx, lx->current == '{', "missing '{'");
  lexer_save_and_skip(lx);
  uint32_t value = (uint32_t)escape_read_hex_digit(lx);
  while (char_is_hex(lx->current)) {
    escape_check(lx, value <= 0x7FFFFFFF >> 4, "UTF-8 value too large");
    value = value * 16 + (uint32_t)char_hex_value(lx->current);
    lexer_save_and_skip(lx);
  }
  escape_check(lx, lx->current == '}', "missing '}'");
  lexer_skip(lx);
  return value;
}

/* Saves the bytes that encode a number of up to 31 bits. */
static void escape_save_utf8(Lexer *lx, uint32_t value) {
  char bytes[UTF8_MAX_BYTES];
  size_t count = utf8_encode(value, bytes);
  scratch_append(lx->L, lx->text, bytes + UTF8_MAX_BYTES - count, count);
}

/* \z: skips space that follows. */
static void escape_skip_space(Lexer *lx) {
  lexer_skip(lx);
  for (;;) {
    int c = lx->current;
    if (char_is_newline(c))
      lexer_skip_newline(lx);
    else if (c == ' ' || (c >= '\t' && c <= '\r'))
      lexer_skip(lx);
    else
      return;
  }
}

/* What a single letter after the backslash stands for, or -1. */
static int escape_letter(int c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '"':
    case '\'': return c;
    default: return -1;
  }
}

/* Escape sequences that are read byte by byte.  The current byte is the one
** after the backslash, which has been saved at `start`. */
static void escape_read_long(Lexer *lx, size_t start) {
  if (lx->current == 'u') {
    uint32_t value = escape_read_utf8(lx);
    scratch_truncate(lx->text, start);
    escape_save_utf8(lx, value);
    return;
  }
  escape_check(lx, lx->current == 'x' || char_is_digit(lx->current),
               "invalid escape sequence");
  int byte = lx->current == 'x' ? escape_read_hex(lx) : escape_read_decimal(lx);
  scratch_truncate(lx->text, start);
  lexer_save(lx, byte);
}

/* The current byte is the backslash. */
static void lexer_read_escape(Lexer *lx) {
  size_t start = scratch_count(lx->text);
  lexer_save_and_skip(lx);
  int letter = escape_letter(lx->current);
  if (letter >= 0) {
    scratch_truncate(lx->text, start);
    lexer_save(lx, letter);
    lexer_skip(lx);
  } else if (char_is_newline(lx->current)) {
    scratch_truncate(lx->text, start);
    lexer_skip_newline(lx);
    lexer_save(lx, '\n');
  } else if (lx->current == 'z') {
    scratch_truncate(lx->text, start);
    escape_skip_space(lx);
  } else if (lx->current != STREAM_END) { /* the caller reports the end */
    escape_read_long(lx, start);
  }
}

/* -- Strings --------------------------------------------------------------- */

/* Saves ordinary bytes of a string up to the end of the reader's piece. */
static void lexer_save_run(Lexer *lx, int quote) {
  const char *start = lx->stream->next - 1;
  const char *p = lx->stream->next;
  while (p < lx->stream->end && *p != quote && *p != '\\' &&
         !char_is_newline(*p))
    p++;
  scratch_append(lx->L, lx->text, start, (size_t)(p - start));
  lx->stream->next = p;
  lexer_skip(lx);
}

void lexer_read_string(Lexer *lx, Token *token) {
  int quote = lx->current;
  scratch_clear(lx->text);
  lexer_save_and_skip(lx); /* for messages */
  while (lx->current != quote) {
    if (lx->current == STREAM_END)
      lexer_error_near(lx, "unfinished string", TOKEN_EOS);
    if (char_is_newline(lx->current))
      lexer_error_near(lx, "unfinished string", TOKEN_STRING);
    if (lx->current == '\\')
      lexer_read_escape(lx);
    else
      lexer_save_run(lx, quote);
  }
  lexer_save_and_skip(lx);
  token->as.s = lexer_new_string(lx, scratch_bytes(lx->text) + 1,
                                 scratch_count(lx->text) - 2);
}

/* -- Long brackets --------------------------------------------------------- */

size_t lexer_read_bracket(Lexer *lx) {
  int bracket = lx->current;
  size_t equals = 0;
  lexer_save_and_skip(lx);
  while (lx->current == '=') {
    lexer_save_and_skip(lx);
    equals++;
  }
  if (lx->current == bracket) return equals + 2;
  return equals == 0 ? 1 : 0;
}

static _Noreturn void lexer_error_unfinished(Lexer *lx, const Token *token,
                                             int line) {
  const char *what = token ? "string" : "comment";
  const char *message = format_push(
      lx->L, "unfinished long %s (starting at line %d)", what, line);
  lexer_error_near(lx, message, TOKEN_EOS);
}

/* One byte or end of line inside long brackets; comments save nothing. */
static void lexer_read_long_byte(Lexer *lx, bool keep) {
  if (char_is_newline(lx->current)) {
    if (keep) lexer_save(lx, '\n');
    lexer_skip_newline(lx);
    if (!keep) scratch_clear(lx->text);
  } else if (keep) {
    lexer_save_and_skip(lx);
  } else {
    lexer_skip(lx);
  }
}

void lexer_read_long(Lexer *lx, Token *token, size_t bracket) {
  int line = lx->line;
  lexer_save_and_skip(lx); /* the second bracket */
  if (char_is_newline(lx->current)) lexer_skip_newline(lx);
  for (;;) {
    if (lx->current == STREAM_END) lexer_error_unfinished(lx, token, line);
    if (lx->current != ']')
      lexer_read_long_byte(lx, token != NULL);
    else if (lexer_read_bracket(lx) == bracket)
      break;
  }
  lexer_save_and_skip(lx);
  if (!token) return;
  token->as.s = lexer_new_string(lx, scratch_bytes(lx->text) + bracket,
                                 scratch_count(lx->text) - 2 * bracket);
}

/* -- Numerals -------------------------------------------------------------- */

/* Everything that could belong to a numeral is read before it is converted, so
** that 3x and 0x1p are malformed numbers and not two tokens.  `text` may
** already hold a dot. */
static void lexer_collect_numeral(Lexer *lx) {
  int first = lx->current;
  int exponent = 'e';
  lexer_save_and_skip(lx);
  if (first == '0' && (lx->current | 32) == 'x' &&
      scratch_count(lx->text) == 1) {
    exponent = 'p';
    lexer_save_and_skip(lx);
  }
  for (;;) {
    if ((lx->current | 32) == exponent) {
      lexer_save_and_skip(lx);
      if (lx->current == '+' || lx->current == '-') lexer_save_and_skip(lx);
    } else if (char_is_hex(lx->current) || lx->current == '.') {
      lexer_save_and_skip(lx);
    } else {
      break;
    }
  }
  if (char_is_letter(lx->current)) lexer_save_and_skip(lx);
}

int lexer_read_numeral(Lexer *lx, Token *token) {
  Value value;
  lexer_collect_numeral(lx);
  if (!number_from_text(scratch_text(lx->L, lx->text), scratch_count(lx->text),
                        &value))
    lexer_error_near(lx, "malformed number", TOKEN_FLOAT);
  if (value_is_integer(&value)) {
    token->as.i = value.as.i;
    return TOKEN_INTEGER;
  }
  token->as.n = value.as.n;
  return TOKEN_FLOAT;
}
