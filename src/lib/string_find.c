/* SPDX-License-Identifier: MIT */
/*
** string_find.c -- find, match, gmatch: looking for patterns
*/

#include <limits.h>
#include <string.h>

#include "lib.h"
#include "penumbra.h"
#include "string_impl.h"
#include "string_matcher.h"

/* -- Plain text ---------------------------------------------------------- */

enum { FIND_PIECE = 1 << 14 };  /* bytes between two looks at a budget */

/* memcmp, in pieces; what has been compared is added up in *work. */
static bool text_is_there(lua_State *L, const char *s, const char *text,
                          size_t len, size_t *work) {
  while (len > FIND_PIECE) {
    if (memcmp(s, text, FIND_PIECE) != 0) return false;
    penumbra_spend(L, FIND_PIECE / 16);
    s += FIND_PIECE;
    text += FIND_PIECE;
    len -= FIND_PIECE;
  }
  *work += len / 16;    /* as if it were all the same */
  return memcmp(s, text, len) == 0;
}

/* The first place where `text` occurs in s, or NULL. */
static const char *find_text(lua_State *L, const char *s, size_t len,
                             const char *text, size_t text_len) {
  size_t work = 0;
  if (text_len == 0) return s;
  while (len >= text_len) {
    size_t places = len - text_len + 1;
    size_t piece = places < 32 * FIND_PIECE ? places : 32 * FIND_PIECE;
    const char *hit = memchr(s, *text, piece);
    work += 8 + (hit ? (size_t)(hit - s) : piece) / 16;
    if (hit && text_is_there(L, hit, text, text_len, &work)) return hit;
    if (luai_unlikely(work > FIND_PIECE)) {
      penumbra_spend(L, work);
      work = 0;
    }
    size_t passed = hit ? (size_t)(hit + 1 - s) : piece;
    len -= passed;
    s += passed;
  }
  return NULL;
}

/* True if no character of the pattern means anything but itself. A ')' alone
** does not count: without '(' it is found as it stands. */
static bool pattern_is_plain(const char *p, size_t len) {
  static const bool is_special[UCHAR_MAX + 1] = {
      ['^'] = true, ['$'] = true, ['*'] = true, ['+'] = true, ['?'] = true,
      ['.'] = true, ['('] = true, ['['] = true, ['%'] = true, ['-'] = true,
  };
  for (size_t i = 0; i < len; i++)
    if (is_special[(unsigned char)p[i]]) return false;
  return true;
}

static int find_push_range(lua_State *L, const char *src, const char *s,
                           const char *e) {
  lua_pushinteger(L, (s - src) + 1);
  lua_pushinteger(L, e - src);
  return 2;
}

/* -- find and match ------------------------------------------------------ */

static int find_fail(lua_State *L) {
  luaL_pushfail(L);
  return 1;
}

/* Tries one place after the other; NULL, or the end of the match whose
** beginning is then in *s. */
static const char *find_pattern(Matcher *m, const char **s, bool anchored) {
  if (anchored) return matcher_try(m, *s);
  for (; (*s = matcher_next_start(m, *s)) != NULL; (*s)++) {
    const char *e = matcher_try(m, *s);
    if (e != NULL) return e;
    if (*s == m->src_end) return NULL;
  }
  return NULL;
}

static void find_init(Matcher *m, lua_State *L, const char *src, size_t len,
                      const char *pat, size_t pat_len, bool *anchored) {
  *anchored = *pat == '^';
  if (*anchored) {
    pat++;
    pat_len--;
  }
  matcher_init(m, L, src, len, pat, pat_len);
}

int string_find(lua_State *L) {
  size_t len, pat_len;
  const char *src = luaL_checklstring(L, 1, &len);
  const char *pat = luaL_checklstring(L, 2, &pat_len);
  const size_t start = lib_start_pos(luaL_optinteger(L, 3, 1), len) - 1;
  if (start > len) return find_fail(L);
  const char *s = src + start;
  if (lua_toboolean(L, 4) || pattern_is_plain(pat, pat_len)) {
    s = find_text(L, s, len - start, pat, pat_len);
    if (s == NULL) return find_fail(L);
    return find_push_range(L, src, s, s + pat_len);
  }
  Matcher m;
  bool anchored;
  find_init(&m, L, src, len, pat, pat_len, &anchored);
  const char *e = find_pattern(&m, &s, anchored);
  if (e == NULL) return find_fail(L);
  find_push_range(L, src, s, e);
  return matcher_push_captures(&m, NULL, NULL) + 2;
}

int string_match(lua_State *L) {
  size_t len, pat_len;
  const char *src = luaL_checklstring(L, 1, &len);
  const char *pat = luaL_checklstring(L, 2, &pat_len);
  const size_t start = lib_start_pos(luaL_optinteger(L, 3, 1), len) - 1;
  if (start > len) return find_fail(L);
  Matcher m;
  bool anchored;
  find_init(&m, L, src, len, pat, pat_len, &anchored);
  const char *s = src + start;
  const char *e = find_pattern(&m, &s, anchored);
  if (e == NULL) return find_fail(L);
  return matcher_push_captures(&m, s, e);
}

/* -- gmatch -------------------------------------------------------------- */

/* The two strings are upvalues beside it, to keep them alive, and the program
** of a long pattern. */
typedef struct Iteration {
  Matcher m;
  const char *s;        /* where to go on; NULL at the end */
  const char *last_end; /* a match may not end where the last one did */
} Iteration;

static int gmatch_step(lua_State *L) {
  Iteration *it = lua_touserdata(L, lua_upvalueindex(3));
  Matcher *m = &it->m;
  m->L = L;
  matcher_resume(m);
  while (it->s != NULL) {
    const char *s = matcher_next_start(m, it->s);
    if (s == NULL) break;
    const char *e = matcher_try(m, s);
    if (e != NULL && e != it->last_end) {
      it->s = it->last_end = e;
      return matcher_push_captures(m, s, e);
    }
    it->s = s < m->src_end ? s + 1 : NULL;
  }
  it->s = NULL;
  return 0;
}

/* A '^' has no special meaning here: it would stop the iteration. */
int string_gmatch(lua_State *L) {
  size_t len, pat_len;
  const char *src = luaL_checklstring(L, 1, &len);
  const char *pat = luaL_checklstring(L, 2, &pat_len);
  const size_t start = lib_start_pos(luaL_optinteger(L, 3, 1), len) - 1;
  lua_settop(L, 2);
  Iteration *it = lua_newuserdatauv(L, sizeof(Iteration), 0);
  matcher_init(&it->m, L, src, len, pat, pat_len);
  it->s = start <= len ? src + start : NULL;
  it->last_end = NULL;
  lua_pushcclosure(L, gmatch_step, lua_gettop(L));
  return 1;
}
