/* SPDX-License-Identifier: MIT */
/*
** weak_modes.c -- __mode is changed at any time, and nobody touches the table
**
** A table has entries of all sorts: keys and values that something else holds,
** or nothing.  After some units of a cycle, the field __mode of its metatable
** gets another value or goes away.  Each pair of modes is tried after each unit,
** in major and minor cycles, in a small table and in one visited in pieces.
**
** A reader must never see a freed object.  An entry that both modes keep stays.
** After a collection with the new mode alone, exactly the entries are left that
** it keeps, without those that the old mode has cleared.  Then nothing holds the
** keys and values any more, and only the table decides.  At last the same
** entries are made anew.
*/
#include "object_test.h"

enum {
  SORTS = 4, /* of entries with objects as keys: bits of EntrySort */
  SMALL = 3, /* entries of each sort */
  LARGE = 150,
  ENTRIES_MAX = LARGE * (SORTS + 2)
};

/* What something else holds. */
enum EntrySort { KEY_HELD = 1, VALUE_HELD = 2, KEY_IS_INTEGER = 4 };

static const char *const modes[] = {NULL, "k", "v", "vk"};
enum { MODES = 4 };

typedef struct Modes {
  ObjectTest test;
  Table *table;
  Table *meta;
  Value *held;  /* a table, in the stack */
  size_t count; /* entries of each sort */
  unsigned from;
  unsigned to;
  bool minor;
  bool reads; /* the program looks at the table meanwhile */
  uint8_t seen[ENTRIES_MAX];
} Modes;

/* Entry number e is of sort e % (SORTS + 2).  The last two sorts have the
** integer keys 1, 2 ..., so they are in the array. */
static unsigned sort_of(size_t e) {
  unsigned sort = (unsigned)(e % (SORTS + 2));
  if (sort < SORTS) return sort;
  return KEY_IS_INTEGER | KEY_HELD | (sort == SORTS ? VALUE_HELD : 0u);
}

static lua_Integer integer_key(size_t e) {
  return (lua_Integer)(e / (SORTS + 2) * 2 + e % (SORTS + 2) - SORTS + 1);
}

static bool mode_keeps_sort(unsigned mode, unsigned sort) {
  if (mode == 0) return true;
  bool key_stays = !strchr(modes[mode], 'k') || sort & KEY_HELD;
  bool value_stays = !strchr(modes[mode], 'v') || sort & VALUE_HELD;
  return key_stays && value_stays;
}

static bool mode_keeps(unsigned mode, size_t e) {
  return mode_keeps_sort(mode, sort_of(e));
}

/* The same if nothing else holds keys and values. */
static bool mode_keeps_alone(unsigned mode, size_t e) {
  unsigned sort = sort_of(e) & KEY_IS_INTEGER;
  return mode_keeps_sort(mode, sort ? sort | KEY_HELD : 0);
}

/* -- Making ---------------------------------------------------------------- */

/* Pushes a table that contains its number. */
static Value *push_numbered(Modes *m, size_t number, bool held) {
  lua_State *L = m->test.L;
  Value n = make_integer((lua_Integer)number);
  Value *v = push_value(L, make_table_value(table_new(L)));
  table_set_int(L, value_table(v), 1, &n);
  Value one = make_integer(1);
  if (held) table_set(L, value_table(m->held), v, &one);
  return v;
}

static void add_entry(Modes *m, size_t e) {
  lua_State *L = m->test.L;
  unsigned sort = sort_of(e);
  Value *key = sort & KEY_IS_INTEGER
                   ? push_value(L, make_integer(integer_key(e)))
                   : push_numbered(m, e, sort & KEY_HELD);
  Value *value = push_numbered(m, e, sort & VALUE_HELD);
  table_set(L, m->table, key, value);
  object_test_pop(L, 2);
}

static void set_mode(Modes *m, unsigned mode) {
  lua_State *L = m->test.L;
  Value v = make_nil();
  if (modes[mode]) v = make_string_value(string_from_c(L, modes[mode]));
  set_field(L, m->meta, "__mode", v);
}

static size_t entry_count(const Modes *m) { return m->count * (SORTS + 2); }

static void add_entries(Modes *m) {
  for (size_t e = 0; e < entry_count(m); e++) add_entry(m, e);
}

static void remove_entries(Modes *m) {
  Value slot[2] = {make_nil(), make_nil()}, nil = make_nil();
  for (size_t at = 0; (at = table_next_at(m->test.L, m->table, at, slot)) != 0;)
    table_set(m->test.L, m->table, &slot[0], &nil);
}

static void open_modes(Modes *m) {
  ObjectTest *test = &m->test;
  object_test_open(test, MODE_PLAIN);
  test->gc->debug.step_always = test->gc->debug.verify = false;
  gc_stop(test->gc);
  gc_set_generational(test->gc, m->minor);
  m->held = push_value(test->L, make_table_value(table_new(test->L)));
  m->meta = push_table(test->L);
  m->table = push_table(test->L);
  table_set_metatable(test->L, m->table, m->meta);
  add_entries(m);
  if (m->minor) { /* the table becomes old, with all entries, and is strong */
    test->gc->choice.minors_pay = true;
    gc_collect(test->gc);
    assert_true(test->gc->marks_kept);
  }
  set_mode(m, m->from);
}

/* -- Looking --------------------------------------------------------------- */

static size_t read_number(Modes *m, const Value *v) {
  Value n;
  assert_int_equal(v->tag, TAG_TABLE);
  assert_int_equal(value_table(v)->cell.kind, KIND_TABLE);
  assert_true(table_get_int(m->test.L, value_table(v), 1, &n));
  assert_int_equal(n.tag, TAG_INTEGER);
  assert_in_range(n.as.i, 0, entry_count(m) - 1);
  return (size_t)n.as.i;
}

/* Notes which entries are there, and checks that they are whole. */
static void look(Modes *m) {
  Value slot[2] = {make_nil(), make_nil()};
  memset(m->seen, 0, sizeof m->seen);
  for (size_t at = 0;
       (at = table_next_at(m->test.L, m->table, at, slot)) != 0;) {
    size_t e = read_number(m, &slot[1]);
    if (sort_of(e) & KEY_IS_INTEGER)
      assert_int_equal(slot[0].as.i, integer_key(e));
    else
      assert_int_equal(read_number(m, &slot[0]), e);
    m->seen[e]++;
  }
}

static void fail_entry(const Modes *m, size_t e, const char *what) {
  const char *from = m->from ? modes[m->from] : "none";
  const char *to = m->to ? modes[m->to] : "none";
  fail_msg("%s entry %zu of sort %u: from %s to %s, %s%s%s", what, e,
           sort_of(e), from, to, m->count == SMALL ? "small" : "large",
           m->minor ? ", minor" : "", m->reads ? ", read" : "");
}

/* Entries that both modes keep are there.  With `exactly`, those that the new
** mode does not keep are gone. */
static void check_entries(Modes *m, bool exactly) {
  look(m);
  for (size_t e = 0; e < entry_count(m); e++) {
    bool stays = mode_keeps(m->from, e) && mode_keeps(m->to, e);
    if (m->seen[e] != 1 && stays) fail_entry(m, e, "lost");
    if (m->seen[e] > 1) fail_entry(m, e, "doubled");
    if (exactly && m->seen[e] && !mode_keeps(m->to, e))
      fail_entry(m, e, "left");
  }
}

/* Entries that were there are left if the table alone keeps them. */
static void check_alone(Modes *m) {
  uint8_t before[ENTRIES_MAX];
  memcpy(before, m->seen, sizeof before);
  look(m);
  for (size_t e = 0; e < entry_count(m); e++) {
    bool stays = before[e] && mode_keeps_alone(m->to, e);
    if (m->seen[e] && !stays) fail_entry(m, e, "left without its holder");
    if (!m->seen[e] && stays) fail_entry(m, e, "lost without its holder");
  }
}

/* -- Running --------------------------------------------------------------- */

/* False if the cycle has ended. */
static bool unit(Modes *m) {
  gc_step_work(m->test.gc, 1);
  return m->test.gc->phase != PHASE_PAUSE;
}

/* Finishes the cycle; then another one of that type, and a major one. */
static void finish(Modes *m) {
  Gc *gc = m->test.gc;
  for (int i = 0; i < 2; i++) {
    while (gc->phase != PHASE_PAUSE || i == 1) {
      if (!unit(m)) break;
      if (m->reads) look(m);
    }
    gc_verify(gc);
    check_entries(m, false);
  }
  gc_collect(gc);
  gc_verify(gc);
  check_entries(m, true);
  table_check(m->test.L, m->table);
}

/* The mode stays as it is now. */
static void go_on(Modes *m) {
  Gc *gc = m->test.gc;
  *m->held = make_table_value(table_new(m->test.L));
  gc_collect(gc);
  check_alone(m);
  remove_entries(m);
  add_entries(m);
  m->from = m->to;
  gc_collect(gc);
  check_entries(m, true);
  gc_verify(gc);
}

/* Changes the mode after `units`.  False if the cycle has fewer. */
static bool run(Modes *m, size_t units) {
  bool under_way = true;
  unsigned from = m->from;
  open_modes(m);
  m->test.gc->major_next = !m->minor;
  for (size_t i = 0; i < units && under_way; i++) under_way = unit(m);
  set_mode(m, m->to);
  finish(m);
  go_on(m);
  m->from = from;
  object_test_close(&m->test);
  return under_way;
}

static void try_all_units(Modes *m) {
  size_t units = 0;
  size_t stride = m->count == SMALL || getenv("PENUMBRA_FULL") ? 1 : 3;
  if (getenv("PENUMBRA_VALGRIND")) stride = 7;
  while (run(m, units)) units += stride;
  assert_true(units > 10);
}

static void try_modes(size_t count, bool minor) {
  static Modes m;
  for (unsigned i = 0; i < 2 * MODES * MODES; i++) {
    m.from = i % MODES;
    m.to = i / MODES % MODES;
    m.reads = i / MODES / MODES;
    m.count = count;
    m.minor = minor;
    if (m.from != m.to) try_all_units(&m);
  }
}

/* -- Growing --------------------------------------------------------------- */

/* All entries of the old and new keys are there that the mode keeps. */
static void check_doubled(Modes *m) {
  look(m);
  for (size_t e = 0; e < entry_count(m); e++) {
    size_t count = sort_of(e) & KEY_IS_INTEGER ? 1 : 2;
    if (m->seen[e] != (mode_keeps(m->to, e) ? count : 0))
      fail_entry(m, e, "too few or too many of");
  }
}

/* Adds as many entries again after `units`, so that entries move.  False if the
** cycle has fewer. */
static bool grow(Modes *m, size_t units) {
  bool under_way = true;
  open_modes(m);
  m->test.gc->major_next = !m->minor;
  for (size_t i = 0; i < units && under_way; i++) under_way = unit(m);
  add_entries(m);
  look(m);
  while (m->test.gc->phase != PHASE_PAUSE) unit(m);
  gc_verify(m->test.gc);
  look(m);
  gc_collect(m->test.gc);
  gc_verify(m->test.gc);
  check_doubled(m);
  object_test_close(&m->test);
  return under_way;
}

static void test_tables_grow(void **state) {
  static Modes m;
  (void)state;
  for (unsigned i = 0; i < 4 * MODES; i++) {
    m.from = m.to = i % MODES;
    m.count = i / MODES % 2 ? SMALL : LARGE;
    m.minor = i / MODES / 2;
    for (size_t units = 0; grow(&m, units);) units++;
  }
}

static void test_small_tables(void **state) {
  (void)state;
  try_modes(SMALL, false);
}

static void test_large_tables(void **state) {
  (void)state;
  try_modes(LARGE, false);
}

static void test_minor_cycles(void **state) {
  (void)state;
  try_modes(SMALL, true);
  try_modes(LARGE, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_tables),
      cmocka_unit_test(test_large_tables),
      cmocka_unit_test(test_minor_cycles),
      cmocka_unit_test(test_tables_grow),
  };
  return cmocka_run_group_tests_name("modes of weak tables", tests, NULL, NULL);
}
