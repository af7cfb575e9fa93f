/* SPDX-License-Identifier: MIT */
/*
** world.c -- random edits, and the collector between them
*/
#include "toy/world_impl.h"

#include <limits.h>
#include <stdio.h>

/* -- The collector --------------------------------------------------------- */

static void step_somehow(World *world) {
  Gc *gc = &world->toy.gc;
  switch (below(world, 40)) {
    case 0: gc_step(gc); break;
    case 1: gc_step_work(gc, 1 + below(world, 3000)); break;
    case 2: gc_step_work(gc, 1 + below(world, 300)); break;
    default: gc_step_work(gc, 1); /* one unit of any size */
  }
}

static void change_settings(World *world) {
  Gc *gc = &world->toy.gc;
  switch (below(world, 8)) {
    case 0: gc_stop(gc); break;
    case 1:
    case 2: gc_restart(gc); break;
    case 3: gc->pause = (int)below(world, 400); break;
    case 4: gc->step_multiplier = (int)below(world, 400); break;
    case 5: gc->step_size = (int)below(world, 20); break;
    case 6: gc_set_generational(gc, chance(world, 50)); break;
    default: {
      size_t more = below(world, 100000);
      gc_external_bytes(gc, more, world->external);
      world->external = more;
    }
  }
}

static void start_trouble(World *world) {
  if (!world->options.failures) return;
  world->trouble = 20 + (unsigned)below(world, 200);
  world->toy.allocator.fail_percent = 10 + (unsigned)below(world, 90);
}

static void end_trouble(World *world) {
  world->trouble = 0;
  test_allocator_obey(&world->toy.allocator);
}

static void collector_edit(World *world) {
  Gc *gc = &world->toy.gc;
  switch (below(world, 1500)) {
    case 0:
      if (!world->trouble) oracle_collect(&world->oracle);
      break;
    case 1:
      if (!world->trouble) oracle_collect_exact(&world->oracle);
      break;
    case 2: gc_collect_emergency(gc); break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8: change_settings(world); break;
    case 9:
    case 10: start_trouble(world); break;
    default:
      if (chance(world, world->step_percent)) step_somehow(world);
  }
  if (gc_step_due(gc) && chance(world, 50)) gc_step(gc);
  oracle_sync(&world->oracle);
}

/* -- The world ------------------------------------------------------------- */

static void world_open(World *world, const WorldOptions *options) {
  memset(world, 0, sizeof *world);
  world->options = *options;
  world->random.state = options->seed;
  toy_open(&world->toy);
  oracle_open(&world->oracle, &world->toy);
  TestAllocator *allocator = &world->toy.allocator;
  allocator->random.state = ~options->seed;
  allocator->moves_on_shrink = chance(world, 30);
  allocator->offset = chance(world, 70) ? 0 : (unsigned)below(world, 16);
  allocator->fail_at = options->fail_at;
  allocator->fail_after = options->fail_after;
  allocator->fail_size = options->fail_size;
  if (options->fail_at) world->trouble = UINT_MAX;
  world->toy.gc.debug.skip = options->skip;
  world->toy.gc.debug.verify = options->verify;
  world->toy.gc.debug.checkmark = options->verify || chance(world, 50);
  world->toy.gc.debug.step_always = options->step_always;
  world->toy.gc.debug.collect_always = options->collect_always;
  gc_set_generational(&world->toy.gc, chance(world, 40));
  static const size_t targets[] = {50, 300, 1000, 4000};
  static const uint8_t step_percents[] = {1, 3, 10, 20, 40, 60, 90};
  world->target = options->nodes ? options->nodes : targets[below(world, 4)];
  world->check_every =
      options->check_every ? options->check_every : 50 + below(world, 500);
  world->step_percent = step_percents[below(world, sizeof step_percents)];
}

static void make_main_stack(World *world) {
  ToyRef stack = toy_new_stack(&world->toy, 16);
  if (!stack) return; /* refused: the run continues without a stack */
  world->toy.main_stack = stack;
  oracle_created(&world->oracle, stack);
  world->oracle.main_stack = oracle_id(stack);
  toy_switch(&world->toy, stack);
  world->oracle.running = oracle_id(stack);
}

static void world_close(World *world) {
  oracle_close(&world->oracle);
  toy_close(&world->toy);
  REQUIRE(world->toy.allocator.bytes == 0, "%zu bytes were not given back",
          world->toy.allocator.bytes);
}

void world_run(World *world, const WorldOptions *options) {
  world_open(world, options);
  make_main_stack(world);
  for (world->edit = 0; world->edit < options->edits; world->edit++) {
    world_edit(world);
    collector_edit(world);
    if (world->trouble && --world->trouble == 0) end_trouble(world);
    if (world->edit % world->check_every == 0) oracle_check(&world->oracle);
  }
  world->requests = world->toy.allocator.requests;
  end_trouble(world);
  oracle_collect_exact(&world->oracle);
  if (options->verbose)
    printf("seed %llu: %zu edits, %llu cycles (%llu minor, %llu emergencies), "
           "%llu checks (%llu exact), %llu cleared, %llu resurrected, "
           "%llu queued, %zu bytes live\n",
           (unsigned long long)options->seed, options->edits,
           (unsigned long long)world->toy.gc.stats.cycles,
           (unsigned long long)world->toy.gc.stats.minor_cycles,
           (unsigned long long)world->toy.gc.stats.emergencies,
           (unsigned long long)world->oracle.checks,
           (unsigned long long)world->oracle.exact_checks,
           (unsigned long long)world->oracle.cleared,
           (unsigned long long)world->oracle.resurrections,
           (unsigned long long)world->oracle.queued_total,
           world->toy.gc.stats.live_bytes);
  world_close(world);
}
