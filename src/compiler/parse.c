/* SPDX-License-Identifier: MIT */
/*
** parse.c -- tokens for the parser
*/
#include "compiler/parse_impl.h"

static _Noreturn void parse_error_expected(Compiler *c, int kind) {
  compile_error(c, "%s expected", lexer_token_name(&c->lexer, kind));
}

void parse_check(Compiler *c, int kind) {
  if (parse_kind(c) != kind) parse_error_expected(c, kind);
}

void parse_expect(Compiler *c, int kind) {
  parse_check(c, kind);
  parse_next(c);
}

void parse_expect_match(Compiler *c, int kind, int open, int line) {
  if (parse_accept(c, kind)) return;
  if (line == c->lexer.line) parse_error_expected(c, kind);
  compile_error(c, "%s expected (to close %s at line %d)",
                lexer_token_name(&c->lexer, kind),
                lexer_token_name(&c->lexer, open), line);
}

String *parse_name(Compiler *c) {
  parse_check(c, TOKEN_NAME);
  String *name = c->lexer.token.as.s;
  parse_next(c);
  return name;
}

bool parse_at_block_end(const Compiler *c, bool with_until) {
  switch (parse_kind(c)) {
    case TOKEN_ELSE:
    case TOKEN_ELSEIF:
    case TOKEN_END:
    case TOKEN_EOS: return true;
    case TOKEN_UNTIL: return with_until;
    default: return false;
  }
}

void parse_enter_level(Compiler *c) {
  if (UNLIKELY(++c->L->c_calls >= C_CALLS_MAX))
    raise_error(c->L, "C stack overflow");
}

void parse_leave_level(Compiler *c) { c->L->c_calls--; }
