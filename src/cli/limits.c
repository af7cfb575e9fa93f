/* SPDX-License-Identifier: MIT */
/*
** limits.c -- the options --max-time and --max-memory
**
** When a limit is reached, the user is told what took the time or the memory.
** The time is sampled by a timer of the process, whose signal sets a hook; the
** hook counts the line that runs.  The signal is not that of profilers, so the
** program can still use penumbra.profile.  Memory is sampled by the collector
** (penumbra_samplealloc).
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "penumbra.h"

#if defined(LUA_USE_POSIX)
#include <sys/time.h>
#endif

enum {
  LIMITS_LINES = 200,    /* lines whose time is counted */
  LIMITS_SITES = 200,    /* stacks whose memory is counted */
  LIMITS_SHOWN = 3,      /* of these, how many are told */
  LIMITS_LEAST = 50,     /* ... if they are this part of all, or more */
  LIMITS_PERIOD = 5000,  /* microseconds between two samples of the time */
  LIMITS_SAMPLES = 256,  /* samples of the memory up to the limit */
  LIMITS_INTERVAL = 4096 /* bytes between two of them, at least */
};

static Limits limits;

/* A place in the program, and how much it takes. */
typedef struct Share {
  char place[160];
  double amount;
  double objects;
} Share;

typedef struct Shares {
  Share share[LIMITS_LINES];
  int count;
  double all;
} Shares;

static Shares limits_time, limits_memory;

static void shares_add(Shares *shares, const char *place, double amount,
                       double objects) {
  int i = 0;
  shares->all += amount;
  while (i < shares->count && strcmp(shares->share[i].place, place) != 0) i++;
  if (i == LIMITS_LINES) return;
  if (i == shares->count) {
    memset(&shares->share[i], 0, sizeof shares->share[i]);
    snprintf(shares->share[i].place, sizeof shares->share[i].place, "%s",
             place);
    shares->count++;
  }
  shares->share[i].amount += amount;
  shares->share[i].objects += objects;
}

static int shares_compare(const void *a, const void *b) {
  const double x = ((const Share *)a)->amount, y = ((const Share *)b)->amount;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void shares_sort(Shares *shares) {
  qsort(shares->share, (size_t)shares->count, sizeof(Share), shares_compare);
}

/* -- Where the time goes ------------------------------------------------- */

#if defined(LUA_USE_POSIX)

static lua_State *limits_main;
static volatile sig_atomic_t limits_ticks;

/* Counts the line that runs, or for a C function that of its caller. */
static void limits_count(lua_State *L) {
  lua_Debug ar;
  char place[160], name[LUA_IDSIZE + 4] = "";
  for (int level = 0; limits_ticks > 0 && lua_getstack(L, level, &ar);
       level++) {
    lua_getinfo(L, "Sln", &ar);
    if (level == 0 && *ar.what == 'C' && ar.name)
      snprintf(name, sizeof name, " in '%s'", ar.name);
    if (ar.currentline <= 0) continue;
    snprintf(place, sizeof place, "%s:%d%s", ar.short_src, ar.currentline,
             name);
    shares_add(&limits_time, place, limits_ticks, 0);
    break;
  }
  limits_ticks = 0;
}

static void limits_sample(lua_State *L, lua_Debug *unused) {
  (void)unused;
  lua_sethook(L, NULL, 0, 0);
  limits_count(L);
}

/* No hook is called in a C function that took the rest of the time. */
void limits_note(lua_State *L) {
  if (limits.microseconds > 0) limits_count(L);
}

static void limits_tick(int signum) {
  const int any = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  lua_State *L = penumbra_running(limits_main);
  (void)signum;
  limits_ticks = limits_ticks + 1;
  if (!lua_gethook(L)) lua_sethook(L, limits_sample, any, 1);
}

static void limits_timer(int microseconds) {
  struct itimerval timer;
  struct sigaction action;
  memset(&timer, 0, sizeof timer);
  memset(&action, 0, sizeof action);
  action.sa_handler = microseconds > 0 ? limits_tick : SIG_IGN;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGVTALRM, &action, NULL) != 0) return;
  timer.it_interval.tv_usec = microseconds;
  timer.it_value = timer.it_interval;
  setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static void limits_time_start(lua_State *L) {
  limits_main = L;
  limits_timer(LIMITS_PERIOD);
}

#else
static void limits_timer(int microseconds) { (void)microseconds; }
static void limits_time_start(lua_State *L) { (void)L; }
void limits_note(lua_State *L) { (void)L; }
#endif

static void explain_time(void) {
  fprintf(stderr, "The limit is %g s of processor time (--max-time).\n",
          (double)limits.microseconds / 1e6);
  shares_sort(&limits_time);
  if (limits_time.all < 4) return;
  fputs("Where the time went:\n", stderr);
  for (int i = 0; i < limits_time.count && i < LIMITS_SHOWN; i++) {
    const Share *share = &limits_time.share[i];
    if (share->amount * LIMITS_LEAST < limits_time.all) break;
    fprintf(stderr, "    %3.0f %%  %s\n", 100 * share->amount / limits_time.all,
            share->place);
  }
}

/* -- What takes the memory ----------------------------------------------- */

/* The innermost line in Lua of a stack: "... ;f (a.lua:2);string.rep ([C])". */
static void site_place(const char *stack, char *place, size_t size) {
  const char *end = stack + strlen(stack);
  for (;;) {
    const char *begin = end;
    while (begin > stack && begin[-1] != ';') begin--;
    const int n = (int)(end - begin);
    if (n > 5 && strncmp(end - 5, "([C])", 5) != 0) {
      snprintf(place, size, "%.*s", n, begin);
      return;
    }
    if (begin == stack) break;
    end = begin - 1;
  }
  snprintf(place, size, "C functions");
}

static void limits_site(void *ud, const penumbra_Site *site) {
  char place[120], line[160];
  (void)ud;
  if (site->live_bytes == 0) return;
  site_place(site->stack, place, sizeof place);
  if (*site->type != '\0')
    snprintf(line, sizeof line, "%s from %s", site->type, place);
  else
    snprintf(line, sizeof line, "parts of objects from %s", place);
  shares_add(&limits_memory, line, (double)site->live_bytes,
             (double)site->live_objects);
}

static int collect_sites(lua_State *L) {
  penumbra_getsites(L, limits_site, NULL);
  return 0;
}

static void print_bytes(double bytes, int width) {
  if (bytes >= 1 << 20)
    fprintf(stderr, " %*.1f MB", width, bytes / (1 << 20));
  else
    fprintf(stderr, " %*.1f KB", width, bytes / (1 << 10));
}

static void explain_memory(lua_State *L) {
  const size_t bytes = limits.bytes;
  if (bytes % (1 << 20) == 0)
    fprintf(stderr, "The limit is %lu MB (--max-memory).\n",
            (unsigned long)(bytes >> 20));
  else
    fprintf(stderr, "The limit is %lu bytes (--max-memory).\n",
            (unsigned long)bytes);
  penumbra_Stats stats = {.size = sizeof stats};
  penumbra_getstats(L, &stats);
  const double used = (double)stats.bytes + (double)stats.external;
  if (used * 2 < (double)bytes) {
    fputs("One allocation was too large; in use were", stderr);
    print_bytes(used, 0);
    fputs(".\n", stderr);
  }
  if (used * 20 < (double)bytes) return;
  lua_pushcfunction(L, collect_sites);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1);
  shares_sort(&limits_memory);
  if (limits_memory.count == 0) return;
  fputs("What takes the memory, estimated from samples:\n", stderr);
  for (int i = 0; i < limits_memory.count && i < LIMITS_SHOWN; i++) {
    if (limits_memory.share[i].amount * LIMITS_LEAST < limits_memory.all) break;
    print_bytes(limits_memory.share[i].amount, 11);
    fprintf(stderr, "  %s\n", limits_memory.share[i].place);
  }
}

/* -- All of it ----------------------------------------------------------- */

void limits_start(lua_State *L, const Limits *given, bool samples) {
  limits = *given;
  if (limits.microseconds > 0) limits_time_start(L);
  if (limits.bytes > 0 && samples) {
    const size_t interval = limits.bytes / LIMITS_SAMPLES;
    penumbra_samplealloc(L, interval > LIMITS_INTERVAL ? interval
                                                       : LIMITS_INTERVAL);
  }
  penumbra_setbudget(L, 0, limits.microseconds);
}

void limits_renew(lua_State *L) {
  const lua_Unsigned endless = (lua_Unsigned)1 << 62;
  const bool timed = limits.microseconds > 0;
  if (timed) limits_time_start(L);
  penumbra_setbudget(L, timed ? 0 : endless, limits.microseconds);
}

bool limits_is_reached(lua_State *L, int status) {
  if (status == LUA_ERRMEM) return limits.bytes > 0;
  if (limits.microseconds == 0 || lua_type(L, -1) != LUA_TSTRING) return false;
  return strcmp(lua_tostring(L, -1), "budget exhausted") == 0;
}

/* What is told takes memory and time. */
void limits_lift(lua_State *L) {
  if (limits.microseconds > 0) limits_timer(0);
  penumbra_setlimit(L, 0);
  penumbra_setbudget(L, 0, 0);
}

void limits_explain(lua_State *L, int status) {
  if (status == LUA_ERRMEM)
    explain_memory(L);
  else
    explain_time();
  penumbra_setlimit(L, limits.bytes);
  if (limits.microseconds > 0) penumbra_setbudget(L, 0, 1); /* spent */
}
