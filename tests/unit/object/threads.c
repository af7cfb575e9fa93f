/* SPDX-License-Identifier: MIT */
/*
** threads.c -- stacks, frames, upvalues, and errors that unwind them
*/
#include "object_test.h"

#include "object/format.h"

/* -- Frames, as the vm makes them ------------------------------------------ */

static void enter_frame(lua_State *L, size_t registers) {
  stack_ensure(L, registers + 1);
  Frame *f = frame_next(L);
  f->func = L->top;
  value_set_nil(L->top++);
  f->top = L->top + registers;
  f->status = FRAME_C;
  L->frame = f;
}

static void leave_frame(lua_State *L) {
  unsigned status = L->frame->status;
  L->top = L->frame->func;
  L->frame--;
  if (status & FRAME_WATCH) stack_uncover(L);
}

static Value new_numbered(lua_State *L, lua_Integer number) {
  Table *t = push_table(L);
  Value v = make_integer(number);
  table_set_int(L, t, 1, &v);
  L->top--;
  return make_table_value(t);
}

static void check_numbered(lua_State *L, const Value *v, lua_Integer number) {
  Value n;
  assert_int_equal(v->tag, TAG_TABLE);
  assert_true(table_get_int(L, value_table(v), 1, &n));
  assert_int_equal(n.as.i, number);
}

/* Deep recursion up and down.  Locals are written after each return, while the
** collector visits the stack in pieces. */
OBJECT_TEST(test_recursion_under_the_collector) {
  lua_State *L = test->L;
  TestRandom random = {object_test_seed() + test->mode};
  int steps = test->mode == MODE_PLAIN ? 60000 : 3000;
  size_t base = (size_t)(L->frame - L->frames);
  for (int i = 0; i < steps; i++) {
    size_t depth = (size_t)(L->frame - L->frames) - base;
    bool up = random_chance(&random, (i / 1000) % 2 ? 40 : 60);
    if (up || depth == 0) {
      enter_frame(L, 4);
      for (int k = 0; k < 4; k++) push_value(L, make_nil());
    } else {
      leave_frame(L);
      depth--;
    }
    if (L->frame - L->frames > (ptrdiff_t)base) {
      Value *local = L->frame->func + 1 + random_below(&random, 4);
      lua_Integer number =
          (lua_Integer)(L->frame - L->frames) * 10 + (local - L->frame->func);
      if (local->tag == TAG_TABLE) check_numbered(L, local, number);
      Value v = new_numbered(L, number);
      local = L->frame->func + 1 + (number % 10 - 1);
      *local = v;
    }
    if (random_chance(&random, 20)) gc_step_work(test->gc, 50);
    object_test_poll(test);
  }
  while (L->frame - L->frames > (ptrdiff_t)base) {
    for (int k = 1; k <= 4; k++) {
      Value *local = L->frame->func + k;
      if (local->tag == TAG_TABLE)
        check_numbered(L, local, (lua_Integer)(L->frame - L->frames) * 10 + k);
    }
    leave_frame(L);
  }
}

/* Threads take turns.  Each returns into frames that were visited while it was
** suspended. */
OBJECT_TEST(test_threads_take_turns) {
  lua_State *L = test->L;
  enum { THREADS = 6 };
  lua_State *thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    thread[i] = thread_new(L);
    Value v;
    value_set_thread(&v, thread[i]);
    push_value(L, v);
  }
  TestRandom random = {object_test_seed() + test->mode};
  int steps = test->mode == MODE_PLAIN ? 60000 : 3000;
  for (int i = 0; i < steps; i++) {
    lua_State *co = thread[random_below(&random, THREADS)];
    gc_stack_switch(test->gc, thread_cell(co));
    for (int k = 0; k < 4; k++) {
      size_t depth = (size_t)(co->frame - co->frames);
      if (depth < 40 && random_chance(&random, 50)) {
        enter_frame(co, 6);
        push_value(co, make_nil());
      } else if (depth > 0) {
        leave_frame(co);
      }
      if (co->frame == co->frames) continue;
      Value *local = co->frame->func + 1;
      lua_Integer number = co->frame - co->frames;
      if (local->tag == TAG_TABLE) check_numbered(co, local, number);
      Value v = new_numbered(co, number);
      co->frame->func[1] = v;
      if (random_chance(&random, 20)) gc_step_work(test->gc, 50);
      object_test_poll(test);
    }
    gc_stack_switch(test->gc, thread_cell(L));
    if (random_chance(&random, 20)) gc_step_work(test->gc, 50);
    object_test_poll(test);
  }
}

OBJECT_TEST(test_stack_grows_moves_and_shrinks) {
  lua_State *L = test->L;
  size_t start = (size_t)(L->top - L->stack);
  enum { COUNT = 5000 };
  UpValue *first = upvalue_find(L, L->stack);
  for (int i = 0; i < COUNT; i++) {
    stack_ensure(L, 1);
    push_value(L, make_integer(i));
    if (i % 500 == 0) stack_move(L);
  }
  assert_ptr_equal(first->v, L->stack);
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(L->stack[start + (size_t)i].as.i, i);
  size_t large = (size_t)(L->end - L->stack);
  L->top = L->stack + start;
  stack_shrink(L);
  assert_true((size_t)(L->end - L->stack) < large);
  assert_ptr_equal(first->v, L->stack);
  upvalue_close(L, L->stack);
}

/* Frames and stack are inside the thread's cell and do not overlap. */
static void check_places(const lua_State *L) {
  uintptr_t cell = (uintptr_t)thread_cell(L);
  uintptr_t frames = (uintptr_t)L->frames, stack = (uintptr_t)L->stack;
  uintptr_t frames_end = (uintptr_t)L->frame_limit;
  uintptr_t stack_end = (uintptr_t)(L->end + STACK_EXTRA);
  assert_int_equal(vector_capacity(L->frames), L->frame_limit - L->frames);
  assert_int_equal(vector_capacity(L->stack), L->end - L->stack + STACK_EXTRA);
  bool frames_inside = frames - cell < sizeof(Thread);
  bool stack_inside = stack - cell < sizeof(Thread);
  if (frames_inside) assert_true(frames_end <= cell + sizeof(Thread));
  if (stack_inside) assert_true(stack_end <= cell + sizeof(Thread));
  if (frames_inside && stack_inside)
    assert_true(frames_end + sizeof(VectorPart) <= stack);
}

/* Every frame stores its number behind its function. */
static void check_frames(const lua_State *L) {
  for (const Frame *f = L->frames + 1; f <= L->frame; f++)
    assert_int_equal(f->func[1].as.i, f - L->frames);
}

static void go_up_or_down(lua_State *L, TestRandom *random, bool up) {
  if (up) {
    enter_frame(L, 2 + random_below(random, 24));
    push_value(L, make_integer(L->frame - L->frames));
  } else if (L->frame > L->frames) {
    leave_frame(L);
  }
}

OBJECT_TEST(test_frames_and_stack_share_the_cell) {
  lua_State *L = test->L;
  TestRandom random = {object_test_seed() + test->mode};
  bool inside = false, frames_out = false, stack_out = false;
  for (int round = 0; round < 300; round++) {
    lua_State *co = thread_new(L);
    Value v;
    value_set_thread(&v, co);
    push_value(L, v);
    int turns = (int)random_below(&random, 120);
    for (int i = 0; i < turns; i++) {
      go_up_or_down(co, &random, random_chance(&random, i < 60 ? 70 : 30));
      if (random_chance(&random, 5)) stack_move(co);
      if (random_chance(&random, 10)) stack_shrink_some(co);
      check_places(co);
      check_frames(co);
      bool frames_in = (uintptr_t)co->frames - (uintptr_t)co < sizeof(Thread);
      bool stack_in = (uintptr_t)co->stack - (uintptr_t)co < sizeof(Thread);
      inside |= frames_in && stack_in;
      frames_out |= !frames_in && stack_in;
      stack_out |= frames_in && !stack_in;
    }
    while (co->frame > co->frames) leave_frame(co);
    co->top = co->stack + 1;
    stack_release(co);
    check_places(co);
    L->top--;
    object_test_poll(test);
  }
  assert_true(inside && frames_out && stack_out);
}

static void overflow_body(lua_State *L, void *data) {
  (void)data;
  for (;;) {
    stack_ensure(L, 100);
    for (int i = 0; i < 100; i++) push_value(L, make_integer(i));
  }
}

static void test_stack_overflow_is_an_error(void **unused) {
  (void)unused;
  ObjectTest test;
  object_test_open(&test, MODE_PLAIN);
  lua_State *L = test.L;
  ptrdiff_t top = stack_save(L, L->top);
  assert_int_equal(raise_protect(L, overflow_body, NULL), LUA_ERRRUN);
  raise_error_value(L, LUA_ERRRUN, stack_restore(L, top));
  assert_string_equal(string_bytes(value_string(L->top - 1)), "stack overflow");
  stack_recover(L);
  assert_true(L->end - L->stack <= LUAI_MAXSTACK);
  assert_false(stack_try_grow(L, LUAI_MAXSTACK));
  object_test_close(&test);
}

/* -- Upvalues -------------------------------------------------------------- */

OBJECT_TEST(test_upvalues_are_shared_and_closed) {
  lua_State *L = test->L;
  Value *a = push_value(L, make_integer(1));
  Value *b = push_value(L, make_integer(2));
  CClosure *keep = closure_new_c(L, NULL, 3); /* only to hold references */
  Value v;
  value_set_cell(&v, keep, TAG_C_CLOSURE);
  push_value(L, v);
  UpValue *of_a = upvalue_find(L, a);
  UpValue *of_b = upvalue_find(L, b);
  assert_ptr_equal(upvalue_find(L, a), of_a);
  assert_ptr_equal(upvalue_find(L, b), of_b);
  assert_ptr_equal(L->open_upvalues, of_b);
  value_set_cell(&keep->upvalue[0], of_a, TAG_UPVALUE);
  gc_barrier_forward(test->gc, &keep->cell, &of_a->cell);
  Value text = make_string_value(string_from_c(L, "through the upvalue"));
  upvalue_set(test->gc, of_a, &text);
  assert_ptr_equal(value_string(a), value_string(&text));
  upvalue_close(L, b);
  assert_false(upvalue_is_open(of_b));
  assert_true(upvalue_is_open(of_a));
  upvalue_close(L, a);
  assert_false(upvalue_is_open(of_a));
  *a = make_nil();
  gc_collect(test->gc);
  assert_ptr_equal(value_string(of_a->v),
                   string_from_c(L, "through the upvalue"));
}

/* A thread writes its variable after the collector visited the upvalue, and
** then dies.  A closure outside shares the variable. */
static lua_State *start_sharing(ObjectTest *test, CClosure *keep) {
  lua_State *L = test->L;
  lua_State *co = thread_new(L);
  Value v;
  value_set_thread(&v, co);
  push_value(L, v);
  gc_stack_switch(test->gc, thread_cell(co));
  enter_frame(co, 4);
  Value first = new_numbered(co, 1);
  UpValue *u = upvalue_find(co, push_value(co, first));
  value_set_cell(&keep->upvalue[0], u, TAG_UPVALUE);
  gc_barrier_forward(test->gc, &keep->cell, &u->cell);
  gc_stack_switch(test->gc, thread_cell(L));
  return co;
}

static void write_register(ObjectTest *test, lua_State *co, UpValue *u) {
  gc_stack_switch(test->gc, thread_cell(co));
  Value v = new_numbered(co, 2);
  *u->v = v; /* no barrier: the thread runs */
  gc_stack_switch(test->gc, thread_cell(test->L));
}

OBJECT_TEST(test_upvalues_of_dead_threads) {
  lua_State *L = test->L;
  TestRandom random = {object_test_seed() + test->mode};
  Table *weak = push_table(L), *meta = push_table(L);
  set_field(L, meta, "__mode", make_string_value(string_from_c(L, "v")));
  table_set_metatable(L, weak, meta);
  for (int round = 0; round < 300; round++) {
    CClosure *keep = closure_new_c(L, NULL, 1);
    Value v;
    value_set_cell(&v, keep, TAG_C_CLOSURE);
    push_value(L, v);
    start_sharing(test, keep);
    UpValue *u = (UpValue *)(void *)value_cell(&keep->upvalue[0]);
    table_set_int(L, weak, 1, L->top - 1);
    gc_step_work(test->gc, random_below(&random, 200));
    object_test_pop(L, 1); /* only the weak table refers to it now */
    gc_step_work(test->gc, random_below(&random, 200));
    bool alive = table_get_int(L, weak, 1, &v);
    if (alive) {
      push_value(L, v);
      write_register(test, value_thread(&v), u);
      object_test_pop(L, 1);
    }
    gc_step_work(test->gc, random_below(&random, 200));
    gc_collect(test->gc);
    gc_collect(test->gc);
    assert_false(upvalue_is_open(u));
    check_numbered(L, u->v, alive ? 2 : 1);
    object_test_pop(L, 1);
  }
}

/* Pushes a coroutine with many open upvalues, and lists these in `all`. */
static void open_many(ObjectTest *test, UpValue **all, int count) {
  lua_State *L = test->L, *co = thread_new(L);
  Value v;
  value_set_thread(&v, co);
  push_value(L, v);
  gc_stack_switch(test->gc, thread_cell(co));
  for (int i = 0; i < count; i++) {
    stack_ensure(co, 1);
    Value *slot = push_value(co, make_integer(i));
    all[i] = upvalue_find(co, slot);
  }
  gc_stack_switch(test->gc, thread_cell(L));
}

static int count_open(UpValue **all, int count) {
  int open = 0;
  for (int i = 0; i < count; i++) open += upvalue_is_open(all[i]);
  return open;
}

/* One unit closes a bounded number of upvalues, and counts them as work. */
OBJECT_TEST(test_upvalues_of_dead_threads_are_closed_in_pieces) {
  enum { THREADS = 4, EACH = 5000, MANY = THREADS * EACH, AT_A_TIME = 256 };
  static UpValue *all[MANY];
  Gc *gc = test->gc;
  if (test->mode != MODE_PLAIN) return;
  for (int i = 0; i < THREADS; i++) open_many(test, all + i * EACH, EACH);
  gc_collect(gc);
  test->L->top -= THREADS;
  int open = MANY;
  while (open > 0) {
    uint64_t work = gc->stats.work;
    assert_true(gc->phase != PHASE_SWEEP);
    gc_step_work(gc, 1);
    int now = count_open(all, MANY);
    assert_true(open - now <= AT_A_TIME);
    assert_true(gc->stats.work - work >= (uint64_t)(open - now));
    open = now;
  }
}

/* -- Errors ---------------------------------------------------------------- */

static void error_body(lua_State *L, void *data) {
  raise_error(L, "bad %s at %d", (const char *)data, 42);
}

OBJECT_TEST(test_errors_are_caught) {
  lua_State *L = test->L;
  static char what[] = "thing";
  ptrdiff_t top = stack_save(L, L->top);
  uint16_t depth = L->c_calls;
  assert_int_equal(raise_protect(L, error_body, what), LUA_ERRRUN);
  raise_error_value(L, LUA_ERRRUN, stack_restore(L, top));
  assert_string_equal(string_bytes(value_string(L->top - 1)),
                      "bad thing at 42");
  assert_int_equal(L->c_calls, depth);
  assert_null(L->catcher);
  raise_error_value(L, LUA_ERRMEM, L->top - 1);
  assert_string_equal(string_bytes(value_string(L->top - 1)),
                      "not enough memory");
}

OBJECT_TEST(test_formats) {
  lua_State *L = test->L;
  char expected[64];
  assert_string_equal(format_push(L, "plain"), "plain");
  assert_string_equal(format_push(L, ""), "");
  assert_string_equal(format_push(L, "%s|%d|%c|%f|%I|%%|%U", "text", -5, 'x',
                                  1.5, (LUAI_UACINT)LUA_MININTEGER, 0x20ACul),
                      "text|-5|x|1.5|-9223372036854775808|%|\xe2\x82\xac");
  snprintf(expected, sizeof expected, "<%p>", (void *)L);
  assert_string_equal(format_push(L, "<%p>", (void *)L), expected);
  assert_string_equal(format_push(L, "%s", (char *)NULL), "(null)");
  char large[1000];
  memset(large, 'z', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  const char *text = format_push(L, "a%sb%sc", large, large);
  assert_int_equal(strlen(text), 2 * (sizeof large - 1) + 3);
  assert_int_equal(text[sizeof large], 'b');
}

static void expect_id(const char *source, const char *expected) {
  char id[LUA_IDSIZE];
  source_to_id(id, source, strlen(source));
  assert_string_equal(id, expected);
}

static void test_source_ids(void **unused) {
  (void)unused;
  expect_id("=stdin", "stdin");
  expect_id("@file.lua", "file.lua");
  expect_id("return 1", "[string \"return 1\"]");
  expect_id("one\ntwo", "[string \"one...\"]");
  expect_id("=0123456789012345678901234567890123456789012345678901234567890",
            "01234567890123456789012345678901234567890123456789012345678");
  expect_id("@0123456789012345678901234567890123456789012345678901234567890",
            "...56789012345678901234567890123456789012345678901234567890");
  expect_id("x = 0123456789012345678901234567890123456789012345678901234567890",
            "[string \"x = 01234567890123456789012345678901234567890...\"]");
}

/* -- Lines ----------------------------------------------------------------- */

OBJECT_TEST(test_lines_are_packed) {
  lua_State *L = test->L;
  TestRandom random = {object_test_seed()};
  enum { COUNT = 700 };
  static int32_t lines[COUNT];
  for (int kind = 0; kind < 4; kind++) {
    Proto *p = proto_new(L);
    Value v;
    value_set_cell(&v, p, TAG_PROTO);
    push_value(L, v);
    assert_int_equal(proto_line(p, 0), -1);
    int32_t line = 1;
    for (int i = 0; i < COUNT; i++) {
      if (kind == 1) line += (int32_t)random_below(&random, 3);
      if (kind == 2) line = 1 + (int32_t)random_below(&random, 100000);
      if (kind == 3) line += (int32_t)random_below(&random, 400) - 100;
      lines[i] = line;
    }
    proto_set_lines(L, p, lines, COUNT);
    for (size_t i = 0; i < COUNT; i++)
      assert_int_equal(proto_line(p, i), lines[i]);
    L->top--;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_recursion_under_the_collector),
      cmocka_unit_test(test_threads_take_turns),
      cmocka_unit_test(test_stack_grows_moves_and_shrinks),
      cmocka_unit_test(test_frames_and_stack_share_the_cell),
      cmocka_unit_test(test_stack_overflow_is_an_error),
      cmocka_unit_test(test_upvalues_are_shared_and_closed),
      cmocka_unit_test(test_upvalues_of_dead_threads),
      cmocka_unit_test(test_upvalues_of_dead_threads_are_closed_in_pieces),
      cmocka_unit_test(test_errors_are_caught),
      cmocka_unit_test(test_formats),
      cmocka_unit_test(test_source_ids),
      cmocka_unit_test(test_lines_are_packed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
