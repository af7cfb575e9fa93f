/* SPDX-License-Identifier: MIT */
/*
** lexer_impl.h -- what the lexer's files share
*/
#ifndef PENUMBRA_COMPILER_LEXER_IMPL_H
#define PENUMBRA_COMPILER_LEXER_IMPL_H

#include "compiler/lexer.h"

/* -- Characters: ASCII in every locale ------------------------------------- */

static ALWAYS_INLINE bool char_is_digit(int c) {
  return (unsigned)c - '0' < 10;
}
static ALWAYS_INLINE bool char_is_letter(int c) {
  return ((unsigned)c | 32) - 'a' < 26 || c == '_';
}
static ALWAYS_INLINE bool char_is_name(int c) {
  return char_is_letter(c) || char_is_digit(c);
}
static ALWAYS_INLINE bool char_is_hex(int c) {
  return char_is_digit(c) || ((unsigned)c | 32) - 'a' < 6;
}
static ALWAYS_INLINE bool char_is_newline(int c) {
  return c == '\n' || c == '\r';
}
static ALWAYS_INLINE int char_hex_value(int c) {
  return char_is_digit(c) ? c - '0' : (c | 32) - 'a' + 10;
}

/* -- The current byte ------------------------------------------------------ */

static ALWAYS_INLINE void lexer_skip(Lexer *lx) {
  lx->current = stream_get(lx->stream);
}
static ALWAYS_INLINE void lexer_save(Lexer *lx, int c) {
  scratch_add_byte(lx->L, lx->text, (char)c);
}
static ALWAYS_INLINE void lexer_save_and_skip(Lexer *lx) {
  lexer_save(lx, lx->current);
  lexer_skip(lx);
}

/* Skips an end of line of one or two bytes and counts it. */
void lexer_skip_newline(Lexer *lx);

/* Read a token whose first byte is the current one. */
void lexer_read_string(Lexer *lx, Token *token);
int lexer_read_numeral(Lexer *lx, Token *token);

/* Reads and saves `[` or `]`, and each `=` that follows.  If the same bracket
** comes next, returns the length of the long bracket; that second bracket is
** not read yet.  Returns 1 for a lone bracket, and 0 for a bracket followed by
** `=` but no second one. */
size_t lexer_read_bracket(Lexer *lx);

/* Reads up to the closing bracket of that length.  A comment has no `token`. */
void lexer_read_long(Lexer *lx, Token *token, size_t bracket);

#endif
