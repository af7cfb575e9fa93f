/* SPDX-License-Identifier: MIT */
/*
** lexer.c -- source text to tokens
**
** Names are taken straight from the reader's piece when they lie in it as a
** whole, which is nearly always; only strings, numerals and names that
** straddle two pieces are copied.
*/
#include "compiler/lexer_impl.h"

#include <limits.h>

#include "object/budget.h"
#include "object/format.h"
#include "object/thread.h"

/* -- Names of tokens, errors ----------------------------------------------- */

static const char *const token_texts[] = {
#define KEYWORD(name, text) text,
#define SYMBOL(name, text)  text,
#define CLASS(name, text)   text,
#include "compiler/tokens.def"
#undef KEYWORD
#undef SYMBOL
#undef CLASS
};

/* Slots for the strings a message is made of. */
enum { MESSAGE_SLOTS = 8 };

const char *lexer_token_name(Lexer *lx, int kind) {
  stack_ensure(lx->L, MESSAGE_SLOTS);
  if (kind >= TOKEN_EOS) return token_texts[kind - TOKEN_FIRST];
  if (kind >= TOKEN_FIRST)
    return format_push(lx->L, "'%s'", token_texts[kind - TOKEN_FIRST]);
  if (kind >= ' ' && kind < 127) return format_push(lx->L, "'%c'", kind);
  return format_push(lx->L, "'<\\%d>'", kind);
}

/* The token as it was written, as far as it has been read. */
static const char *lexer_token_text(Lexer *lx, int kind) {
  switch (kind) {
    case TOKEN_NAME:
      return format_push(lx->L, "'%s'", string_bytes(lx->token.as.s));
    case TOKEN_STRING:
    case TOKEN_FLOAT:
    case TOKEN_INTEGER:
      return format_push(lx->L, "'%s'", scratch_text(lx->L, lx->text));
    default: return lexer_token_name(lx, kind);
  }
}

_Noreturn void lexer_error_near(Lexer *lx, const char *message, int kind) {
  stack_ensure(lx->L, MESSAGE_SLOTS);
  const char *text = raise_add_position(lx->L, message, lx->source, lx->line);
  if (kind != TOKEN_NONE)
    format_push(lx->L, "%s near %s", text, lexer_token_text(lx, kind));
  raise_throw(lx->L, STATUS_ERROR_SYNTAX);
}

_Noreturn void lexer_error_here(Lexer *lx, const char *message) {
  lexer_error_near(lx, message, lx->token.kind);
}

_Noreturn void lexer_error_semantic(Lexer *lx, const char *message) {
  lexer_error_near(lx, message, TOKEN_NONE);
}

/* -- Strings that stay alive ----------------------------------------------- */

/* Each string is a key of `strings`.  The value of a long string is the first
** object with the same bytes, which replaces all later ones.  The value of a
** short string does not matter here.  So names of any length can be compared by
** address. */
static String *lexer_anchor(Lexer *lx, String *s) {
  Value key, value;
  value_set_string(&key, s);
  if (table_get(lx->L, lx->strings, &key, &value))
    return string_is_short(s) ? s : value_string(&value);
  *lx->L->top++ = key; /* while the table grows */
  table_set(lx->L, lx->strings, &key, &key);
  lx->L->top--;
  return s;
}

String *lexer_new_string(Lexer *lx, const char *bytes, size_t length) {
  stack_ensure(lx->L, 1);
  String *s = budget_string(lx->L, bytes, length);
  if (string_is_short(s) && table_find_str(lx->strings, s)) return s;
  if (UNLIKELY(length > BUDGET_PIECE)) /* it is hashed and compared at once */
    budget_spend_bytes(lx->L, 2 * length);
  return lexer_anchor(lx, s);
}

/* -- Names and reserved words ---------------------------------------------- */

typedef struct Keyword {
  const char *text;
  uint8_t length;
  uint16_t kind;
} Keyword;

enum { KEYWORD_SLOTS = 64 };

#define KEYWORD_AT(name, text) \
  { text, sizeof text - 1, TOKEN_##name }

/* keyword_slot was chosen so that no two reserved words share a slot. */
static const Keyword keywords[KEYWORD_SLOTS] = {
    [1] = KEYWORD_AT(IF, "if"),          [4] = KEYWORD_AT(FUNCTION, "function"),
    [9] = KEYWORD_AT(IN, "in"),          [13] = KEYWORD_AT(DO, "do"),
    [14] = KEYWORD_AT(RETURN, "return"), [18] = KEYWORD_AT(GOTO, "goto"),
    [19] = KEYWORD_AT(FOR, "for"),       [20] = KEYWORD_AT(REPEAT, "repeat"),
    [21] = KEYWORD_AT(LOCAL, "local"),   [22] = KEYWORD_AT(UNTIL, "until"),
    [24] = KEYWORD_AT(FALSE, "false"),   [29] = KEYWORD_AT(NOT, "not"),
    [33] = KEYWORD_AT(WHILE, "while"),   [34] = KEYWORD_AT(BREAK, "break"),
    [37] = KEYWORD_AT(NIL, "nil"),       [38] = KEYWORD_AT(THEN, "then"),
    [45] = KEYWORD_AT(TRUE, "true"),     [46] = KEYWORD_AT(ELSE, "else"),
    [49] = KEYWORD_AT(ELSEIF, "elseif"), [51] = KEYWORD_AT(OR, "or"),
    [56] = KEYWORD_AT(AND, "and"),       [60] = KEYWORD_AT(END, "end"),
};

static unsigned keyword_slot(const char *text, size_t length) {
  unsigned first = (unsigned char)text[0];
  unsigned second = (unsigned char)text[1];
  unsigned last = (unsigned char)text[length - 1];
  return (first + 8 * second + last + (unsigned)length) % KEYWORD_SLOTS;
}

/* The reserved word with that text, or 0.  The text has at least two bytes. */
static int keyword_find(const char *text, size_t length) {
  const Keyword *k = &keywords[keyword_slot(text, length)];
  if (k->length != length || memcmp(k->text, text, length) != 0) return 0;
  return k->kind;
}

static int lexer_finish_name(Lexer *lx, Token *token, const char *text,
                             size_t length) {
  int keyword = length > 1 ? keyword_find(text, length) : 0;
  if (keyword) return keyword;
  token->as.s = lexer_new_string(lx, text, length);
  return TOKEN_NAME;
}

/* The name reaches the end of the reader's piece: collect it in `text`. */
static COLD int lexer_read_split_name(Lexer *lx, Token *token) {
  scratch_clear(lx->text);
  while (char_is_name(lx->current)) lexer_save_and_skip(lx);
  return lexer_finish_name(lx, token, scratch_bytes(lx->text),
                           scratch_count(lx->text));
}

static int lexer_read_name(Lexer *lx, Token *token) {
  const char *start = lx->stream->next - 1;
  const char *p = lx->stream->next;
  while (p < lx->stream->end && char_is_name((unsigned char)*p)) p++;
  if (p == lx->stream->end) return lexer_read_split_name(lx, token);
  int kind = lexer_finish_name(lx, token, start, (size_t)(p - start));
  lx->stream->next = p + 1;
  lx->current = (unsigned char)*p;
  return kind;
}

/* -- Space and comments ---------------------------------------------------- */

void lexer_skip_newline(Lexer *lx) {
  int first = lx->current;
  lexer_skip(lx);
  if (char_is_newline(lx->current) && lx->current != first) lexer_skip(lx);
  if (++lx->line >= INT_MAX)
    lexer_error_near(lx, "chunk has too many lines", TOKEN_NONE);
}

/* Both dashes have been read. */
static void lexer_skip_comment(Lexer *lx) {
  if (lx->current == '[') {
    scratch_clear(lx->text);
    size_t bracket = lexer_read_bracket(lx);
    if (bracket >= 2) {
      lexer_read_long(lx, NULL, bracket);
      return;
    }
  }
  while (!char_is_newline(lx->current) && lx->current != STREAM_END)
    lexer_skip(lx);
}

/* -- Tokens ---------------------------------------------------------------- */

/* Takes the current byte, and the next one if it is `second`. */
static int lexer_read_pair(Lexer *lx, int second, int pair) {
  int first = lx->current;
  lexer_skip(lx);
  if (lx->current != second) return first;
  lexer_skip(lx);
  return pair;
}

/* `<` or `>`, which may be doubled or followed by `=`. */
static int lexer_read_angle(Lexer *lx, int doubled, int equal) {
  int first = lx->current;
  lexer_skip(lx);
  if (lx->current != first && lx->current != '=') return first;
  int kind = lx->current == '=' ? equal : doubled;
  lexer_skip(lx);
  return kind;
}

/* A dot: an operator, dots, or the beginning of a numeral. */
static int lexer_read_dot(Lexer *lx, Token *token) {
  scratch_clear(lx->text);
  lexer_save_and_skip(lx);
  if (char_is_digit(lx->current)) return lexer_read_numeral(lx, token);
  if (lx->current != '.') return '.';
  lexer_skip(lx);
  if (lx->current != '.') return TOKEN_CONCAT;
  lexer_skip(lx);
  return TOKEN_DOTS;
}

static int lexer_read_open_bracket(Lexer *lx, Token *token) {
  scratch_clear(lx->text);
  size_t bracket = lexer_read_bracket(lx);
  switch (bracket) {
    case 0: lexer_error_near(lx, "invalid long string delimiter", TOKEN_STRING);
    case 1: return '[';
    default: lexer_read_long(lx, token, bracket); return TOKEN_STRING;
  }
}

/* A minus sign or a comment; true if it was a comment. */
static bool lexer_read_minus(Lexer *lx) {
  lexer_skip(lx);
  if (lx->current != '-') return false;
  lexer_skip(lx);
  lexer_skip_comment(lx);
  return true;
}

/* Any token that begins with none of the bytes lexer_scan looks for. */
static int lexer_read_other(Lexer *lx, Token *token) {
  int c = lx->current;
  if (char_is_letter(c)) return lexer_read_name(lx, token);
  if (char_is_digit(c)) {
    scratch_clear(lx->text);
    return lexer_read_numeral(lx, token);
  }
  lexer_skip(lx);
  return c;
}

/* Reads a token and returns its kind. */
static int lexer_scan(Lexer *lx, Token *token) {
  for (;;) {
    switch (lx->current) {
      case '\n':
      case '\r': lexer_skip_newline(lx); break;
      case ' ':
      case '\f':
      case '\t':
      case '\v': lexer_skip(lx); break;
      case '-':
        if (!lexer_read_minus(lx)) return '-';
        break;
      case '[': return lexer_read_open_bracket(lx, token);
      case '=': return lexer_read_pair(lx, '=', TOKEN_EQ);
      case '<': return lexer_read_angle(lx, TOKEN_SHL, TOKEN_LE);
      case '>': return lexer_read_angle(lx, TOKEN_SHR, TOKEN_GE);
      case '/': return lexer_read_pair(lx, '/', TOKEN_IDIV);
      case '~': return lexer_read_pair(lx, '=', TOKEN_NE);
      case ':': return lexer_read_pair(lx, ':', TOKEN_DBCOLON);
      case '"':
      case '\'': lexer_read_string(lx, token); return TOKEN_STRING;
      case '.': return lexer_read_dot(lx, token);
      case STREAM_END: return TOKEN_EOS;
      default: return lexer_read_other(lx, token);
    }
  }
}

void lexer_init(Lexer *lx, Stream *stream, int first) {
  lx->stream = stream;
  lx->current = first;
  lx->line = 1;
  lx->last_line = 1;
  lx->token.kind = TOKEN_NONE;
  lx->ahead.kind = TOKEN_EOS;
}

void lexer_next(Lexer *lx) {
  Token *token = &lx->token;
  lx->last_line = lx->line;
  if (lx->ahead.kind == TOKEN_EOS) {
    token->kind = lexer_scan(lx, token);
    return;
  }
  *token = lx->ahead;
  lx->ahead.kind = TOKEN_EOS;
}

int lexer_peek(Lexer *lx) {
  lx->ahead.kind = lexer_scan(lx, &lx->ahead);
  return lx->ahead.kind;
}
