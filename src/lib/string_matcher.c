/* SPDX-License-Identifier: MIT */
/*
** string_matcher.c -- the pattern matcher
**
** A pattern is a sequence of items.  In the code, p points to an item and
** `next` behind it, where its suffix (* + - ?) is if it has one.
**
**      match_here     one item after the other; recursion where there is a
**                     choice that may have to be taken back, with the captures
**                     opened and closed since
**      match_escape   %b, %f and %1 ... %9, which are not single characters
**      span_item      as many characters as an item matches
**
** Both ends of subject and pattern are readable: strings end with a zero.
*/

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "lib.h"
#include "string_matcher.h"

static const char *match_here(Matcher *m, const char *s, const char *p);

static inline int match_byte(const char *s) { return (unsigned char)*s; }
static inline bool match_is_digit(const char *s) {
  return '0' <= *s && *s <= '9';
}

/* -- Items that stand for one character ---------------------------------- */

/* Finds the end of a set; p is behind its '['. A ']' at the beginning is an
** ordinary character. */
static const char *set_end(const Matcher *m, const char *p) {
  if (*p == '^') p++;
  do {
    if (luai_unlikely(p == m->pat_end))
      luaL_error(m->L, "malformed pattern (missing ']')");
    if (*p++ == '%' && p < m->pat_end) p++;
  } while (*p != ']');
  return p + 1;
}

static inline const char *item_end(const Matcher *m, const char *p) {
  const char c = *p++;
  if (c == '%') {
    if (luai_unlikely(p == m->pat_end))
      luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  return c == '[' ? set_end(m, p) : p;
}

/* The C library's classes, in the current locale.  glibc's table is looked up
** directly: its macros ask for the table's address at every character.  The
** address is good until the program has its turn and may change the locale. */
#if defined __GLIBC__
enum {
  CLASS_ALPHA = _ISalpha, CLASS_CNTRL = _IScntrl, CLASS_DIGIT = _ISdigit,
  CLASS_GRAPH = _ISgraph, CLASS_LOWER = _ISlower, CLASS_PUNCT = _ISpunct,
  CLASS_SPACE = _ISspace, CLASS_UPPER = _ISupper, CLASS_ALNUM = _ISalnum,
  CLASS_XDIGIT = _ISxdigit
};

void matcher_resume(Matcher *m) { m->classes = *__ctype_b_loc(); }

static inline bool class_has(const Matcher *m, int c, int class) {
  return (m->classes[c] & class) != 0;
}
#else
enum {
  CLASS_ALPHA = 1, CLASS_CNTRL, CLASS_DIGIT, CLASS_GRAPH, CLASS_LOWER,
  CLASS_PUNCT, CLASS_SPACE, CLASS_UPPER, CLASS_ALNUM, CLASS_XDIGIT
};

void matcher_resume(Matcher *m) { m->classes = NULL; }

static bool class_has(const Matcher *m, int c, int class) {
  (void)m;
  switch (class) {
    case CLASS_ALPHA: return isalpha(c) != 0;
    case CLASS_CNTRL: return iscntrl(c) != 0;
    case CLASS_DIGIT: return isdigit(c) != 0;
    case CLASS_GRAPH: return isgraph(c) != 0;
    case CLASS_LOWER: return islower(c) != 0;
    case CLASS_PUNCT: return ispunct(c) != 0;
    case CLASS_SPACE: return isspace(c) != 0;
    case CLASS_UPPER: return isupper(c) != 0;
    case CLASS_ALNUM: return isalnum(c) != 0;
    default: return isxdigit(c) != 0;
  }
}
#endif

/* The class that a letter names, in upper case its complement; or 0. */
static const unsigned short class_of_letter[UCHAR_MAX + 1] = {
    ['a'] = CLASS_ALPHA,  ['A'] = CLASS_ALPHA,
    ['c'] = CLASS_CNTRL,  ['C'] = CLASS_CNTRL,
    ['d'] = CLASS_DIGIT,  ['D'] = CLASS_DIGIT,
    ['g'] = CLASS_GRAPH,  ['G'] = CLASS_GRAPH,
    ['l'] = CLASS_LOWER,  ['L'] = CLASS_LOWER,
    ['p'] = CLASS_PUNCT,  ['P'] = CLASS_PUNCT,
    ['s'] = CLASS_SPACE,  ['S'] = CLASS_SPACE,
    ['u'] = CLASS_UPPER,  ['U'] = CLASS_UPPER,
    ['w'] = CLASS_ALNUM,  ['W'] = CLASS_ALNUM,
    ['x'] = CLASS_XDIGIT, ['X'] = CLASS_XDIGIT,
};

static inline bool letter_is_complement(int letter) {
  return (letter & ('a' ^ 'A')) == 0;
}

/* Whether c is what the letter after a '%' stands for; any other character
** stands for itself. */
static inline bool class_matches(const Matcher *m, int c, int letter) {
  const int class = class_of_letter[letter];
  if (luai_likely(class != 0))
    return class_has(m, c, class) != letter_is_complement(letter);
  if (letter == 'z') return c == 0; /* from before patterns held zeros */
  if (letter == 'Z') return c != 0;
  return letter == c;
}

/* Whether c belongs to the set that begins at p and ends at its ']'. */
static bool set_matches(const Matcher *m, int c, const char *p,
                        const char *last) {
  bool found = true;
  if (p[1] == '^') {
    found = false;
    p++;
  }
  while (++p < last) {
    if (*p == '%') {
      p++;
      if (class_matches(m, c, match_byte(p))) return found;
    } else if (p[1] == '-' && p + 2 < last) {
      if (match_byte(p) <= c && c <= match_byte(p + 2)) return found;
      p += 2;
    } else if (match_byte(p) == c) {
      return found;
    }
  }
  return !found;
}

static inline bool item_matches(const Matcher *m, const char *s, const char *p,
                                const char *next) {
  if (s >= m->src_end) return false;
  const int c = match_byte(s);
  switch (*p) {
    case '.': return true;
    case '%': return class_matches(m, c, match_byte(p + 1));
    case '[': return set_matches(m, c, p, next - 1);
    default: return match_byte(p) == c;
  }
}

#define SPAN_WHILE(test)         \
  while (s < end && (test)) s++; \
  return s

static const char *span_class(const Matcher *m, const char *s, int letter) {
  const char *end = m->src_end;
  const int class = class_of_letter[letter];
  if (class == 0) {
    SPAN_WHILE(class_matches(m, match_byte(s), letter));
  } else if (letter_is_complement(letter)) {
    SPAN_WHILE(!class_has(m, match_byte(s), class));
  } else {
    SPAN_WHILE(class_has(m, match_byte(s), class));
  }
}

/* Most sets are all but one character, which memchr can look for. */
static const char *span_set(const Matcher *m, const char *s, const char *p,
                            const char *next) {
  const char *end = m->src_end;
  if (p[1] == '^' && next == p + 4 && p[2] != '%') {
    const char *hit = s < end ? memchr(s, p[2], (size_t)(end - s)) : NULL;
    return hit != NULL ? hit : end;
  }
  SPAN_WHILE(set_matches(m, match_byte(s), p, next - 1));
}

/* The end of the longest run from s on that the item matches. */
static const char *span_item(const Matcher *m, const char *s, const char *p,
                             const char *next) {
  const char *end = m->src_end;
  switch (*p) {
    case '.': return end;
    case '%': return span_class(m, s, match_byte(p + 1));
    case '[': return span_set(m, s, p, next);
    default: SPAN_WHILE(*s == *p);
  }
}

/* -- Repetition ---------------------------------------------------------- */

static inline bool suffix_is_optional(const char *suffix) {
  return *suffix == '*' || *suffix == '?' || *suffix == '-';
}

/* The character with which any match of the pattern from p on must begin, or
** -1. At the end of the pattern lies a zero, which is neither. */
static int pattern_first_char(const Matcher *m, const char *p) {
  static const bool is_special[UCHAR_MAX + 1] = {
      ['('] = true, [')'] = true, ['.'] = true,
      ['%'] = true, ['['] = true, ['$'] = true,
  };
  if (p == m->pat_end || is_special[match_byte(p)] || suffix_is_optional(p + 1))
    return -1;
  return match_byte(p);
}

/* The end of the item at p if it is a single character that must be there, or
** NULL: it saves most of the trials that are bound to fail. */
static const char *required_item(const Matcher *m, const char *p) {
  if (p == m->pat_end) return NULL;
  switch (*p) {
    case '(': case ')': case '$': return NULL;
    case '%':
      if (p[1] == 'b' || p[1] == 'f' || match_is_digit(p + 1)) return NULL;
  }
  const char *next = item_end(m, p);
  return suffix_is_optional(next) ? NULL : next;
}

/* As many as possible, then fewer; from least on the item is optional. */
static const char *match_most(Matcher *m, const char *least, const char *p,
                              const char *next) {
  const char *s = span_item(m, least, p, next);
  const char *rest = next + 1;
  if (rest == m->pat_end) return s;
  if (s == least) return match_here(m, s, rest);
  const char *required = required_item(m, rest);
  for (; s >= least; s--) {
    if (required != NULL && !item_matches(m, s, rest, required)) continue;
    const char *end = match_here(m, s, rest);
    if (end != NULL) return end;
  }
  return NULL;
}

/* As few as possible, then more. */
static const char *match_fewest(Matcher *m, const char *s, const char *p,
                                const char *next) {
  const char *rest = next + 1;
  const char *required = required_item(m, rest);
  for (;; s++) {
    if (required == NULL || item_matches(m, s, rest, required)) {
      const char *end = match_here(m, s, rest);
      if (end != NULL) return end;
    }
    if (!item_matches(m, s, p, next)) return NULL;
  }
}

/* -- Captures ------------------------------------------------------------ */

static inline void capture_open(Matcher *m, const char *s) {
  if (luai_unlikely(m->level >= MATCH_CAPTURES))
    luaL_error(m->L, "too many captures");
  m->capture[m->level].start = s;
  m->open |= UINT32_C(1) << m->level++;
}

/* The innermost capture that is still open. */
static inline void capture_close(Matcher *m, const char *s) {
  if (luai_unlikely(m->open == 0))
    luaL_error(m->L, "invalid pattern capture");
  int i = m->level - 1;
  while (!(m->open >> i & 1)) i--;
  m->capture[i].len = s - m->capture[i].start;
  m->open ^= UINT32_C(1) << i;
}

static inline void capture_position(Matcher *m, const char *s) {
  capture_open(m, s);
  capture_close(m, s);
  m->capture[m->level - 1].len = CAPTURE_POSITION;
}

/* Matches again what the capture with that digit matched. */
static const char *match_capture(const Matcher *m, const char *s, int digit) {
  const int i = digit - '1';
  if (luai_unlikely(i < 0 || i >= m->level || m->open >> i & 1))
    luaL_error(m->L, "invalid capture index %%%d", i + 1);
  const ptrdiff_t len = m->capture[i].len;
  if (len < 0 || m->src_end - s < len) return NULL;
  if (memcmp(m->capture[i].start, s, (size_t)len) != 0) return NULL;
  return s + len;
}

/* -- Other items --------------------------------------------------------- */

/* %b: from an opening character to the closing one that balances it. */
static const char *match_balanced(const Matcher *m, const char *s,
                                  const char *p) {
  if (luai_unlikely(m->pat_end - p < 2))
    luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  if (s >= m->src_end || *s != p[0]) return NULL;
  int open = 1;
  while (++s < m->src_end) {
    if (*s == p[1]) {
      if (--open == 0) return s + 1;
    } else if (*s == p[0]) {
      open++;
    }
  }
  return NULL;
}

/* %f: true between a character outside the set at p and one inside; the
** subject is as if surrounded by zeros. */
static bool match_frontier(const Matcher *m, const char *s, const char *p,
                           const char *next) {
  const int before = s == m->src ? '\0' : match_byte(s - 1);
  const int after = s == m->src_end ? '\0' : match_byte(s);
  return !set_matches(m, before, p, next - 1) &&
         set_matches(m, after, p, next - 1);
}

typedef enum Escape { ESCAPE_OTHER, ESCAPE_DONE, ESCAPE_FAILED } Escape;

/* Matches an item that is not a single character, and moves *s and *p behind
** it. */
static Escape match_escape(Matcher *m, const char **s, const char **p) {
  const int c = match_byte(*p + 1);
  if (c == 'b') {
    *s = match_balanced(m, *s, *p + 2);
    *p += 4;
    return *s != NULL ? ESCAPE_DONE : ESCAPE_FAILED;
  }
  if (c == 'f') {
    *p += 2;
    if (luai_unlikely(**p != '['))
      luaL_error(m->L, "missing '[' after '%%f' in pattern");
    const char *next = item_end(m, *p);
    const bool ok = match_frontier(m, *s, *p, next);
    *p = next;
    return ok ? ESCAPE_DONE : ESCAPE_FAILED;
  }
  if ('0' <= c && c <= '9') {
    *s = match_capture(m, *s, c);
    *p += 2;
    return *s != NULL ? ESCAPE_DONE : ESCAPE_FAILED;
  }
  return ESCAPE_OTHER;
}

/* -- Sequences ----------------------------------------------------------- */

/* Goes on as long as there is only one way to go on. */
static const char *match_items(Matcher *m, const char *s, const char *p) {
  while (p != m->pat_end) {
    switch (*p) {
      case '(':
        if (p[1] != ')') {
          capture_open(m, s);
          p++;
        } else {
          capture_position(m, s);
          p += 2;
        }
        continue;
      case ')':
        capture_close(m, s);
        p++;
        continue;
      case '$':
        if (p + 1 != m->pat_end) break;
        return s == m->src_end ? s : NULL;
      case '%': {
        const Escape escape = match_escape(m, &s, &p);
        if (escape == ESCAPE_OTHER) break;
        if (escape == ESCAPE_FAILED) return NULL;
        continue;
      }
    }
    const char *next = item_end(m, p);
    switch (*next) {
      case '*': return match_most(m, s, p, next);
      case '-': return match_fewest(m, s, p, next);
    }
    const bool here = item_matches(m, s, p, next);
    if (*next == '?') {
      const char *end = here ? match_here(m, s + 1, next + 1) : NULL;
      if (end != NULL) return end;
      p = next + 1;
      continue;
    }
    if (!here) return NULL;
    s++;
    if (*next == '+') return match_most(m, s, p, next);
    p = next;
  }
  return s;
}

static const char *match_here(Matcher *m, const char *s, const char *p) {
  const int level = m->level;
  const uint32_t open = m->open;
  if (luai_unlikely(m->depth-- == 0)) luaL_error(m->L, "pattern too complex");
  s = match_items(m, s, p);
  m->depth++;
  if (s == NULL) {
    m->level = level;
    m->open = open;
  }
  return s;
}

/* -- For the functions of the library ------------------------------------ */

void matcher_init(Matcher *m, lua_State *L, const char *src, size_t src_len,
                  const char *pat, size_t pat_len) {
  m->L = L;
  m->src = src;
  m->src_end = src + src_len;
  m->pat = pat;
  m->pat_end = pat + pat_len;
  m->first_char = pattern_first_char(m, pat);
  m->calls = 0;
  m->first_repeats = false;
  m->failed = NULL;
  m->depth = MATCH_DEPTH;
  matcher_resume(m);
}

const char *matcher_try(Matcher *m, const char *s) {
  m->level = 0;
  m->open = 0;
  const char *e = match_here(m, s, m->pat);
  m->failed = e == NULL ? s : NULL;
  return e;
}

/* Whether it matches again what a capture matched. */
static bool pattern_refers_back(const Matcher *m) {
  for (const char *p = m->pat; p < m->pat_end; p++)
    if (*p == '%' && match_is_digit(p + 1)) return true;
  return false;
}

/* Finds the class or set that every match must begin with.  The pattern has
** been tried, so what is wrong with it has been found. */
static void matcher_find_item(Matcher *m) {
  const char *p = m->pat;
  while (*p == '(' && p[1] != ')') p++;
  m->first_item = p;
  m->first_item_end = required_item(m, p);
  m->first_repeats = m->first_item_end != NULL && *m->first_item_end == '+' &&
                     !pattern_refers_back(m);
}

/* If the first item is repeated and the match failed, what follows has been
** tried behind each character of the run: it will fail as well if the match
** begins later in the run.  This is what keeps "%s+$" from taking a time that
** grows with the square of the run's length. */
static const char *matcher_leave_run(const Matcher *m, const char *s) {
  if (!m->first_repeats || m->failed == NULL || m->failed + 1 != s) return s;
  if (!item_matches(m, m->failed, m->first_item, m->first_item_end)) return s;
  return span_item(m, s, m->first_item, m->first_item_end);
}

/* The next character that the first item matches. */
static const char *matcher_skip(const Matcher *m, const char *s) {
  const char *p = m->first_item, *end = m->src_end;
  const int letter = match_byte(p + 1);
  const int class = *p == '%' ? class_of_letter[letter] : 0;
  if (class == 0)
    while (s < end && !item_matches(m, s, p, m->first_item_end)) s++;
  else if (letter_is_complement(letter))
    while (s < end && class_has(m, match_byte(s), class)) s++;
  else
    while (s < end && !class_has(m, match_byte(s), class)) s++;
  return s < end ? s : NULL;
}

/* The first call is not worth a preparation: often there is a match at once. */
const char *matcher_next_start(Matcher *m, const char *s) {
  if (m->calls < 2 && m->calls++ == 1) matcher_find_item(m);
  s = matcher_leave_run(m, s);
  if (m->first_char >= 0) {
    if (s == m->src_end) return NULL;
    return memchr(s, m->first_char, (size_t)(m->src_end - s));
  }
  if (m->calls == 1 || m->first_item_end == NULL) return s;
  return matcher_skip(m, s);
}

void matcher_push_capture(Matcher *m, int i, const char *s, const char *e) {
  if (i >= m->level) {
    if (luai_unlikely(i != 0))
      luaL_error(m->L, "invalid capture index %%%d", i + 1);
    lua_pushlstring(m->L, s, (size_t)(e - s));
    return;
  }
  const ptrdiff_t len = matcher_capture_len(m, i);
  if (luai_unlikely(len == CAPTURE_OPEN))
    luaL_error(m->L, "unfinished capture");
  if (len == CAPTURE_POSITION)
    lua_pushinteger(m->L, m->capture[i].start - m->src + 1);
  else
    lua_pushlstring(m->L, m->capture[i].start, (size_t)len);
}

int matcher_push_captures(Matcher *m, const char *s, const char *e) {
  const int n = m->level == 0 && s != NULL ? 1 : m->level;
  if (n > LUA_MINSTACK / 2) luaL_checkstack(m->L, n, "too many captures");
  for (int i = 0; i < n; i++) matcher_push_capture(m, i, s, e);
  return n;
}
