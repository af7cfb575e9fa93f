/* SPDX-License-Identifier: MIT */
/*
** stacks.c -- slots without a barrier: watermark, frames, switching
*/
#include "gc_test.h"

static ToyRef new_running(Toy *toy) {
  ToyRef stack = toy_new_stack(toy, 8);
  toy->main_stack = stack;
  toy_switch(toy, stack);
  return stack;
}

static void push_pairs(Toy *toy, ToyRef stack, size_t count) {
  for (size_t i = 0; i < count; i++)
    assert_true(toy_stack_push(toy, stack, toy_new_pair(toy, 0, 0)));
}

static void check_slots_exist(Toy *toy, ToyRef stack) {
  for (size_t i = 0; i < toy_stack_top(stack); i++) {
    ToyRef value = toy_stack_get(stack, i);
    if (toy_is_object(value)) assert_true(gc_test_exists(toy, value));
  }
}

/* Starts marking with enough work for several units. */
static void start_marking(Toy *toy) {
  toy->root[9] = gc_test_list(toy, 3000);
  gc_test_advance(toy, PHASE_MARK);
}

/* The program writes the top frame between any two units, without a barrier. */
static void test_running_frame(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  push_pairs(toy, stack, 10);
  start_marking(toy);
  for (size_t i = 0; toy->gc.phase != PHASE_PAUSE; i++) {
    ToyRef pair = toy_new_pair(toy, 0, 0);
    toy_stack_set(toy, stack, i % 10, pair);
    gc_step_work(&toy->gc, 1);
  }
  check_slots_exist(toy, stack);
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 3010);
}

/* Slots above the top are not references. */
static void test_popped_slots_are_garbage(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  push_pairs(toy, stack, 300);
  toy_stack_pop(toy, stack, 200);
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 100);
}

/* Frames below the running one are visited once, and not again at the end. */
static void test_watermark(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  for (int f = 0; f < 200; f++) {
    push_pairs(toy, stack, 10);
    toy_call(toy);
  }
  gc_test_advance(toy, PHASE_AGAIN);
  assert_int_equal(toy_stack(stack)->gc.watermark, toy_stack(stack)->base);
  assert_int_equal(toy_stack(stack)->watched, toy_stack(stack)->base);
  toy->gc.stats.largest_unit = 0;
  gc_test_advance(toy, PHASE_CLEAR_VALUES);
  assert_true(toy->gc.stats.largest_unit < 100);
  gc_test_finish(toy);
  check_slots_exist(toy, stack);
}

/* A return into a visited frame lowers the watermark: the program may write the
** frame again. */
static void test_return_lowers_watermark(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  for (int f = 0; f < 100; f++) {
    push_pairs(toy, stack, 10);
    toy_call(toy);
  }
  gc_test_advance(toy, PHASE_AGAIN);
  for (int f = 0; f < 60; f++) {
    assert_true(toy_return(toy));
    toy_stack_set(toy, stack, toy_stack(stack)->base, toy_new_pair(toy, 0, 0));
  }
  assert_true(toy_stack(stack)->gc.watermark <= toy_stack(stack)->base);
  gc_test_finish(toy);
  check_slots_exist(toy, stack);
}

/* The program returns, calls and pushes in every unit of a cycle. */
static void test_frames_come_and_go(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  TestRandom random = {3};
  for (int cycle = 0; cycle < 3; cycle++) {
    start_marking(toy);
    while (toy->gc.phase != PHASE_PAUSE) {
      for (size_t i = random_below(&random, 4); i > 0; i--) {
        push_pairs(toy, stack, random_below(&random, 12));
        toy_call(toy);
      }
      for (size_t i = random_below(&random, 5); i > 0; i--) toy_return(toy);
      gc_step_work(&toy->gc, 1);
    }
    check_slots_exist(toy, stack);
    gc_collect(&toy->gc);
    check_slots_exist(toy, stack);
  }
}

/* A store into a lower frame, as by a debugger or through an upvalue. */
static void test_store_below_watermark(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  for (int f = 0; f < 100; f++) {
    push_pairs(toy, stack, 10);
    toy_call(toy);
  }
  gc_test_advance(toy, PHASE_AGAIN);
  for (size_t slot = 0; slot < 1000; slot += 11) {
    toy_stack_set(toy, stack, slot, toy_new_pair(toy, 0, 0));
    if (slot % 5 == 0) gc_step_work(&toy->gc, 1);
  }
  gc_test_finish(toy);
  check_slots_exist(toy, stack);
}

/* Two stacks take turns.  Each is written while it runs. */
static void test_turns(void **state) {
  Toy *toy = *state;
  ToyRef first = new_running(toy), second = toy_new_stack(toy, 8);
  toy->root[0] = second;
  push_pairs(toy, first, 50);
  toy_switch(toy, second);
  push_pairs(toy, second, 50);
  for (int cycle = 0; cycle < 4; cycle++) {
    gc_set_generational(&toy->gc, cycle >= 2);
    start_marking(toy);
    for (size_t i = 0; toy->gc.phase != PHASE_PAUSE; i++) {
      ToyRef stack = i % 2 ? first : second;
      toy_switch(toy, i % 5 == 0 ? 0 : stack);
      if (toy_running(toy) == stack)
        toy_stack_set(toy, stack, i % 50, toy_new_pair(toy, 0, 0));
      gc_step_work(&toy->gc, 1);
    }
    check_slots_exist(toy, first);
    check_slots_exist(toy, second);
  }
  toy->root[9] = 0;
  gc_collect(&toy->gc);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 100);
}

/* A stack at rest that was visited completely runs again.  The program writes
** its top frame without a barrier, although it lies below the watermark. */
static void test_switch_to_visited_stack(void **state) {
  Toy *toy = *state;
  ToyRef first = new_running(toy), second = toy_new_stack(toy, 8);
  toy->root[0] = second;
  push_pairs(toy, second, 20);
  start_marking(toy);
  while (!gc_test_is_black(second)) gc_step_work(&toy->gc, 1);
  assert_int_equal(toy_stack(second)->gc.watermark, 20);
  toy_switch(toy, second);
  ToyRef pair = toy_new_pair(toy, 0, 0);
  toy_stack_set(toy, second, 3, pair);
  gc_test_finish(toy);
  assert_true(gc_test_exists(toy, pair));
  toy_switch(toy, first);
}

/* Pushes and pops from outside, on a visited stack at rest. */
static void test_touched_from_outside(void **state) {
  Toy *toy = *state;
  new_running(toy);
  ToyRef other = toy_new_stack(toy, 8);
  toy->root[0] = other;
  push_pairs(toy, other, 20);
  start_marking(toy);
  for (size_t i = 0; toy->gc.phase != PHASE_PAUSE; i++) {
    toy_stack_pop(toy, other, i % 4);
    push_pairs(toy, other, i % 4);
    toy_stack_set(toy, other, i % 20, toy_new_pair(toy, 0, 0));
    gc_step_work(&toy->gc, 1);
  }
  check_slots_exist(toy, other);
  toy->root[9] = 0;
  gc_collect(&toy->gc);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 20);
}

/* A stack that was never visited is written, left and dropped.  The value of
** its upvalue lives as long as the upvalue. */
static void test_dropped_stack_with_live_upvalue(void **state) {
  Toy *toy = *state;
  ToyRef first = new_running(toy);
  for (int outside = 0; outside < 2; outside++) {
    ToyRef second = toy_new_stack(toy, 8);
    toy->root[0] = second;
    toy_stack_push(toy, second, 0);
    ToyRef upvalue = toy_new_upvalue(toy, second, 0);
    toy->root[1] = upvalue;
    toy->root[0] = 0;
    gc_test_advance(toy, PHASE_MARK);
    while (!gc_test_is_black(upvalue)) gc_step_work(&toy->gc, 1);
    if (outside) {
      toy_stack_pop(toy, second, 1);
      toy_stack_push(toy, second, toy_new_pair(toy, 0, 0));
      upvalue = toy_new_upvalue(toy, second, 0);
      toy->root[1] = upvalue;
    } else {
      toy_switch(toy, second);
      toy_stack_set(toy, second, 0, toy_new_pair(toy, 0, 0));
      toy_switch(toy, first);
    }
    ToyRef value = toy_upvalue_get(upvalue);
    gc_test_finish(toy);
    gc_collect(&toy->gc);
    assert_null(toy_upvalue(upvalue)->stack);
    assert_int_equal(toy_upvalue_get(upvalue), value);
    assert_true(gc_test_exists(toy, value));
  }
}

/* Of a dead stack only the values of reachable upvalues survive. */
static void test_dying_stack(void **state) {
  Toy *toy = *state;
  ToyRef stack = toy_new_stack(toy, 8), kept[4];
  toy->root[0] = stack;
  push_pairs(toy, stack, 8);
  for (size_t i = 0; i < 8; i++) {
    ToyRef upvalue = toy_new_upvalue(toy, stack, i);
    if (i % 2) toy->root[1 + i / 2] = kept[i / 2] = upvalue;
  }
  toy->root[0] = 0;
  gc_test_cycle(toy);
  GcTestCount count = gc_test_count(toy);
  assert_int_equal(count.kind[TOY_STACK], 0);
  assert_int_equal(count.kind[TOY_PART], 0);
  assert_int_equal(count.kind[TOY_UPVALUE], 4);
  assert_int_equal(count.kind[TOY_PAIR], 4);
  for (int i = 0; i < 4; i++)
    assert_int_equal(toy_kind(toy_upvalue_get(kept[i])), TOY_PAIR);
}

/* The slots move while the collector works. */
static void test_stack_grows(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  start_marking(toy);
  for (size_t i = 0; toy->gc.phase != PHASE_PAUSE; i++) {
    push_pairs(toy, stack, 20);
    if (i % 3 == 0) toy_call(toy);
    assert_true(toy_stack_reserve(toy, stack, toy_stack_top(stack) + i * 100));
    gc_step_work(&toy->gc, 1);
  }
  check_slots_exist(toy, stack);
  assert_int_equal(gc_test_count(toy).kind[TOY_PART], 1);
}

/* Takes steps like the program's polls. */
static void poll_often(Toy *toy, int count) {
  for (int i = 0; i < count && toy->gc.phase != PHASE_PAUSE; i++)
    gc_step(&toy->gc);
}

/* A large frame that exists only briefly is not visited in one unit. */
static void test_large_frame_for_a_moment(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  gc_test_advance(toy, PHASE_AGAIN);
  push_pairs(toy, stack, 5000);
  toy->gc.stats.largest_unit = 0;
  poll_often(toy, 1000);
  assert_int_equal(toy->gc.phase, PHASE_AGAIN);
  toy_stack_pop(toy, stack, 4900);
  poll_often(toy, 100000);
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
  assert_true(toy->gc.stats.largest_unit < 1000);
  check_slots_exist(toy, stack);
}

/* Slots that were visited do not count: a small frame on a deep stack does not
** delay the end of marking. */
static void test_small_frame_on_deep_stack(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  push_pairs(toy, stack, 5000);
  toy_call(toy);
  gc_test_advance(toy, PHASE_AGAIN);
  poll_often(toy, 1000);
  assert_int_equal(toy->gc.phase, PHASE_PAUSE);
  check_slots_exist(toy, stack);
}

/* If the program stays in a large frame, marking ends nevertheless. */
static void test_large_frame_for_long(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  gc_test_advance(toy, PHASE_AGAIN);
  push_pairs(toy, stack, 5000);
  toy->gc.debug.verify = false; /* each check takes long */
  for (int i = 0; toy->gc.phase == PHASE_AGAIN; i++) {
    assert_true(i < 100000);
    toy_new_pair(toy, 0, 0);
    gc_step(&toy->gc);
  }
  check_slots_exist(toy, stack);
  gc_test_finish(toy);
}

/* Marking also ends if the program requests the collection. */
static void test_large_frame_by_hand(void **state) {
  Toy *toy = *state;
  ToyRef stack = new_running(toy);
  push_pairs(toy, stack, 5000);
  gc_test_cycle(toy);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 5000);
  gc_collect(&toy->gc);
  assert_int_equal(gc_test_count(toy).kind[TOY_PAIR], 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_running_frame),
      GC_TEST(test_popped_slots_are_garbage),
      GC_TEST(test_watermark),
      GC_TEST(test_return_lowers_watermark),
      GC_TEST(test_frames_come_and_go),
      GC_TEST(test_store_below_watermark),
      GC_TEST(test_turns),
      GC_TEST(test_switch_to_visited_stack),
      GC_TEST(test_touched_from_outside),
      GC_TEST(test_dropped_stack_with_live_upvalue),
      GC_TEST(test_dying_stack),
      GC_TEST(test_stack_grows),
      GC_TEST(test_large_frame_for_a_moment),
      GC_TEST(test_small_frame_on_deep_stack),
      GC_TEST(test_large_frame_for_long),
      GC_TEST(test_large_frame_by_hand),
  };
  return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
