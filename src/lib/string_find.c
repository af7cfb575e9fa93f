/* SPDX-License-Identifier: MIT */
/*
** string_find.c -- find, match, gmatch: looking for patterns
*/

#include <limits.h>
#include <string.h>

#include "declare.h"
#include "string_builder.h"
#include "lib.h"
#include "string_impl.h"
#include "string_matcher.h"

/* -- Plain text ---------------------------------------------------------- */

enum {
  FIND_PIECE = 1 << 14,       /* bytes compared between charges to a budget */
  FIND_SCAN = 8 * FIND_PIECE, /* bytes that memchr passes in that time */
};

/* memcmp, in pieces; adds the cost of the last piece to *work. */
static bool text_is_there(lua_State *L, const char *s, const char *text,
                          size_t len, size_t *work) {
  while (len > FIND_PIECE) {
    if (memcmp(s, text, FIND_PIECE) != 0) return false;
    penumbra_spend(L, FIND_PIECE / 16);
    s += FIND_PIECE;
    text += FIND_PIECE;
    len -= FIND_PIECE;
  }
  *work += len / 16; /* as if all bytes were equal */
  return memcmp(s, text, len) == 0;
}

/* The first place where `text` occurs in s, or NULL.  May move the stack.
** *work: what is left to be charged. */
static const char *find_places(lua_State *L, const char *s, size_t len,
                               const char *text, size_t text_len,
                               size_t *work) {
  while (len >= text_len) {
    size_t places = len - text_len + 1;
    size_t piece = places < FIND_SCAN ? places : FIND_SCAN;
    const char *hit = memchr(s, *text, piece);
    *work += 8 + (hit ? (size_t)(hit - s) : piece) / 16;
    if (hit && hit[text_len - 1] == text[text_len - 1] &&
        text_is_there(L, hit, text, text_len, work))
      return hit;
    if (luai_unlikely(*work > FIND_PIECE / 2)) {
      penumbra_spend(L, *work);
      *work = 0;
    }
    size_t passed = hit ? (size_t)(hit + 1 - s) : piece;
    len -= passed;
    s += passed;
  }
  return NULL;
}

static NO_INLINE const char *find_text(lua_State *L, const char *s, size_t len,
                                       const char *text, size_t text_len) {
  size_t work = 0;
  if (text_len == 0) return s;
  const char *hit = find_places(L, s, len, text, text_len, &work);
  budget_charge(L, work);
  return hit;
}

/* True if every character of the pattern matches only itself.  A ')' alone is
** not special: without '(' it matches itself. */
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

/* Tries one place after the other.  Returns NULL, or the end of the match,
** whose beginning is then in *s. */
static const char *find_pattern(Matcher *m, const char **s, bool anchored) {
  if (anchored) return matcher_try(m, *s);
  for (; (*s = matcher_next_start(m, *s)) != NULL; (*s)++) {
    const char *e = matcher_try(m, *s);
    if (e) return e;
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

/* Handles the cases without a pattern.  Under a budget, a text that is not
** short needs a frame. */
int string_find(lua_State *L, Value *args, unsigned argc, Value *out) {
  enum { SHORT = 256 };
  lua_Integer from = 1;
  if (argc < 2 || !value_is_string(&args[0]) || !value_is_string(&args[1]) ||
      !take_integer(args, argc, 2, &from))
    return NATIVE_RETRY;
  const String *s = value_string(&args[0]), *text = value_string(&args[1]);
  const size_t len = string_length(s), text_len = string_length(text);
  if (UNLIKELY(L->global->budget.on) && len + text_len > SHORT) {
    if (!native_has_frame(L)) return NATIVE_RETRY;
    budget_spend(L, text_len);
  }
  if (!pattern_is_plain(string_bytes(text), text_len) &&
      !is_true(args, argc, 3))
    return NATIVE_RETRY;
  from = first_position(from, (lua_Integer)len);
  if (from > (lua_Integer)len + 1) return give_nil(out);
  const char *bytes = string_bytes(s), *hit;
  const size_t before = (size_t)from - 1;
  if (text_len == 1 && len - before <= FIND_SCAN) {
    budget_charge(L, (len - before) / 16);
    hit = memchr(bytes + before, *string_bytes(text), len - before);
  } else {
    const ptrdiff_t place = stack_save(L, out);
    hit = find_text(L, bytes + before, len - before, string_bytes(text),
                    text_len);
    out = stack_restore(L, place);
  }
  if (!hit) return give_nil(out);
  value_set_integer(&out[0], hit - bytes + 1);
  value_set_integer(&out[1], hit - bytes + (lua_Integer)text_len);
  return 2;
}

/* From here on the arguments have the declared types. */
static bool find_is_plain(lua_State *L) {
  const String *text = value_string(L->frame->func + 2);
  budget_spend(L, string_length(text));
  return pattern_is_plain(string_bytes(text), string_length(text)) ||
         lua_toboolean(L, 4);
}

/* Where the search for a pattern begins, by the third argument; NULL if that is
** after the end. */
static const char *find_begin(lua_State *L, Matcher *m, bool *anchored) {
  const Value *args = L->frame->func + 1;
  const String *s = value_string(&args[0]), *pattern = value_string(&args[1]);
  const size_t len = string_length(s);
  lua_Integer at = 1;
  take_integer(args, (unsigned)(L->top - args), 2, &at);
  const size_t start = (size_t)first_position(at, (lua_Integer)len) - 1;
  if (start > len) return NULL;
  find_init(m, L, string_bytes(s), len, string_bytes(pattern),
            string_length(pattern), anchored);
  return string_bytes(s) + start;
}

int string_find_framed(lua_State *L) {
  Matcher m;
  bool anchored;
  if (find_is_plain(L)) return native_run(L, string_find);
  const char *s = find_begin(L, &m, &anchored);
  const char *e = s ? find_pattern(&m, &s, anchored) : NULL;
  if (!e) return find_fail(L);
  find_push_range(L, m.src, s, e);
  return matcher_push_captures(&m, NULL, NULL) + 2;
}

int string_match_framed(lua_State *L) {
  Matcher m;
  bool anchored;
  const char *s = find_begin(L, &m, &anchored);
  const char *e = s ? find_pattern(&m, &s, anchored) : NULL;
  if (!e) return find_fail(L);
  return matcher_push_captures(&m, s, e);
}

/* -- gmatch -------------------------------------------------------------- */

/* Upvalues next to it keep the two strings alive, and the program of a long
** pattern. */
typedef struct Iteration {
  Matcher m;
  const char *s;        /* where to continue; NULL at the end */
  const char *last_end; /* a match may not end where the last one did */
} Iteration;

/* Only the debug library can put something else into the upvalue. */
static Iteration *gmatch_iteration(lua_State *L) {
  const Value *v = &value_c_closure(L->frame->func)->upvalue[2];
  if (luai_unlikely(v->tag != TAG_USERDATA)) luaL_error(L, "no iteration");
  return userdata_bytes(value_userdata(v));
}

static int gmatch_step(lua_State *L) {
  Iteration *it = gmatch_iteration(L);
  Matcher *m = &it->m;
  m->L = L;
  matcher_resume(m);
  while (it->s) {
    const char *s = matcher_next_start(m, it->s);
    if (!s) break;
    const char *e = matcher_try(m, s);
    if (e && e != it->last_end) {
      it->s = it->last_end = e;
      return matcher_push_captures(m, s, e);
    }
    it->s = s < m->src_end ? s + 1 : NULL;
  }
  it->s = NULL;
  return 0;
}

/* A '^' has no special meaning here: it would stop the iteration. */
int string_gmatch_framed(lua_State *L) {
  size_t len, pat_len;
  const char *src = lua_tolstring(L, 1, &len);
  const char *pat = lua_tolstring(L, 2, &pat_len);
  const size_t start = bytes_before(L, len);
  lua_settop(L, 2);
  Iteration *it = lua_newuserdatauv(L, sizeof(Iteration), 0);
  matcher_init(&it->m, L, src, len, pat, pat_len);
  it->s = start <= len ? src + start : NULL;
  it->last_end = NULL;
  lua_pushcclosure(L, gmatch_step, lua_gettop(L));
  return 1;
}
