/* SPDX-License-Identifier: MIT */
/*
** random.c -- seeded random edits in every phase, against the oracle
**
**   unit_gc_random              many seeds, some thousand edits each
**   unit_gc_random --seed N [--edits N] [--verify] [--verbose]
**
** A failure prints the seed; TOY_SEED=n, or --seed n, replays it.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "toy/world.h"

enum { REPLAY_EDITS = 20000 /* not fewer than any run has */ };

static World world;

/* Prints the seed before the process ends. */
static void failed(void *context, const char *message) {
  const WorldOptions *options = context;
  fprintf(stderr, "\n%s\nin edit %zu, phase %s\nreplay with TOY_SEED=%llu\n",
          message, world.edit, gc_phase_name((GcPhase)world.toy.gc.phase),
          (unsigned long long)options->seed);
  abort();
}

static void run(WorldOptions options) {
  check_set_handler(failed, &options);
  world_run(&world, &options);
  check_set_handler(NULL, NULL);
}

/* The seed selects the kind of run. */
static WorldOptions options_for(uint64_t seed, size_t edits) {
  WorldOptions options = {.seed = seed, .edits = edits};
  options.failures = seed % 3 == 0;
  options.verify = seed % 8 == 5;
  if (options.verify) options.edits = edits / 8;
  options.step_always = seed % 16 == 11;
  options.collect_always = seed % 32 == 9;
  if (options.collect_always) options.edits = edits / 8;
  return options;
}

static void test_random_edits(void **state) {
  (void)state;
  const char *chosen = getenv("TOY_SEED");
  size_t seeds = 60, edits = 6000;
  if (getenv("PENUMBRA_FULL")) {
    seeds = 1300; /* more than ten million edits */
    edits = 10000;
  }
  if (getenv("PENUMBRA_VALGRIND")) {
    seeds = 4;
    edits = 2000;
  }
  if (chosen) {
    run(options_for(strtoull(chosen, NULL, 0), REPLAY_EDITS));
    return;
  }
  for (uint64_t seed = 1; seed <= seeds; seed++) run(options_for(seed, edits));
}

static int run_alone(int count, char **argument) {
  WorldOptions options = options_for(1, 10000);
  options.verbose = true;
  for (int i = 1; i < count; i++) {
    const char *value = i + 1 < count ? argument[i + 1] : "";
    if (strcmp(argument[i], "--seed") == 0)
      options = options_for(strtoull(value, NULL, 0), options.edits), i++;
    else if (strcmp(argument[i], "--edits") == 0)
      options.edits = strtoull(value, NULL, 0), i++;
    else if (strcmp(argument[i], "--verify") == 0)
      options.verify = true;
    else if (strcmp(argument[i], "--verbose") != 0)
      return 2;
  }
  options.verbose = true;
  run(options);
  return 0;
}

int main(int count, char **argument) {
  if (count > 1) return run_alone(count, argument);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_edits)};
  return cmocka_run_group_tests_name("random edits", tests, NULL, NULL);
}
