/* SPDX-License-Identifier: MIT */
/*
** calls.c -- random functions of all libraries with random values
**
** calls.lua chooses functions and values; the bytes of the input are its
** choices, and after the last byte they are those of a seed made of the input.
** Each step has a budget, and the state a limit of memory.  A step that does not
** end all the same is a finding: the watchdog prints the input, the step and
** the stack, and aborts.
**
**     fuzz_calls --seeds 1 100
*/
#define _GNU_SOURCE

#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <execinfo.h>
#endif

enum {
  STEPS = 60,
  STEP_UNITS = 300000,
  STEP_MICROSECONDS = 300000,
  STEP_SECONDS = 20,       /* of processor time: far more than its budget */
  STEP_REAL = 300,         /* seconds, for one that waits */
  MEMORY = 48 << 20,       /* of the state */
  MEMORY_MOST = 400 << 20, /* even if a step has removed the limit */
  SIDE_MOST = 1000
};

/* -- The watchdog ---------------------------------------------------------- */

typedef struct Watch {
  const uint8_t *data;
  size_t size;
  int step;
  char last[SIDE_MOST], before[SIDE_MOST];
  lua_State *L;
} Watch;

static Watch watch;

static void watch_print(const char *why) {
  fprintf(stderr, "%s in step %d of the input", why, watch.step);
  for (size_t i = 0; i < watch.size; i++)
    fprintf(stderr, " %02x", watch.data[i]);
  fprintf(stderr, "\nlast call: %s\nbefore: %s\n", watch.last, watch.before);
}

/* What it calls is not safe in a signal handler, but the process ends here. */
static void watch_bark(int signal_number) {
  watch_print(signal_number == SIGALRM ? "it waits" : "no end");
#if defined(__GLIBC__)
  void *frames[60];
  backtrace_symbols_fd(frames, backtrace(frames, 60), STDERR_FILENO);
#endif
  luaL_traceback(watch.L, watch.L, NULL, 0);
  fprintf(stderr, "%s\n", lua_tostring(watch.L, -1));
  abort();
}

/* libFuzzer watches by itself.  Profiles use ITIMER_PROF. */
static void watch_set(long processor, unsigned real) {
  struct itimerval timer = {{0, 0}, {processor, 0}};
  if (FUZZ_ENGINE) return;
  signal(SIGVTALRM, watch_bark);
  signal(SIGALRM, watch_bark);
  setitimer(ITIMER_VIRTUAL, &timer, NULL);
  alarm(real);
}

static void watch_crash(int signal_number) {
  signal(signal_number, SIG_DFL);
  watch_print("crash");
  raise(signal_number);
}

/* Reports of sanitizers end the process by abort, and come here, too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "abort_on_error=1:allocator_may_return_null=1:handle_segv=0";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
  return "abort_on_error=1:print_stacktrace=1";
}

static void watch_crashes(void) {
  static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  if (FUZZ_ENGINE) return;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], watch_crash);
}

/* -- What calls.lua uses --------------------------------------------------- */

typedef struct Choices {
  const uint8_t *data;
  size_t size, at;
  uint64_t random;
} Choices;

static uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void choices_init(Choices *c, const uint8_t *data, size_t size) {
  c->data = data;
  c->size = size;
  c->at = 8; /* the first bytes are only a seed */
  c->random = size;
  for (size_t i = 0; i < size; i++) c->random = c->random * 257 + data[i];
}

/* choose(n): an integer from 1 to n. */
static int lua_choose(lua_State *L) {
  Choices *c = lua_touserdata(L, lua_upvalueindex(1));
  uint64_t n = (uint64_t)luaL_checkinteger(L, 1);
  uint64_t choice = random_next(&c->random) >> 16;
  if (c->at + 1 < c->size) {
    choice = c->data[c->at] | (uint64_t)c->data[c->at + 1] << 8;
    c->at += 2;
  }
  lua_pushinteger(L, (lua_Integer)(n ? choice % n : 0) + 1);
  return 1;
}

/* note(text): what is about to be called, for the watchdog. */
static int lua_note(lua_State *L) {
  memcpy(watch.before, watch.last, SIDE_MOST);
  snprintf(watch.last, SIDE_MOST, "%s", luaL_checkstring(L, 1));
  return 0;
}

static int lua_userdata(lua_State *L) {
  size_t size = (size_t)luaL_checkinteger(L, 1);
  memset(lua_newuserdatauv(L, size, (int)luaL_checkinteger(L, 2)), 0, size);
  return 1;
}

/* -- Steps ----------------------------------------------------------------- */

static void *allocate(void *ud, void *ptr, size_t osize, size_t nsize) {
  const size_t *held = ud;
  if (nsize > osize && *held + nsize > MEMORY_MOST) return NULL;
  return fuzz_allocate(ud, ptr, osize, nsize);
}

static int open_body(lua_State *L) {
  luaL_openlibs(L);
  if (luaL_loadfile(L, FUZZ_CALLS) != LUA_OK) lua_error(L);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, lua_choose, 1);
  lua_pushcfunction(L, lua_note);
  lua_pushcfunction(L, lua_userdata);
  lua_call(L, 3, 1);
  return 1;
}

/* Leaves the function that makes a step on the stack. */
static lua_State *open_state(size_t *held, Choices *choices) {
  *held = 0;
  lua_State *L = lua_newstate(allocate, held);
  CHECK(L != NULL);
  lua_pushcfunction(L, open_body);
  lua_pushlightuserdata(L, choices);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  return L;
}

/* Undoes what a step may have done to the limits. */
static void limit_step(lua_State *L) {
  penumbra_setlimit(L, MEMORY);
  lua_gc(L, LUA_GCRESTART);
  lua_sethook(L, NULL, 0, 0);
  penumbra_setfinalizers(L, 64);
}

static void run_step(lua_State *L) {
  limit_step(L);
  watch_set(STEP_SECONDS, STEP_REAL);
  lua_pushvalue(L, 1);
  penumbra_pcall(L, 0, 0, 0, STEP_UNITS, STEP_MICROSECONDS, NULL);
  lua_settop(L, 1);
  watch_set(0, 0);
}

/* The libraries read and write files; what they do stays in a folder, and reads
** end at once. */
static char folder[] = "/tmp/fuzz_calls_XXXXXX";

static void leave_folder(void) {
  DIR *files = opendir(".");
  const struct dirent *entry;
  while (files && (entry = readdir(files)) != NULL) unlink(entry->d_name);
  if (files) closedir(files);
  rmdir(folder);
}

static void prepare(void) {
  static bool done = false;
  if (done) return;
  done = true;
  CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
  atexit(leave_folder);
  CHECK(freopen("/dev/null", "r", stdin) != NULL);
  CHECK(freopen("/dev/null", "w", stdout) != NULL);
  watch_crashes();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t held;
  Choices choices;
  prepare();
  choices_init(&choices, data, size);
  lua_State *L = open_state(&held, &choices);
  watch = (Watch){.data = data, .size = size, .L = L};
  for (watch.step = 1; watch.step <= STEPS; watch.step++) run_step(L);
  limit_step(L);
  watch_set(STEP_SECONDS, STEP_REAL);
  fuzz_close(L, &held);
  watch_set(0, 0);
  return 0;
}
