/* SPDX-License-Identifier: MIT */
/*
** collector.c -- penumbra.h: steps, finalizers, figures, pauses, events
*/
#include "own.h"

/* Makes a list that stays alive in the global variable `kept`. */
static void make_list(lua_State *L, int length) {
  lua_pushinteger(L, length);
  lua_setglobal(L, "length");
  own_run(L, "kept = nil for i = 1, length do kept = {kept} end");
}

static penumbra_Stats stats_of(lua_State *L) {
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  return stats;
}

/* -- Steps --------------------------------------------------------------- */

/* Opens a state with a live list, a stopped collector, and a cycle due. */
static lua_State *open_with_cycle_due(void) {
  lua_State *L = own_open();
  make_list(L, 100000);
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCSTOP);
  while (stats_of(L).bytes < stats_of(L).goal)
    own_run(L, "for i = 1, 1000 do local t = {} end");
  return L;
}

static void test_step(void) {
  lua_State *L = open_with_cycle_due();
  lua_Unsigned cycles = stats_of(L).cycles;
  int calls = 0;
  while (!penumbra_step(L, 100, NULL)) calls++;
  CHECK(calls > 2);
  CHECK(stats_of(L).cycles == cycles + 1);
  CHECK(stats_of(L).phase == 0 && !stats_of(L).running);
  lua_close(L);
}

/* After a cycle no work is due, and a step by time does nothing. */
static void test_step_when_nothing_is_due(void) {
  lua_State *L = own_open();
  penumbra_Step result = {.size = sizeof result};
  lua_Unsigned work, cycles;
  make_list(L, 100000);
  lua_gc(L, LUA_GCCOLLECT);
  work = stats_of(L).work;
  cycles = stats_of(L).cycles;
  CHECK(penumbra_step(L, 60000000, &result) == 1);
  CHECK(stats_of(L).work == work && stats_of(L).cycles == cycles);
  CHECK(result.work == 0 && result.left == 0 && !result.ended &&
        result.keeps_up);
  CHECK(result.room > 0);
  lua_close(L);
}

/* The report of a step: a short step leaves work, and later ones end the
** cycle. */
static void test_step_tells(void) {
  lua_State *L = open_with_cycle_due();
  penumbra_Step result = {.size = sizeof result};
  lua_Unsigned work = stats_of(L).work, sum = 0;
  CHECK(penumbra_step(L, 50, &result) == 0);
  CHECK(result.size == sizeof result && result.allocated > 100000);
  CHECK(result.work > 0 && result.left > 0 && !result.ended &&
        !result.keeps_up);
  CHECK(result.nanoseconds >= 50000);
  for (sum = result.work; !result.ended; sum += result.work) {
    penumbra_step(L, 50, &result);
    CHECK(result.allocated == 0);
  }
  CHECK(result.left == 0 && result.keeps_up && result.room > 0);
  CHECK(sum == stats_of(L).work - work);
  lua_close(L);
}

/* Frames with enough time keep up.  Frames with too little time do not, and
** report that. */
static int frames_that_keep_up(lua_Unsigned microseconds) {
  lua_State *L = own_open();
  penumbra_Step result = {.size = sizeof result};
  int frame, kept = 0;
  make_list(L, 100000);
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCSTOP);
  for (frame = 0; frame < 200; frame++) {
    own_run(L, "for i = 1, 2000 do local t = {i} end");
    penumbra_step(L, microseconds, &result);
    kept += result.keeps_up;
  }
  lua_close(L);
  return kept;
}

static void test_budget_keeps_up(void) {
  CHECK(frames_that_keep_up(1000000) == 200);
  CHECK(frames_that_keep_up(1) < 150);
}

/* Structures of hosts with an older or a newer header than this library: the
** functions that fill them in, and the sizes of the structures. */
static void fill_stats(lua_State *L, void *p) { penumbra_getstats(L, p); }
static void fill_step(lua_State *L, void *p) { penumbra_step(L, 10, p); }
static void fill_pauses(lua_State *L, void *p) { penumbra_getpauses(L, p); }
static void fill_why(lua_State *L, void *p) { penumbra_why(L, 1, p); }

static int write_nothing(lua_State *L, const void *bytes, size_t size,
                         void *ud) {
  (void)L;
  (void)bytes;
  (void)size;
  (void)ud;
  return 0;
}

static void fill_snapshot(lua_State *L, void *p) {
  penumbra_snapshot(L, write_nothing, NULL, p);
}

static const struct {
  void (*fill)(lua_State *L, void *p);
  size_t size;
} sized[] = {{fill_stats, sizeof(penumbra_Stats)},
             {fill_step, sizeof(penumbra_Step)},
             {fill_pauses, sizeof(penumbra_Pauses)},
             {fill_why, sizeof(penumbra_Why)},
             {fill_snapshot, sizeof(penumbra_Snapshot)}};

/* No byte beyond `size` is touched, the size stays, and what this version does
** not know is 0. */
static void check_size(lua_State *L, size_t i, size_t size) {
  static union {
    size_t size;
    unsigned char byte[16384];
  } room;
  size_t at;
  memset(&room, 'x', sizeof room);
  room.size = size;
  sized[i].fill(L, &room);
  CHECK(room.size == size);
  for (at = sized[i].size; at < size; at++) CHECK(room.byte[at] == 0);
  for (at = size; at < sizeof room; at++) CHECK(room.byte[at] == 'x');
}

static void test_sizes(void) {
  lua_State *L = own_open();
  penumbra_Stats stats;
  size_t i;
  lua_newtable(L);
  for (i = 0; i < sizeof sized / sizeof *sized; i++) {
    check_size(L, i, sizeof(size_t));
    check_size(L, i, sized[i].size / 2);
    check_size(L, i, sized[i].size);
    check_size(L, i, sized[i].size + 100);
  }
  stats.size = offsetof(penumbra_Stats, live);
  penumbra_getstats(L, &stats);
  CHECK(stats.bytes > 1000);
  lua_close(L);
}

/* -- Frames --------------------------------------------------------------- */

/* The heap cannot have been above its goal since `before`: it was far enough
** below, and the goal is the same. */
static int kept_to_goal(const penumbra_Stats *before,
                        const penumbra_Stats *after) {
  enum { FRAME_BYTES = 256 * 1024 }; /* more than a frame allocates */
  return before->bytes + FRAME_BYTES <= before->goal &&
         before->cycles == after->cycles;
}

/* The most units of work that automatic steps do in one frame, while the heap
** is within its goal.  On a slow machine it is above at times: then the frame
** does not bind. */
static size_t most_work_in_frame(lua_Unsigned microseconds) {
  lua_State *L = own_open();
  size_t most = 0;
  int frame, counted = 0;
  make_list(L, 100000);
  CHECK(penumbra_setframebudget(L, microseconds) == 0);
  CHECK(penumbra_setframebudget(L, microseconds) == microseconds);
  for (frame = 0; frame < 2000; frame++) {
    penumbra_Stats before = stats_of(L), after;
    own_run(L, "for i = 1, 3500 do local t = {i} end");
    after = stats_of(L);
    if (kept_to_goal(&before, &after)) {
      size_t work = (size_t)(after.work - before.work);
      if (work > most) most = work;
      counted++;
    }
    penumbra_step(L, 400, NULL);
  }
  CHECK(counted > 1000);
  lua_close(L);
  return most;
}

/* 25 us are about 6,000 units, and the last step may add 8192. */
static void test_frame(void) {
  size_t bounded = most_work_in_frame(25), any = most_work_in_frame(0);
  CHECK(bounded <= 20000);
  CHECK(any > 2 * bounded);
}

/* Every call of penumbra_step begins a frame, in which automatic steps have time
** again.  They do nearly all of the work here, and a frame allocates so little
** that even a slow machine keeps the goal. */
static void test_frames_begin(void) {
  lua_State *L = own_open();
  int frame, worked = 0;
  make_list(L, 100000);
  penumbra_setframebudget(L, 25);
  for (frame = 0; frame < 3000; frame++) {
    penumbra_Stats before = stats_of(L), after;
    own_run(L, "for i = 1, 700 do local t = {i} end");
    after = stats_of(L);
    if (kept_to_goal(&before, &after) && after.work > before.work) worked++;
    penumbra_step(L, 1, NULL);
  }
  CHECK(worked > 10);
  lua_close(L);
}

/* A frame too short for what the program does: a table of 100,000 is written to
** all the time, and its old values become garbage after they were marked.  No
** step becomes longer because of that, and memory stays bounded.  A step may do
** one unit for 3 bytes more after an allocation of 8 KB or more, as for the code
** of a piece. */
static void test_short_frames(void) {
  enum { PIECES = 20000, STEP_MOST = 12500 + 4000, MOST_PER_LIVE = 4 };
  lua_State *L = own_open();
  size_t live, peak = 0;
  int piece;
  own_run(L, "live, next_one = {}, 0 "
             "for i = 1, 100000 do live[i] = {i} end collectgarbage()");
  live = stats_of(L).bytes;
  for (piece = 0; piece < PIECES; piece++) {
    penumbra_Stats before = stats_of(L), after;
    if (piece % 300 == 0) {
      penumbra_setframebudget(L, 50);
      penumbra_step(L, 50, NULL);
      before = stats_of(L);
    }
    own_run(L, "for i = 1, 64 do "
               "next_one = (next_one + 5) % 100000 live[next_one + 1] = {i} "
               "end");
    after = stats_of(L);
    CHECK(after.work - before.work <= (after.steps - before.steps) * STEP_MOST);
    if (after.bytes > peak) peak = after.bytes;
  }
  CHECK(stats_of(L).cycles > 3);
  CHECK(peak <= MOST_PER_LIVE * live);
  lua_close(L);
}

/* Times beyond all ranges. */
static void test_endless_time(void) {
  lua_State *L = own_open();
  penumbra_Step result = {0};
  result.size = sizeof result;
  own_run(L, "t = {} for i = 1, 20000 do t[i] = {} end collectgarbage('stop') "
             "for i = 1, 100000 do local t = {} end");
  penumbra_step(L, (lua_Unsigned)-1, &result);
  CHECK(result.ended);
  own_run(L, "for i = 1, 5 do setmetatable({}, {__gc = function() end}) end");
  penumbra_setfinalizers(L, 0);
  lua_gc(L, LUA_GCRESTART);
  while (stats_of(L).finalizers_due < 5) own_run(L, "local t = {}");
  CHECK(penumbra_finalize(L, 0, (lua_Unsigned)-1) >= 5);
  penumbra_setframebudget(L, (lua_Unsigned)-1);
  CHECK(penumbra_setframebudget(L, 0) > 1000000);
  lua_close(L);
}

/* -- The soft target ------------------------------------------------------ */

static void target_missed(lua_State *L, void *ud, size_t live) {
  *(size_t *)ud = live;
  lua_pushnil(L);
  lua_setglobal(L, "cache");
}

static void churn_cycle(lua_State *L);

static void test_target(void) {
  lua_State *L = own_open();
  size_t told = 0;
  own_run(L, "cache = {} for i = 1, 50000 do cache[i] = {i} end");
  lua_gc(L, LUA_GCCOLLECT);
  CHECK(penumbra_gettarget(L) == 0);
  penumbra_settarget(L, 1000000, target_missed, &told);
  CHECK(penumbra_gettarget(L) == 1000000 && stats_of(L).target == 1000000);
  churn_cycle(L);
  if (told == 0) churn_cycle(L); /* a step without finalizers tells nothing */
  CHECK(told > 50000 * 32);
  churn_cycle(L);
  told = 0; /* met without the cache */
  churn_cycle(L);
  CHECK(told == 0 && stats_of(L).live < 1000000);
  CHECK(stats_of(L).goal <= 1300000);
  lua_close(L);
}

static void target_counted(lua_State *L, void *ud, size_t live) {
  (void)L, (void)live;
  ++*(lua_Unsigned *)ud;
}

/* A target that cannot be met is told after a cycle, not at every step. */
static void test_target_is_told_once(void) {
  lua_State *L = own_open();
  lua_Unsigned told = 0, steps, cycles;
  own_run(L, "cache = {} for i = 1, 50000 do cache[i] = {i} end");
  penumbra_settarget(L, 1000, target_counted, &told);
  steps = stats_of(L).steps;
  cycles = stats_of(L).cycles;
  churn_cycle(L);
  churn_cycle(L);
  steps = stats_of(L).steps - steps;
  cycles = stats_of(L).cycles - cycles;
  CHECK(told > 0 && told <= cycles && steps > 2 * cycles);
  lua_close(L);
}

/* -- Finalizers ---------------------------------------------------------- */

/* Makes `count` objects whose finalizers add to the global `called`. */
static void make_finalizable(lua_State *L, int count) {
  lua_pushinteger(L, count);
  lua_setglobal(L, "count");
  own_run(L, "called = 0 "
             "local mt = {__gc = function() called = called + 1 end} "
             "for i = 1, count do setmetatable({}, mt) end");
}

static int called(lua_State *L) {
  int n;
  lua_getglobal(L, "called");
  n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

/* Makes garbage until another cycle has ended. */
static void churn_cycle(lua_State *L) {
  lua_Unsigned cycles = stats_of(L).cycles;
  while (stats_of(L).cycles < cycles + 2)
    own_run(L, "for i = 1, 1000 do local t = {} end");
}

static void test_finalizers(void) {
  lua_State *L = own_open();
  CHECK(penumbra_setfinalizers(L, 0) == 64);
  make_finalizable(L, 100);
  churn_cycle(L);
  CHECK(called(L) == 0);
  CHECK(stats_of(L).finalizers_due == 100);
  CHECK(penumbra_finalize(L, 7, 0) == 7);
  CHECK(called(L) == 7);
  CHECK(penumbra_finalize(L, 0, 1000000) == 93);
  CHECK(called(L) == 100);
  CHECK(penumbra_finalize(L, 0, 0) == 0);
  CHECK(stats_of(L).finalizers_called >= 100);
  CHECK(penumbra_setfinalizers(L, 10) == 0);
  make_finalizable(L, 100);
  churn_cycle(L);
  churn_cycle(L);
  CHECK(called(L) == 100); /* called automatically again */
  lua_close(L);
}

/* A time budget ends between two finalizers. */
static void test_finalizer_time(void) {
  lua_State *L = own_open();
  size_t n;
  penumbra_setfinalizers(L, 0);
  own_run(L, "local clock = os.clock "
             "local mt = {__gc = function() "
             "  local t = clock() repeat until clock() - t > 0.002 end} "
             "for i = 1, 50 do setmetatable({}, mt) end");
  churn_cycle(L);
  n = penumbra_finalize(L, 0, 5000);
  CHECK(n >= 1 && n <= 3);
  n = 0;
  while (!penumbra_step(L, 5000, NULL)) n++;
  CHECK(n >= 3); /* 47 of them, 3 at a time */
  CHECK(stats_of(L).finalizers_due == 0);
  lua_close(L);
}

/* -- Figures ------------------------------------------------------------- */

static void test_stats(void) {
  lua_State *L = own_open();
  penumbra_Stats a = {.size = sizeof a}, b = {.size = sizeof b};
  penumbra_getstats(L, &a);
  CHECK(a.bytes == (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 +
                       (size_t)lua_gc(L, LUA_GCCOUNTB));
  CHECK(a.running && !a.generational && a.limit == 0 && a.external == 0);
  CHECK(strlen(a.phase_name) > 2);
  make_list(L, 10000);
  lua_gc(L, LUA_GCGEN, 0, 0);
  lua_gc(L, LUA_GCCOLLECT);
  penumbra_getstats(L, &b);
  CHECK(b.generational && b.cycles > a.cycles && b.work > a.work);
  CHECK(b.bytes > a.bytes + 10000 * 32);
  CHECK(b.live >= 10000 * 32 && b.live <= b.bytes + b.external);
  CHECK(b.peak >= b.bytes && b.footprint >= b.bytes);
  CHECK(b.allocated - a.allocated >= 10000 * 32);
  churn_cycle(L);
  CHECK(stats_of(L).minor_cycles > b.minor_cycles);
  CHECK(stats_of(L).largest_step >= stats_of(L).largest_unit);
  lua_close(L);
}

/* -- Pauses -------------------------------------------------------------- */

static lua_Unsigned bucket_sum(const penumbra_Pauses *pauses) {
  lua_Unsigned sum = 0;
  int i;
  for (i = 0; i < PENUMBRA_BUCKETS; i++) {
    sum += pauses->bucket[i];
    if (pauses->bucket[i]) CHECK(penumbra_bucketbegin(i) <= pauses->longest);
  }
  return sum;
}

static void test_pauses(void) {
  static penumbra_Pauses pauses;
  lua_State *L = own_open();
  lua_Unsigned steps;
  pauses.size = sizeof pauses;
  CHECK(penumbra_getpauses(L, &pauses) == 0);
  CHECK(penumbra_percentile(&pauses, 99) == 0);
  CHECK(penumbra_timepauses(L, 1) == 1);
  steps = stats_of(L).steps;
  make_list(L, 50000);
  CHECK(penumbra_getpauses(L, &pauses) == 1);
  CHECK(pauses.count >= stats_of(L).steps - steps && pauses.count > 0);
  CHECK(bucket_sum(&pauses) == pauses.count);
  CHECK(pauses.collections == 0);
  CHECK(pauses.total >= pauses.longest && pauses.longest > 0);
  CHECK(penumbra_percentile(&pauses, 50) <= penumbra_percentile(&pauses, 99));
  CHECK(penumbra_percentile(&pauses, 100) == pauses.longest);
  CHECK(penumbra_percentile(&pauses, 0) > 0);
  lua_gc(L, LUA_GCCOLLECT);
  penumbra_getpauses(L, &pauses);
  CHECK(pauses.collections == 1);
  CHECK(pauses.longest_collection > 0);
  CHECK(penumbra_timepauses(L, 1) == 1); /* starts again */
  penumbra_getpauses(L, &pauses);
  CHECK(pauses.count == 0 && pauses.collections == 0);
  CHECK(penumbra_timepauses(L, 0) == 1);
  CHECK(penumbra_getpauses(L, &pauses) == 0);
  lua_close(L);
}

/* Fifty steps of 10 ns and fifty of 1000 ns. */
static void test_percentile(void) {
  static penumbra_Pauses pauses;
  int i, small = 0, large = 0;
  for (i = 0; i < PENUMBRA_BUCKETS - 1; i++) {
    if (penumbra_bucketbegin(i) <= 10) small = i;
    if (penumbra_bucketbegin(i) <= 1000) large = i;
  }
  pauses.bucket[small] = pauses.bucket[large] = 50;
  pauses.count = 100;
  pauses.longest = 1000;
  CHECK(penumbra_percentile(&pauses, 50) == 10);
  CHECK(penumbra_percentile(&pauses, 51) == 1000);
  CHECK(penumbra_percentile(&pauses, 100) == 1000);
}

/* -- Events -------------------------------------------------------------- */

typedef struct Counts {
  int of[PENUMBRA_COLLECT + 1];
  size_t large;
  lua_Unsigned nanoseconds;
} Counts;

static void count_event(void *ud, const penumbra_Event *event) {
  Counts *counts = (Counts *)ud;
  counts->of[event->type]++;
  counts->nanoseconds += event->nanoseconds;
  if (event->type == PENUMBRA_LARGE) counts->large = event->bytes;
  CHECK(event->phase_name != NULL);
}

static void test_events(void) {
  Counts counts;
  void *ud;
  lua_State *L = own_open();
  memset(&counts, 0, sizeof counts);
  CHECK(penumbra_getlistener(L, &ud) == NULL);
  penumbra_setlistener(L, count_event, &counts);
  CHECK(penumbra_getlistener(L, &ud) == count_event && ud == &counts);
  make_list(L, 20000);
  lua_gc(L, LUA_GCCOLLECT);
  CHECK(counts.of[PENUMBRA_CYCLEEND] >= 1);
  CHECK(counts.of[PENUMBRA_CYCLEBEGIN] == counts.of[PENUMBRA_CYCLEEND]);
  CHECK(counts.of[PENUMBRA_PHASE] > counts.of[PENUMBRA_CYCLEEND] * 5);
  CHECK(counts.of[PENUMBRA_STEP] > 0 && counts.nanoseconds > 0);
  CHECK(counts.of[PENUMBRA_COLLECT] == 1);
  lua_newuserdatauv(L, 1000000, 0);
  CHECK(counts.of[PENUMBRA_LARGE] >= 1 && counts.large >= 1000000);
  penumbra_setlimit(L, stats_of(L).footprint + 100000);
  CHECK(counts.of[PENUMBRA_EMERGENCY] == 0);
  luaL_loadstring(L, "return ('x'):rep(1000000)");
  CHECK(lua_pcall(L, 0, 0, 0) == LUA_ERRMEM);
  CHECK(counts.of[PENUMBRA_EMERGENCY] > 0);
  penumbra_setlistener(L, NULL, NULL);
  memset(&counts, 0, sizeof counts);
  lua_gc(L, LUA_GCCOLLECT);
  CHECK(counts.of[PENUMBRA_CYCLEEND] == 0);
  lua_close(L);
}

int main(void) {
  test_step();
  test_step_when_nothing_is_due();
  test_step_tells();
  test_budget_keeps_up();
  test_sizes();
  test_frame();
  test_frames_begin();
  test_short_frames();
  test_endless_time();
  test_target();
  test_target_is_told_once();
  test_finalizers();
  test_finalizer_time();
  test_stats();
  test_pauses();
  test_percentile();
  test_events();
  return 0;
}
