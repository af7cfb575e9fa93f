/* SPDX-License-Identifier: MIT */
/*
** mutation.c -- tests of the checker
**
** The collector can be told to omit one thing: a barrier, a second look at the
** roots, a clearing (enum GcSkip).  Each omission has a scenario that needs the
** omitted thing.  The verifier or the oracle must object to the omission, and
** must not object without it.  Random edits must notice each omission, too.
**
** Every run is a process of its own, because a faulty collector may do
** anything.
*/
#include "gc_test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toy/world.h"

/* -- Processes ------------------------------------------------------------- */

enum { EXIT_FINE = 0, EXIT_CAUGHT = 42, EXIT_VALGRIND = 99 };

typedef struct Rig {
  Toy toy;
  Oracle oracle;
} Rig;

typedef void Scenario(Rig *rig);

/* Ends the process normally after a failed check. */
static void caught(void *context, const char *message) {
  (void)context;
  if (getenv("TOY_VERBOSE")) fprintf(stderr, "caught: %s\n", message);
  _exit(EXIT_CAUGHT);
}

static int wait_for(pid_t child) {
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int run_scenario(Scenario *scenario, uint32_t skip) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return wait_for(child);
  static Rig rig;
  check_set_handler(caught, NULL);
  gc_test_open(&rig.toy);
  oracle_open(&rig.oracle, &rig.toy);
  rig.toy.gc.debug.skip = skip;
  scenario(&rig);
  oracle_close(&rig.oracle);
  toy_close(&rig.toy);
  _exit(EXIT_FINE);
}

/* Valgrind may see the fault first, and then sets an exit status of its own. */
static void must_be_caught(Scenario *scenario, uint32_t skip) {
  assert_int_equal(run_scenario(scenario, 0), EXIT_FINE);
  int status = run_scenario(scenario, skip);
  if (status == EXIT_VALGRIND && getenv("PENUMBRA_VALGRIND")) return;
  assert_int_equal(status, EXIT_CAUGHT);
}

/* -- Barriers and roots ---------------------------------------------------- */

/* A black pair in root 0, and much left to mark. */
static ToyRef black_pair(Toy *toy) {
  toy->root[1] = gc_test_list(toy, 5000);
  ToyRef pair = toy_new_pair(toy, 0, 0);
  toy->root[0] = pair;
  gc_test_advance(toy, PHASE_MARK);
  while (!gc_test_is_black(pair)) gc_step_work(&toy->gc, 1);
  if (toy->gc.phase != PHASE_MARK) abort();
  return pair;
}

static void barrier_back(Rig *rig) {
  ToyRef pair = black_pair(&rig->toy);
  toy_pair_set(&rig->toy, pair, 1, toy_new_pair(&rig->toy, 0, 0));
  gc_test_finish(&rig->toy);
}

static void barrier_forward(Rig *rig) {
  ToyRef pair = black_pair(&rig->toy);
  toy_pair_set(&rig->toy, pair, 0, toy_new_pair(&rig->toy, 0, 0));
  gc_test_finish(&rig->toy);
}

static void roots_again(Rig *rig) {
  black_pair(&rig->toy);
  rig->toy.root[2] = toy_new_pair(&rig->toy, 0, 0);
  gc_test_finish(&rig->toy);
}

static void part_barrier(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef array = toy_new_array(toy, 10);
  toy->root[2] = array;
  black_pair(toy);
  while (!gc_test_is_black(array)) gc_step_work(&toy->gc, 1);
  toy_array_resize(toy, array, 100);
  gc_test_finish(toy);
}

/* A rehash during a visit moves entries to places that the visit has already
** passed. */
static void restart(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef table = toy_new_ephemeron(toy, 4096), keys = toy_new_array(toy, 3000);
  toy->root[0] = keys;
  toy->root[1] = table;
  for (size_t i = 0; i < 3000; i++) {
    toy_array_set(toy, keys, i, toy_new_leaf(toy, sizeof(ToyLeaf)));
    ToyRef key = toy_array_get(toy, keys, i);
    if (i < 500) {
      toy->root[2] = toy_new_pair(toy, 0, 0);
      toy_table_put(toy, table, key, toy->root[2]);
    } else {
      toy_table_put(toy, table, key, 0);
      toy_table_remove(toy, table, key);
    }
  }
  toy->root[2] = 0;
  gc_test_advance(toy, PHASE_MARK);
  while (!(toy_cell(table)->flags & CELL_SCANNING)) gc_step_work(&toy->gc, 1);
  size_t capacity = toy_table_places(table);
  for (size_t i = 500; toy_table_places(table) == capacity; i++)
    toy_table_put(toy, table, toy_array_get(toy, keys, i), 0);
  gc_test_finish(toy);
}

/* -- Stacks ---------------------------------------------------------------- */

static ToyRef running_stack(Toy *toy, size_t frames, size_t slots) {
  ToyRef stack = toy_new_stack(toy, 16);
  toy->main_stack = stack;
  toy_switch(toy, stack);
  for (size_t f = 0; f < frames; f++) {
    for (size_t i = 0; i < slots; i++) toy_stack_push(toy, stack, 0);
    toy_call(toy);
  }
  return stack;
}

static void running_frame(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef stack = running_stack(toy, 3, 5);
  black_pair(toy);
  toy_stack_push(toy, stack, toy_new_pair(toy, 0, 0));
  gc_test_finish(toy);
}

static void stack_lower(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef stack = running_stack(toy, 100, 20);
  black_pair(toy);
  gc_test_advance(toy, PHASE_AGAIN);
  for (int i = 0; i < 90; i++) toy_return(toy);
  toy_stack_push(toy, stack, toy_new_pair(toy, 0, 0));
  gc_test_finish(toy);
}

static void dirty_stack(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef first = running_stack(toy, 2, 5), second = toy_new_stack(toy, 16);
  toy->root[3] = second;
  black_pair(toy);
  while (!gc_test_is_black(second)) gc_step_work(&toy->gc, 1);
  toy_switch(toy, second);
  toy_stack_push(toy, second, toy_new_pair(toy, 0, 0));
  toy_switch(toy, first);
  gc_test_finish(toy);
}

/* The slot of an open upvalue changes after the visit of the upvalue.  Then its
** stack, which was never visited, is dropped. */
static void written_and_dropped_stack(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef first = running_stack(toy, 1, 5), second = toy_new_stack(toy, 16);
  toy->root[3] = second;
  toy_stack_push(toy, second, 0);
  ToyRef upvalue = toy_new_upvalue(toy, second, 0);
  toy->root[4] = upvalue;
  ToyRef holder = toy_new_pair(toy, 0, 0);
  toy->root[5] = holder;
  ToyRef list = gc_test_list(toy, 4000); /* the stack is at its far end */
  toy->root[6] = list;
  ToyRef last = list;
  while (toy_pair_get(last, 0)) last = toy_pair_get(last, 0);
  toy_pair_set(toy, last, 1, second);
  toy->root[3] = 0;
  gc_test_advance(toy, PHASE_MARK);
  while (!gc_test_is_black(upvalue)) gc_step_work(&toy->gc, 1);
  if (!gc_test_is_white(second)) abort();
  toy_switch(toy, second);
  ToyRef value = toy_new_pair(toy, 0, 0);
  toy_stack_set(toy, second, 0, value);
  toy_switch(toy, first);
  toy_pair_set(toy, last, 1, 0);
  gc_test_finish(toy);
  toy_id(toy_cell(toy_upvalue_get(upvalue)));
  REQUIRE(gc_test_exists(toy, toy_upvalue_get(upvalue)),
          "the value of an upvalue was freed");
}

static void dying_stack(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef stack = toy_new_stack(toy, 16);
  toy->root[0] = stack;
  oracle_created(&rig->oracle, stack);
  toy_stack_push(toy, stack, 0);
  oracle_set_count(&rig->oracle, stack, 1);
  ToyRef upvalue = toy_new_upvalue(toy, stack, 0);
  oracle_opened(&rig->oracle, upvalue, stack, 0);
  toy->root[0] = 0;
  toy->root[1] = upvalue;
  oracle_set_root(&rig->oracle, 1, upvalue);
  oracle_collect_exact(&rig->oracle);
}

/* -- Weak objects and finalizers ------------------------------------------- */

static void clear_values(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef weak = toy_new_weak_array(toy, 4);
  toy->root[0] = weak;
  oracle_created(&rig->oracle, weak);
  oracle_set_root(&rig->oracle, 0, weak);
  ToyRef pair = toy_new_pair(toy, 0, 0);
  oracle_created(&rig->oracle, pair);
  toy_array_set(toy, weak, 1, pair);
  oracle_set_slot(&rig->oracle, weak, 1, pair);
  oracle_collect_exact(&rig->oracle);
}

static void clear_keys(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef table = toy_new_ephemeron(toy, 4);
  toy->root[0] = table;
  oracle_created(&rig->oracle, table);
  oracle_set_root(&rig->oracle, 0, table);
  ToyRef pair = toy_new_pair(toy, 0, 0);
  oracle_created(&rig->oracle, pair);
  toy_table_put(toy, table, pair, pair);
  oracle_put(&rig->oracle, table, pair, pair);
  oracle_collect_exact(&rig->oracle);
}

/* The key is reached after the table was visited. */
static void ephemeron(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef table = toy_new_ephemeron(toy, 4), list = 0;
  toy->root[1] = table;
  toy->root[0] = list = gc_test_list(toy, 4000);
  ToyRef key = list;
  while (toy_pair_get(key, 0)) key = toy_pair_get(key, 0);
  toy->root[2] = toy_new_pair(toy, 0, 0);
  toy_table_put(toy, table, key, toy->root[2]);
  toy->root[2] = 0;
  gc_test_cycle(toy);
}

static void resurrection(Rig *rig) {
  Toy *toy = &rig->toy;
  toy->root[0] = toy_new_leaf(toy, 64); /* keeps the chunk */
  oracle_created(&rig->oracle, toy->root[0]);
  oracle_set_root(&rig->oracle, 0, toy->root[0]);
  ToyRef pair = toy_new_pair(toy, 0, 0);
  oracle_created(&rig->oracle, pair);
  toy_register(toy, pair);
  oracle_registered(&rig->oracle, pair);
  oracle_collect_exact(&rig->oracle);
}

static void revived_symbol(Rig *rig) {
  Toy *toy = &rig->toy;
  ToyRef symbol = toy_intern(toy, 7);
  gc_test_advance(toy, PHASE_CLEAR_VALUES);
  toy->root[0] = toy_intern(toy, 7);
  if (toy->root[0] != symbol) abort();
  gc_test_finish(toy);
  REQUIRE(gc_test_exists(toy, symbol), "a symbol in use was freed");
}

/* -- One test for each ----------------------------------------------------- */

#define MUTATION(name, scenario, skip)    \
  static void test_##name(void **state) { \
    (void)state;                          \
    must_be_caught(scenario, skip);       \
  }

MUTATION(barrier_back, barrier_back, SKIP_BARRIER_BACK)
MUTATION(barrier_forward, barrier_forward, SKIP_BARRIER_FORWARD)
MUTATION(roots_again, roots_again, SKIP_ROOTS_AGAIN)
MUTATION(running_stack, running_frame, SKIP_RUNNING_STACK)
MUTATION(part_barrier, part_barrier, SKIP_PART_BARRIER)
MUTATION(clear_values, clear_values, SKIP_CLEAR_VALUES)
MUTATION(clear_keys, clear_keys, SKIP_CLEAR_KEYS)
MUTATION(restart, restart, SKIP_RESTART)
MUTATION(stack_lower, stack_lower, SKIP_STACK_LOWER)
MUTATION(set_revive, revived_symbol, SKIP_SET_REVIVE)
MUTATION(resurrect, resurrection, SKIP_RESURRECT)
MUTATION(ephemeron, ephemeron, SKIP_EPHEMERON)
MUTATION(dying, dying_stack, SKIP_DYING)
MUTATION(dirty_stack, dirty_stack, SKIP_DIRTY_STACKS)
MUTATION(written_stack, written_and_dropped_stack, SKIP_DIRTY_STACKS)

/* -- Random edits ---------------------------------------------------------- */

/* Limits processor time, so that a busy machine does not matter. */
static void limit_seconds(rlim_t seconds) {
  struct rlimit limit = {seconds, seconds};
  assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
}

static int run_world(uint64_t seed, uint32_t skip) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return wait_for(child);
  signal(SIGSEGV, SIG_DFL); /* neither a crash ... */
  signal(SIGBUS, SIG_DFL);
  limit_seconds(10); /* ... nor an endless loop counts as caught */
  static World world;
  WorldOptions options = {
      .seed = seed, .edits = 4000, .skip = skip, .check_every = 50};
  check_set_handler(caught, NULL);
  world_run(&world, &options);
  _exit(EXIT_FINE);
}

/* The number of seeds until random edits notice the omission. */
static uint64_t seeds_until_caught(uint32_t skip, uint64_t most) {
  for (uint64_t seed = 1; seed <= most; seed++)
    if (run_world(seed, skip) == EXIT_CAUGHT) return seed;
  return 0;
}

static void test_random_edits_notice(void **state) {
  (void)state;
  if (getenv("PENUMBRA_VALGRIND")) skip();
  for (uint32_t bit = 1; bit <= SKIP_DIRTY_STACKS; bit <<= 1) {
    uint64_t seeds = seeds_until_caught(bit, 1000);
    if (getenv("TOY_VERBOSE"))
      fprintf(stderr, "skip %u: caught by seed %llu\n", bit,
              (unsigned long long)seeds);
    if (seeds == 0) fail_msg("nobody noticed that %u was left out", bit);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_barrier_back),
      cmocka_unit_test(test_barrier_forward),
      cmocka_unit_test(test_roots_again),
      cmocka_unit_test(test_running_stack),
      cmocka_unit_test(test_part_barrier),
      cmocka_unit_test(test_clear_values),
      cmocka_unit_test(test_clear_keys),
      cmocka_unit_test(test_restart),
      cmocka_unit_test(test_stack_lower),
      cmocka_unit_test(test_set_revive),
      cmocka_unit_test(test_resurrect),
      cmocka_unit_test(test_ephemeron),
      cmocka_unit_test(test_dying),
      cmocka_unit_test(test_dirty_stack),
      cmocka_unit_test(test_written_stack),
      cmocka_unit_test(test_random_edits_notice),
  };
  return cmocka_run_group_tests_name("the checker", tests, NULL, NULL);
}
