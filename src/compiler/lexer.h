/* SPDX-License-Identifier: MIT */
/*
** lexer.h -- source text to tokens
**
** There is one token of lookahead after the current one.  Strings of tokens
** stay alive until compilation ends: they are keys of the table `strings`.
*/
#ifndef PENUMBRA_COMPILER_LEXER_H
#define PENUMBRA_COMPILER_LEXER_H

#include "bytecode/stream.h"
#include "compiler/scratch.h"
#include "object/string.h"
#include "object/table.h"

enum TokenKind {
  TOKEN_NONE = 0,
  TOKEN_FIRST = 256, /* below: the character itself */
  TOKEN_BEFORE_KEYWORDS = TOKEN_FIRST - 1,
#define KEYWORD(name, text) TOKEN_##name,
#define SYMBOL(name, text)  TOKEN_##name,
#define CLASS(name, text)   TOKEN_##name,
#include "compiler/tokens.def"
#undef KEYWORD
#undef SYMBOL
#undef CLASS
  TOKEN_LIMIT
};

typedef struct Token {
  int kind; /* enum TokenKind or a character */
  union {
    Integer i; /* TOKEN_INTEGER */
    Number n;  /* TOKEN_FLOAT */
    String *s; /* TOKEN_NAME, TOKEN_STRING */
  } as;
} Token;

typedef struct Lexer {
  lua_State *L;
  Stream *stream;
  int current;   /* byte not yet part of a token, or STREAM_END */
  int line;      /* of `current` */
  int last_line; /* of the token before `token` */
  Token token;
  Token ahead;    /* kind TOKEN_EOS while there is none */
  Scratch *text;  /* bytes of strings and numerals */
  Table *strings; /* keeps strings alive; also finds constants */
  String *source; /* name of the chunk */
} Lexer;

/* Begins with `first`, the byte already taken from the stream.  The caller
** has anchored `text`, `strings` and `source`. */
void lexer_init(Lexer *lx, Stream *stream, int first);

/* Moves to the next token. */
void lexer_next(Lexer *lx);

/* The kind of the token after the current one. */
int lexer_peek(Lexer *lx);

/* A string with these bytes that lives until compilation ends. */
String *lexer_new_string(Lexer *lx, const char *bytes, size_t length);

/* Raise a syntax error.  The first names the current token.  The second is for
** errors in the middle of a token, and shows the part that was read. */
_Noreturn void lexer_error_here(Lexer *lx, const char *message);
_Noreturn void lexer_error_near(Lexer *lx, const char *message, int kind);
/* Raises a syntax error that names no token. */
_Noreturn void lexer_error_semantic(Lexer *lx, const char *message);

/* The name of a kind of token in messages, as a string on the stack: 'while',
** '+', <name>. */
const char *lexer_token_name(Lexer *lx, int kind);

#endif
