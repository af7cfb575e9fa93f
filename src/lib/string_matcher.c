/* SPDX-License-Identifier: MIT */
/*
** string_matcher.c -- the pattern matcher
**
** A pattern is a sequence of items.  An item is read into a node of a program
** when a match reaches it for the first time, so errors in a pattern are found
** no earlier.  Programs are kept for the next use of the pattern, see
** string_program.c.
**
**      match_nodes       one node after the other; recursion for a choice that
**                        may have to be undone, with the captures opened and
**                        closed since
**      match_most        repetition; the item that follows often leaves one
**                        choice only
**      node_read         the next item of the pattern
**      node_look_ahead   what must follow a node
**
** Subject and pattern are readable at their ends, because strings end with a
** zero.
*/

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "lib.h"
#include "string_matcher.h"
#include "object/thread.h"

#if defined __GNUC__
#define NOT_INLINE __attribute__((noinline))
#else
#define NOT_INLINE
#endif

static const char *match_here(Matcher *m, const char *s, PatternNode *node);

/* -- Budgets --------------------------------------------------------------- */

enum {
  MATCH_STEP_UNITS = 8,  /* cost of a step */
  MATCH_STEP_NODES = 16, /* ... and for this many nodes another unit */
  MATCH_PIECE = 1 << 13, /* characters between two checks of a budget */
};

static NOT_INLINE void matcher_check(const Matcher *m) {
  penumbra_spend(m->L, 0);
}

/* Charges for `units` units of work that was done. */
static inline void matcher_pay(const Matcher *m, ptrdiff_t units) {
  if (luai_unlikely((*m->fuel -= units) < 0)) matcher_check(m);
}

static inline void matcher_step(const Matcher *m) {
  matcher_pay(m, m->step_units);
}

/* Charges for `count` characters that were checked one by one.  A few are part
** of the cost of a step. */
static inline void matcher_pass(const Matcher *m, ptrdiff_t count) {
  enum { FEW = 64 };
  if (luai_unlikely(count > FEW)) matcher_pay(m, count);
}

static inline int match_byte(const char *s) { return (unsigned char)*s; }
static inline bool match_is_digit(const char *s) {
  return '0' <= *s && *s <= '9';
}

/* -- Classes and sets ---------------------------------------------------- */

/* The character classes of the C library, in the current locale.  glibc's table
** is read directly, because its macros look up the table's address for every
** character.  The address is valid until other code runs and may change the
** locale. */
#if defined __GLIBC__
enum {
  CLASS_ALPHA = _ISalpha,
  CLASS_CNTRL = _IScntrl,
  CLASS_DIGIT = _ISdigit,
  CLASS_GRAPH = _ISgraph,
  CLASS_LOWER = _ISlower,
  CLASS_PUNCT = _ISpunct,
  CLASS_SPACE = _ISspace,
  CLASS_UPPER = _ISupper,
  CLASS_ALNUM = _ISalnum,
  CLASS_XDIGIT = _ISxdigit
};

static const unsigned short *classes_now(void) { return *__ctype_b_loc(); }

static inline bool class_has(const Matcher *m, int c, int class) {
  return (m->classes[c] & class) != 0;
}
#else
enum {
  CLASS_ALPHA = 1,
  CLASS_CNTRL,
  CLASS_DIGIT,
  CLASS_GRAPH,
  CLASS_LOWER,
  CLASS_PUNCT,
  CLASS_SPACE,
  CLASS_UPPER,
  CLASS_ALNUM,
  CLASS_XDIGIT
};

static const unsigned short *classes_now(void) { return NULL; }

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

/* The class that a letter names, or 0.  An upper case letter names the
** complement. */
static const unsigned short class_of_letter[UCHAR_MAX + 1] = {
    ['a'] = CLASS_ALPHA,  ['A'] = CLASS_ALPHA,  ['c'] = CLASS_CNTRL,
    ['C'] = CLASS_CNTRL,  ['d'] = CLASS_DIGIT,  ['D'] = CLASS_DIGIT,
    ['g'] = CLASS_GRAPH,  ['G'] = CLASS_GRAPH,  ['l'] = CLASS_LOWER,
    ['L'] = CLASS_LOWER,  ['p'] = CLASS_PUNCT,  ['P'] = CLASS_PUNCT,
    ['s'] = CLASS_SPACE,  ['S'] = CLASS_SPACE,  ['u'] = CLASS_UPPER,
    ['U'] = CLASS_UPPER,  ['w'] = CLASS_ALNUM,  ['W'] = CLASS_ALNUM,
    ['x'] = CLASS_XDIGIT, ['X'] = CLASS_XDIGIT,
};

static inline bool letter_is_complement(int letter) {
  return (letter & ('a' ^ 'A')) == 0;
}

/* True if c matches the letter after a '%'; any other character matches
** itself. */
static inline bool class_matches(const Matcher *m, int c, int letter) {
  const int class = class_of_letter[letter];
  if (luai_likely(class != 0))
    return class_has(m, c, class) != letter_is_complement(letter);
  if (letter == 'z') return c == 0; /* old, for patterns without zeros */
  if (letter == 'Z') return c != 0;
  return letter == c;
}

/* True if c belongs to the set that begins at p and ends at its ']'. */
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

/* A short set is part of the cost of a step. */
static bool set_has_slowly(const Matcher *m, const PatternNode *node, int c) {
  enum { SHORT = 32 };
  const char *pat = m->program->pat;
  const ptrdiff_t length = node->last - node->from;
  if (luai_unlikely(length > SHORT)) matcher_pay(m, length);
  return set_matches(m, c, pat + node->from, pat + node->last);
}

static void set_learn(const Matcher *m, const PatternNode *node, int c) {
  SetPart *part = &m->program->set[node->set].part[c / SET_PART];
  const uint64_t bit = UINT64_C(1) << c % SET_PART;
  part->known |= bit;
  if (set_has_slowly(m, node, c)) part->members |= bit;
}

/* The contents of a set are cached, unless the pattern has too many sets. */
static inline bool set_has(const Matcher *m, const PatternNode *node, int c) {
  if (luai_unlikely(node->set == PROGRAM_SETS))
    return set_has_slowly(m, node, c);
  const SetPart *part = &m->program->set[node->set].part[c / SET_PART];
  if (!(part->known >> c % SET_PART & 1)) set_learn(m, node, c);
  return part->members >> c % SET_PART & 1;
}

/* -- Reading items ------------------------------------------------------- */

/* Finds the end of a set; p is after its '['.  A ']' at the beginning is an
** ordinary character. */
static const char *set_end(const Matcher *m, const char *p) {
  const char *first = p;
  if (*p == '^') p++;
  do {
    if (luai_unlikely(p == m->program->pat_end))
      luaL_error(m->L, "malformed pattern (missing ']')");
    if (*p++ == '%' && p < m->program->pat_end) p++;
    if (luai_unlikely((p - first) % MATCH_PIECE == 0)) matcher_check(m);
  } while (*p != ']');
  *m->fuel -= p - first;
  return p + 1;
}

/* Stores where a set is. */
static void read_range(const Matcher *m, PatternNode *node, const char *p,
                       const char *next) {
  node->from = (uint32_t)(p - m->program->pat);
  node->last = (uint32_t)(next - 1 - m->program->pat);
}

static void read_new_set(Matcher *m, PatternNode *node) {
  Program *program = m->program;
  node->set = PROGRAM_SETS;
  if (program->set_count == PROGRAM_SETS) return;
  node->set = program->set_count++;
  memset(&program->set[node->set], 0, sizeof(SetMemory));
}

static inline void read_char(PatternNode *node, int c) {
  node->kind = KIND_CHAR;
  node->value = c;
}

/* Reads a '%' and a letter, which may be the only contents of a set. */
static inline void read_class(PatternNode *node, int letter) {
  const int class = class_of_letter[letter];
  if (luai_likely(class != 0)) {
    node->kind = letter_is_complement(letter) ? KIND_OTHERS : KIND_CLASS;
    node->letter = (unsigned char)letter;
    node->value = class;
  } else if (letter == 'Z') {
    node->kind = KIND_NOT_CHAR;
    node->value = 0;
  } else {
    read_char(node, letter == 'z' ? 0 : letter);
  }
}

/* A set may also be a single character, all but one, or a class. */
static const char *read_set(Matcher *m, PatternNode *node, const char *p) {
  const char *next = set_end(m, p + 1);
  if (next - p == 3) {
    read_char(node, match_byte(p + 1));
  } else if (next - p == 4 && p[1] == '^') {
    node->kind = KIND_NOT_CHAR;
    node->value = match_byte(p + 2);
  } else if (next - p == 4 && p[1] == '%') {
    read_class(node, match_byte(p + 2));
  } else {
    node->kind = KIND_SET;
    read_range(m, node, p, next);
    read_new_set(m, node);
  }
  return next;
}

/* Reads an item for one character, and its suffix; returns what follows it. */
static const char *read_single(Matcher *m, PatternNode *node, const char *p) {
  switch (*p) {
    case '.':
      node->kind = KIND_ANY;
      p++;
      break;
    case '%':
      if (luai_unlikely(p + 1 == m->program->pat_end))
        luaL_error(m->L, "malformed pattern (ends with '%%')");
      read_class(node, match_byte(p + 1));
      p += 2;
      break;
    case '[': p = read_set(m, node, p); break;
    default: read_char(node, match_byte(p)); p++;
  }
  switch (*p) {
    case '*': node->op = NODE_MOST; return p + 1;
    case '+': node->op = NODE_SOME; return p + 1;
    case '-': node->op = NODE_FEWEST; return p + 1;
    case '?': node->op = NODE_OPTIONAL; return p + 1;
    default: node->op = NODE_ONE; return p;
  }
}

/* Reads %b, %f and %0 ... %9; NULL if it is none of them. */
static const char *read_escape(const Matcher *m, PatternNode *node,
                               const char *p) {
  const int c = match_byte(p + 1);
  if (c == 'b') {
    if (luai_unlikely(m->program->pat_end - p < 4))
      luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    node->op = NODE_BALANCED;
    read_char(node, match_byte(p + 2));
    read_range(m, node, p + 2, p + 4);
    return p + 4;
  }
  if (c == 'f') {
    p += 2;
    if (luai_unlikely(*p != '['))
      luaL_error(m->L, "missing '[' after '%%f' in pattern");
    const char *next = set_end(m, p + 1);
    node->op = NODE_FRONTIER;
    read_range(m, node, p, next);
    return next;
  }
  if (!match_is_digit(p + 1)) return NULL;
  node->op = NODE_CAPTURED;
  node->value = c;
  return p + 2;
}

static const char *read_op(PatternNode *node, NodeOp op, const char *next) {
  node->op = op;
  return next;
}

static const char *read_any(Matcher *m, PatternNode *node, const char *p) {
  if (p == m->program->pat_end) return read_op(node, NODE_END, p);
  switch (*p) {
    case '(':
      if (p[1] == ')') return read_op(node, NODE_POSITION, p + 2);
      return read_op(node, NODE_OPEN, p + 1);
    case ')': return read_op(node, NODE_CLOSE, p + 1);
    case '$':
      if (p + 1 != m->program->pat_end) break;
      return read_op(node, NODE_AT_END, p + 1);
    case '%': {
      const char *next = read_escape(m, node, p);
      if (next) return next;
    }
  }
  return read_single(m, node, p);
}

/* A long pattern has a node now and then that pays for those before it. */
static bool program_pays(Program *program, bool is_long,
                         const PatternNode *node) {
  const ptrdiff_t place = node - program_nodes(program);
  return is_long && place % PROGRAM_PAID == PROGRAM_PAID - 1;
}

/* Reads the next item of the pattern.  After an error the item stays unread. */
static NOT_INLINE void node_read(Matcher *m, PatternNode *node) {
  Program *program = m->program;
  PatternNode new = {.op = NODE_END};
  if (program_pays(program, m->own, node)) {
    node->op = NODE_PAY;
    node[1].op = NODE_UNREAD;
    return;
  }
  program->next = read_any(m, &new, program->next);
  if (new.op != NODE_END) node[1].op = NODE_UNREAD;
  *node = new;
}

/* -- Nodes that stand for one character ---------------------------------- */

static inline bool node_has(const Matcher *m, const PatternNode *node, int c) {
  if (luai_likely(node->kind == KIND_CLASS))
    return class_has(m, c, node->value);
  switch (node->kind) {
    case KIND_CHAR: return c == node->value;
    case KIND_NOT_CHAR: return c != node->value;
    case KIND_ANY: return true;
    case KIND_OTHERS: return !class_has(m, c, node->value);
    default: return set_has(m, node, c);
  }
}

static inline bool node_matches(const Matcher *m, const PatternNode *node,
                                const char *s) {
  return s < m->src_end && node_has(m, node, match_byte(s));
}

/* The place of the first character c from s on, or the end. */
static inline const char *find_char(const Matcher *m, const char *s, int c) {
  const char *end = m->src_end;
  while (luai_unlikely(end - s > 16 * MATCH_PIECE)) {
    const char *hit = memchr(s, c, 16 * MATCH_PIECE);
    if (hit) return hit;
    s += 16 * MATCH_PIECE;
    matcher_pay(m, MATCH_PIECE);
  }
  const char *hit = s < end ? memchr(s, c, (size_t)(end - s)) : NULL;
  if (!hit) hit = end;
  matcher_pass(m, (hit - s) / 16);
  return hit;
}

/* Works in pieces, because a budget may end on the way. */
#define PASS_WHILE(test)                                              \
  for (;;) {                                                          \
    const char *stop = end - s > MATCH_PIECE ? s + MATCH_PIECE : end; \
    const char *first = s;                                            \
    while (s < stop && (test)) s++;                                   \
    matcher_pass(m, s - first);                                       \
    if (luai_likely(s < stop || s == end)) return s;                  \
  }

static NOT_INLINE const char *span_other(const Matcher *m,
                                         const PatternNode *node,
                                         const char *s) {
  const char *end = m->src_end;
  const int value = node->value;
  switch (node->kind) {
    case KIND_CHAR: PASS_WHILE(match_byte(s) == value)
    case KIND_NOT_CHAR: return find_char(m, s, value);
    case KIND_ANY: return end;
    case KIND_OTHERS: PASS_WHILE(!class_has(m, match_byte(s), value))
    default: PASS_WHILE(set_has(m, node, match_byte(s)))
  }
}

/* The end of the longest run from s on that the node matches.  Most runs are
** short, and of a class. */
static inline const char *node_span(const Matcher *m, const PatternNode *node,
                                    const char *s) {
  const char *end = m->src_end;
  const int class = node->value;
  if (node->kind != KIND_CLASS) return span_other(m, node, s);
  PASS_WHILE(class_has(m, match_byte(s), class))
}

static NOT_INLINE const char *find_other(const Matcher *m,
                                         const PatternNode *node,
                                         const char *s) {
  const char *end = m->src_end;
  const int value = node->value;
  switch (node->kind) {
    case KIND_CHAR: return find_char(m, s, value);
    case KIND_NOT_CHAR: PASS_WHILE(match_byte(s) == value)
    case KIND_ANY: return s;
    case KIND_OTHERS: PASS_WHILE(class_has(m, match_byte(s), value))
    default: PASS_WHILE(!set_has(m, node, match_byte(s)))
  }
}

/* The first place from s on that the node matches, or the end. */
static inline const char *node_find(const Matcher *m, const PatternNode *node,
                                    const char *s) {
  const char *end = m->src_end;
  const int class = node->value;
  if (node->kind != KIND_CLASS) return find_other(m, node, s);
  PASS_WHILE(!class_has(m, match_byte(s), class))
}

/* The last place up to s that the node matches; NULL if there is none from
** `least` on. */
static const char *node_find_back(const Matcher *m, const PatternNode *node,
                                  const char *least, const char *s) {
  if (s == m->src_end) {
    if (s == least) return NULL;
    s--;
  }
  const char *last = s;
  while (!node_has(m, node, match_byte(s))) {
    if (s == least) {
      matcher_pass(m, last - s);
      return NULL;
    }
    s--;
    if (luai_unlikely((uintptr_t)s % MATCH_PIECE == 0))
      matcher_pay(m, MATCH_PIECE);
  }
  matcher_pass(m, last - s);
  return s;
}

/* -- What lies ahead ----------------------------------------------------- */

/* The node, starting at `node`, that must match one character at the place
** where `node` is tried: checking it first avoids most failing attempts.  NULL
** if there is none.  Captures begin and end without taking a character.  If one
** cannot begin or end, an error must be raised, so the result is NULL. */
static PatternNode *node_required(Matcher *m, PatternNode *node) {
  int level = m->level;
  uint32_t open = m->open;
  for (;; node++) {
    if (node->op == NODE_UNREAD) node_read(m, node);
    switch (node->op) {
      case NODE_OPEN:
        if (level == MATCH_CAPTURES) return NULL;
        open |= UINT32_C(1) << level++;
        break;
      case NODE_CLOSE:
        if (open == 0) return NULL;
        open &= open - 1;
        break;
      case NODE_PAY: break;
      case NODE_ONE:
      case NODE_SOME:
      case NODE_BALANCED: return node;
      default: return NULL;
    }
  }
}

/* The characters that the C standard allows in a class: letters, digits, spaces
** and punctuation are disjoint. */
static int class_extent(int letter) {
  enum { LETTERS = 1, DIGITS = 2, SPACES = 4, PUNCTUATION = 8, ALL = 15 };
  switch (letter) {
    case 'a':
    case 'l':
    case 'u': return LETTERS;
    case 'd': return DIGITS;
    case 'w':
    case 'x': return LETTERS | DIGITS;
    case 's': return SPACES;
    case 'p': return PUNCTUATION;
    default: return ALL;
  }
}

/* True if a cheap test shows that no character matches both. */
static bool nodes_are_apart(const Matcher *m, const PatternNode *a,
                            const PatternNode *b) {
  if (b->kind == KIND_CHAR) return !node_has(m, a, b->value);
  if (a->kind == KIND_CHAR) return !node_has(m, b, a->value);
  if (a->kind == KIND_CLASS && b->kind == KIND_CLASS)
    return (class_extent(a->letter) & class_extent(b->letter)) == 0;
  return a->value == b->value &&
         ((a->kind == KIND_CLASS && b->kind == KIND_OTHERS) ||
          (a->kind == KIND_OTHERS && b->kind == KIND_CLASS));
}

/* Finds out what follows a node.  The captures that are open there are always
** the same, so the result is stored. */
static NOT_INLINE void node_look_ahead(Matcher *m, PatternNode *node) {
  enum { FAR = UCHAR_MAX };
  PatternNode *rest = node + 1;
  PatternNode *required = node_required(m, rest);
  if (rest->op == NODE_END) {
    node->ahead = AHEAD_NOTHING;
  } else if (rest->op == NODE_AT_END) {
    node->ahead = AHEAD_AT_END;
  } else if (!required || required - node > FAR) {
    node->ahead = AHEAD_ANYTHING;
  } else {
    node->distance = (unsigned char)(required - node);
    node->ahead = nodes_are_apart(m, node, required) ? AHEAD_APART : AHEAD_NODE;
  }
}

/* -- Repetition ---------------------------------------------------------- */

/* Tries the rest of the pattern with fewer and fewer repetitions, only where
** the node ahead matches. */
static const char *match_fewer(Matcher *m, PatternNode *node, const char *least,
                               const char *s) {
  for (;; s--) {
    if (node->ahead == AHEAD_NODE) {
      s = node_find_back(m, node + node->distance, least, s);
      if (!s) return NULL;
    }
    const char *end = match_here(m, s, node + 1);
    if (end || s == least) return end;
  }
}

/* Tries as many repetitions as possible, then fewer; from `least` on they are
** optional.  Returns the end of the match.  If there is only one choice, *only
** stays true, and the result is the place where the rest must match. */
static inline const char *match_most(Matcher *m, PatternNode *node,
                                     const char *least, bool *only) {
  const char *s = node_span(m, node, least);
  if (s == least) return s;
  if (luai_unlikely(node->ahead == AHEAD_UNREAD)) node_look_ahead(m, node);
  switch (node->ahead) {
    case AHEAD_NOTHING: return s;
    case AHEAD_AT_END: return s == m->src_end ? s : NULL;
    case AHEAD_APART:
      return node_matches(m, node + node->distance, s) ? s : NULL;
    default: *only = false; return match_fewer(m, node, least, s);
  }
}

/* Tries as few repetitions as possible, then more. */
static const char *match_fewest(Matcher *m, PatternNode *node, const char *s) {
  if (node->ahead == AHEAD_UNREAD) node_look_ahead(m, node);
  const bool known = node->ahead == AHEAD_NODE || node->ahead == AHEAD_APART;
  const PatternNode *ahead = node + node->distance;
  for (;; s++) {
    matcher_step(m);
    if (known && node->kind == KIND_ANY) s = node_find(m, ahead, s);
    if (!known || node_matches(m, ahead, s)) {
      const char *end = match_here(m, s, node + 1);
      if (end) return end;
    }
    if (!node_matches(m, node, s)) return NULL;
  }
}

/* -- Captures ------------------------------------------------------------ */

static inline void capture_open(Matcher *m, const char *s) {
  if (luai_unlikely(m->level >= MATCH_CAPTURES))
    luaL_error(m->L, "too many captures");
  m->capture[m->level].start = s;
  m->open |= UINT32_C(1) << m->level++;
}

/* Closes the innermost open capture. */
static inline void capture_close(Matcher *m, const char *s) {
  if (luai_unlikely(m->open == 0)) luaL_error(m->L, "invalid pattern capture");
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

/* Matches the same text as the capture with that digit. */
static const char *match_capture(const Matcher *m, const char *s, int digit) {
  const int i = digit - '1';
  if (luai_unlikely(i < 0 || i >= m->level || m->open >> i & 1))
    luaL_error(m->L, "invalid capture index %%%d", i + 1);
  const ptrdiff_t len = m->capture[i].len;
  *m->fuel -= MATCH_STEP_UNITS;
  if (len < 0 || m->src_end - s < len) return NULL;
  ptrdiff_t done = 0;
  for (; len - done > MATCH_PIECE; done += MATCH_PIECE) {
    if (memcmp(m->capture[i].start + done, s + done, MATCH_PIECE) != 0)
      return NULL;
    matcher_pay(m, MATCH_PIECE / 16);
  }
  size_t rest = (size_t)(len - done);
  matcher_pass(m, (len - done) / 16);
  if (memcmp(m->capture[i].start + done, s + done, rest) != 0) return NULL;
  return s + len;
}

/* -- Other items --------------------------------------------------------- */

/* %b: from an opening character to the closing one that balances it. */
static const char *match_balanced(const Matcher *m, const char *s,
                                  const char *p) {
  if (s >= m->src_end || *s != p[0]) return NULL;
  int open = 1;
  const char *first = s;
  while (++s < m->src_end) {
    if (luai_unlikely((s - first) % MATCH_PIECE == 0))
      matcher_pay(m, MATCH_PIECE);
    if (*s == p[1]) {
      if (--open == 0) {
        matcher_pass(m, (s - first) % MATCH_PIECE);
        return s + 1;
      }
    } else if (*s == p[0]) {
      open++;
    }
  }
  matcher_pass(m, (s - first) % MATCH_PIECE);
  return NULL;
}

/* %f: true between a character outside the set and one inside.  The subject
** counts as surrounded by zeros. */
static bool match_frontier(const Matcher *m, const char *s,
                           const PatternNode *node) {
  const int before = s == m->src ? '\0' : match_byte(s - 1);
  const int after = s == m->src_end ? '\0' : match_byte(s);
  return !set_has_slowly(m, node, before) && set_has_slowly(m, node, after);
}

/* -- Sequences ----------------------------------------------------------- */

/* Matches a node that takes no character, or several different ones; NULL if it
** does not match. */
static const char *match_special(Matcher *m, const PatternNode *node,
                                 const char *s) {
  switch (node->op) {
    case NODE_POSITION: capture_position(m, s); return s;
    case NODE_PAY: matcher_pay(m, 2 * PROGRAM_PAID); return s;
    case NODE_AT_END: return s == m->src_end ? s : NULL;
    case NODE_BALANCED:
      return match_balanced(m, s, m->program->pat + node->from);
    case NODE_FRONTIER: return match_frontier(m, s, node) ? s : NULL;
    default: return match_capture(m, s, node->value);
  }
}

/* Continues as long as there is only one choice. */
static const char *match_nodes(Matcher *m, const char *s, PatternNode *node) {
  for (;; node++) {
    bool only = true;
    if (luai_unlikely(node->op == NODE_UNREAD)) node_read(m, node);
    switch (node->op) {
      case NODE_END: return s;
      case NODE_ONE:
        if (!node_matches(m, node, s)) return NULL;
        s++;
        break;
      case NODE_OPEN: capture_open(m, s); break;
      case NODE_CLOSE: capture_close(m, s); break;
      case NODE_SOME:
        if (!node_matches(m, node, s)) return NULL;
        s++; /* fall through */
      case NODE_MOST:
        s = match_most(m, node, s, &only);
        if (!only || !s) return s;
        break;
      case NODE_FEWEST: return match_fewest(m, node, s);
      case NODE_OPTIONAL:
        if (node_matches(m, node, s)) {
          const char *end = match_here(m, s + 1, node + 1);
          if (end) return end;
        }
        break;
      default:
        s = match_special(m, node, s);
        if (!s) return NULL;
    }
  }
}

static const char *match_here(Matcher *m, const char *s, PatternNode *node) {
  const int level = m->level;
  const uint32_t open = m->open;
  matcher_step(m);
  if (luai_unlikely(m->depth-- == 0)) luaL_error(m->L, "pattern too complex");
  s = match_nodes(m, s, node);
  m->depth++;
  if (!s) {
    m->level = level;
    m->open = open;
  }
  return s;
}

/* -- For the functions of the library ------------------------------------ */

/* A program read in another locale is invalid. */
static void matcher_check_program(Matcher *m) {
  m->classes = classes_now();
  if (m->program->classes != m->classes || !m->classes)
    program_clear(m->program, m->classes);
  m->version = m->program->version;
}

void matcher_init(Matcher *m, lua_State *L, const char *src, size_t src_len,
                  const char *pat, size_t pat_len) {
  m->L = L;
  m->src = src;
  m->src_end = src + src_len;
  m->pat = pat;
  m->pat_len = pat_len;
  m->failed = NULL;
  m->fuel = &L->global->budget.fuel;
  m->program = program_find(L, pat, pat_len);
  m->own = m->program == NULL;
  if (luai_unlikely(m->own)) m->program = program_new(L, pat, pat_len);
  *m->fuel -= (ptrdiff_t)pat_len;
  m->step_units = MATCH_STEP_UNITS;
  if (!m->own) m->step_units += (int)pat_len / MATCH_STEP_NODES;
  matcher_check_program(m);
}

static NOT_INLINE void matcher_refresh(Matcher *m) {
  if (!m->own) m->program = program_find(m->L, m->pat, m->pat_len);
  matcher_check_program(m);
}

/* Without a table of classes a change of locale cannot be noticed. */
void matcher_resume(Matcher *m) {
  if (luai_unlikely(m->version != m->program->version ||
                    m->classes != classes_now() || !m->classes))
    matcher_refresh(m);
}

const char *matcher_try(Matcher *m, const char *s) {
  matcher_step(m);
  m->depth = MATCH_DEPTH - 1;
  m->level = 0;
  m->open = 0;
  const char *e = match_nodes(m, s, program_nodes(m->program));
  m->failed = e ? NULL : s;
  return e;
}

/* True if the pattern refers back to a capture. */
static bool pattern_refers_back(const Matcher *m) {
  const Program *program = m->program;
  for (const char *p = program->pat; p < program->pat_end; p++)
    if (*p == '%' && match_is_digit(p + 1)) return true;
  return false;
}

/* Finds the node that every match must begin with. */
static void matcher_read_first(Matcher *m) {
  Program *program = m->program;
  m->level = 0;
  m->open = 0;
  program->first = node_required(m, program_nodes(program));
  if (!program->first)
    program->begins = BEGINS_ANYHOW;
  else if (program->first->op == NODE_SOME && !pattern_refers_back(m))
    program->begins = BEGINS_RUN;
  else
    program->begins = BEGINS_NODE;
}

/* If the first item is repeated and the match failed, the rest of the pattern
** has been tried after each character of the run.  It fails as well if the
** match begins later in the run.  So the whole run is skipped, and "%s+$" does
** not take quadratic time in the length of the run. */
static inline const char *matcher_leave_run(const Matcher *m, const char *s) {
  if (!m->failed || m->failed + 1 != s) return s;
  return node_span(m, m->program->first, s);
}

const char *matcher_next_start(Matcher *m, const char *s) {
  const Program *program = m->program;
  if (luai_unlikely(program->begins == BEGINS_UNREAD)) matcher_read_first(m);
  if (program->begins == BEGINS_ANYHOW) return s;
  if (s == m->src_end) return NULL;
  if (program->begins == BEGINS_RUN) s = matcher_leave_run(m, s);
  s = node_find(m, program->first, s);
  return s < m->src_end ? s : NULL;
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
  const int n = m->level == 0 && s ? 1 : m->level;
  if (n > LUA_MINSTACK / 2) luaL_checkstack(m->L, n, "too many captures");
  for (int i = 0; i < n; i++) matcher_push_capture(m, i, s, e);
  return n;
}
