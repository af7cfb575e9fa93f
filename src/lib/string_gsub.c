/* SPDX-License-Identifier: MIT */
/*
** string_gsub.c -- gsub: replacing the matches of a pattern
*/

#include <string.h>

#include "lib.h"
#include "string_impl.h"
#include "string_matcher.h"
#include "object/budget.h"

enum { GSUB_REPLACEMENT = 3 }; /* the argument */

/* Matches and replacements are often empty, or single characters. */
static inline void gsub_add(luaL_Buffer *b, const char *s, size_t len) {
  if (len == 1)
    luaL_addchar(b, *s);
  else if (len > 0)
    luaL_addlstring(b, s, len);
}

/* Adds the capture for the digit after a '%' in the replacement. */
static void gsub_add_capture(Matcher *m, luaL_Buffer *b, int digit,
                             const char *s, const char *e) {
  const int i = digit - '1';
  if (digit == '0' || (i == 0 && m->level == 0)) {
    gsub_add(b, s, (size_t)(e - s));
  } else if (i < m->level && matcher_capture_len(m, i) >= 0) {
    gsub_add(b, m->capture[i].start, (size_t)m->capture[i].len);
  } else {
    matcher_push_capture(m, i, s, e); /* a position, or an error */
    luaL_addvalue(b);
  }
}

/* A replacement that is a string. */
typedef struct Replacement {
  const char *text;
  size_t len;
  bool plain; /* without captures */
} Replacement;

/* Adds the replacement string, with its captures filled in. */
static void gsub_add_string(Matcher *m, luaL_Buffer *b, const Replacement *by,
                            const char *s, const char *e) {
  enum { ESCAPE_UNITS = 8, TEXT_PER_UNIT = 8 };
  const char *p = by->text, *end = p + by->len;
  const char *escape;
  while ((escape = memchr(p, '%', (size_t)(end - p))) != NULL) {
    *m->fuel -= ESCAPE_UNITS + (int64_t)((size_t)(escape - p) / TEXT_PER_UNIT);
    if (luai_unlikely(*m->fuel < 0)) penumbra_spend(m->L, 0);
    gsub_add(b, p, (size_t)(escape - p));
    p = escape + 1;
    if (*p == '%')
      luaL_addchar(b, '%');
    else if ('0' <= *p && *p <= '9')
      gsub_add_capture(m, b, *p, s, e);
    else
      luaL_error(m->L, "invalid use of '%c' in replacement string", '%');
    p++;
  }
  gsub_add(b, p, (size_t)(end - p));
}

/* Adds the result of a table or a function, which is on top.  False if the
** result is false or nil, and the match stays. */
static bool gsub_add_result(Matcher *m, luaL_Buffer *b, const char *s,
                            const char *e) {
  lua_State *L = m->L;
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    gsub_add(b, s, (size_t)(e - s));
    return false;
  }
  if (luai_unlikely(!lua_isstring(L, -1)))
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(b);
  return true;
}

typedef struct Substitution {
  Matcher m;
  luaL_Buffer buffer;
  Replacement by;
  const char *copied; /* the subject up to here is in the buffer */
  lua_Integer count;
  bool changed;
} Substitution;

/* Adds the replacement for a match; false if the match is kept. */
static bool gsub_replace(Substitution *sub, const char *s, const char *e,
                         int type) {
  Matcher *m = &sub->m;
  luaL_Buffer *b = &sub->buffer;
  lua_State *L = m->L;
  switch (type) {
    case LUA_TFUNCTION:
      lua_pushvalue(L, GSUB_REPLACEMENT);
      lua_call(L, matcher_push_captures(m, s, e), 1);
      return gsub_add_result(m, b, s, e);
    case LUA_TTABLE:
      matcher_push_capture(m, 0, s, e);
      lua_gettable(L, GSUB_REPLACEMENT);
      return gsub_add_result(m, b, s, e);
    default:
      if (sub->by.plain)
        gsub_add(b, sub->by.text, sub->by.len);
      else
        gsub_add_string(m, b, &sub->by, s, e);
      return true;
  }
}

/* Reads a replacement that is a string or a number. */
static void gsub_read_replacement(lua_State *L, Replacement *by) {
  by->text = lua_tolstring(L, GSUB_REPLACEMENT, &by->len);
  by->plain = budget_find(L, by->text, '%', by->len) == NULL;
}

/* Replaces up to `max` matches.  The text between two matches is copied in one
** piece when the next match is found. */
static void gsub_run(Substitution *sub, lua_Integer max, bool anchored,
                     int type) {
  Matcher *m = &sub->m;
  const char *s = m->src, *last_end = NULL;
  while (sub->count < max) {
    if (!anchored && !(s = matcher_next_start(m, s))) break;
    const char *e = matcher_try(m, s);
    if (e && e != last_end) {
      gsub_add(&sub->buffer, sub->copied, (size_t)(s - sub->copied));
      sub->count++;
      penumbra_spend(m->L, 16 + (size_t)(s - sub->copied) / 16);
      sub->changed |= gsub_replace(sub, s, e, type);
      matcher_resume(m);
      sub->copied = s = last_end = e;
    } else if (s < m->src_end) {
      s++;
    } else {
      break;
    }
    if (anchored) break;
  }
}

int string_gsub_framed(lua_State *L) {
  size_t len, pat_len;
  Substitution sub;
  const char *src = lua_tolstring(L, 1, &len);
  const char *pat = lua_tolstring(L, 2, &pat_len);
  const int type = lua_type(L, GSUB_REPLACEMENT);
  const lua_Integer max = luaL_optinteger(L, 4, (lua_Integer)len + 1);
  const bool anchored = *pat == '^';
  luaL_argexpected(L,
                   type == LUA_TNUMBER || type == LUA_TSTRING ||
                       type == LUA_TFUNCTION || type == LUA_TTABLE,
                   GSUB_REPLACEMENT, "string/function/table");
  if (type == LUA_TNUMBER || type == LUA_TSTRING)
    gsub_read_replacement(L, &sub.by);
  matcher_init(&sub.m, L, src, len, pat + anchored, pat_len - anchored);
  luaL_buffinit(L, &sub.buffer);
  sub.copied = src;
  sub.count = 0;
  sub.changed = false;
  gsub_run(&sub, max, anchored, type);
  if (sub.changed) {
    gsub_add(&sub.buffer, sub.copied, (size_t)(src + len - sub.copied));
    luaL_pushresult(&sub.buffer);
  } else {
    lua_pushvalue(L, 1); /* no replacement: the subject itself */
  }
  lua_pushinteger(L, sub.count);
  return 2;
}
